"""Seal and shake the dice of a lobby; send the record of a finished game."""

import re
from dataclasses import dataclass
from typing import Final

from sqlmodel import col

from perudo_core.stirs import SIGNS
from telegram_bot.features.fair_dice.notices import (
    DiceCheckNotice,
    FairDiceAnswer,
    FairDiceAnswerNotice,
    RecordNotice,
    SealNotice,
)
from telegram_bot.notices import GameOverNotice, LobbyNotice, Toast
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.presentation.keys import Key, Keys, rows_of
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.request import Arguments, AtAnyStep, Command, Fits, HelpLines, Request, Scope, Who
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable, LaneName, OutboxEntry
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import PlainEvent, RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.sealed_dice import commitment_of, seal_of, stirred
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark_in_context

RECORD_SECONDS: Final = 600
"""How many seconds the record of a game is not sent to the same chat again."""
RECORD_SLOT: Final = "record"
_NUMBER: Final = re.compile(r"\W*(\d{1,2})\W*")


@dataclass(frozen=True, slots=True)
class SealDice(AtAnyStep, TableRequest):
    """Publish the seal of the dice, before a stir."""

    buttons = (Button("seal"),)
    acts = (Act("seal"),)

    def handle(self, context: TableContext) -> Toast | None:
        """Publish the seal in a message with the signs for stirs; a repeated request is answered with a hint to it."""
        step = lobby_rules.seal_dice(context.table, context.player_id, moment=context.uow.moment)
        return _tell_of_seal(context, step, FairDiceAnswer.SEALED)


def read_sign(text: str, _: str | None) -> Request:
    """Return the stir of the sign with this number; any other text asks for the seal, which explains the numbers."""
    number = _NUMBER.fullmatch(text)
    is_sign = number is not None and 0 < int(number[1]) <= len(SIGNS)
    return StirDice(SIGNS[int(number[1]) - 1]) if number is not None and is_sign else SealDice()


@dataclass(frozen=True, slots=True)
class StirDice(AtAnyStep, TableRequest):
    """Stir one of the core's signs into the dice, before the game begins."""

    fits = Fits.LOBBY
    buttons = (Button("stir={sign}"),)
    acts = (Act("stir", "sign"),)
    commands = (
        Command(
            name="stir",
            scope=Scope.TEXT,
            who=Who.PLAYER,
            arguments=Arguments.PARSED,
            reader=read_sign,
            example="7",
            words=mark_in_context("typed", "stir"),
            help=HelpLines(guide="shake the sealed dice before the game, with a sign: a number from 1 to 12"),
        ),
    )

    sign: str

    def handle(self, context: TableContext) -> Toast | None:
        """Stir a sign into the dice."""
        step = lobby_rules.stir_dice(context.table, context.player_id, self.sign, moment=context.uow.moment)
        return _tell_of_seal(context, step, FairDiceAnswer.STIRRED, self.sign)


def _tell_of_seal(context: TableContext, step: TableChange, done: FairDiceAnswer, sign: str = "") -> Toast | None:
    """Save the step; its answer repeats the seal, so that all people see the same one."""
    if step.events:
        context.save(step)
    if PlainEvent.DICE_SEALED in step.events:
        if context.answers_cost_money():  # the seal arrives by text as well
            return None
        done, sign = FairDiceAnswer.SEALED, ""
    notice = FairDiceAnswerNotice(answer=done, seal=seal_of(step.table), sign=sign)
    return answer(context.uow, context.intent, context.player, notice)


@dataclass(frozen=True, slots=True)
class SeeRecord(AtAnyStep, TableRequest):
    """Ask for the finished game's record, to check the dice."""

    allowed_while_suspended = True
    buttons = (Button("record"),)

    def handle(self, context: TableContext) -> Toast | None:
        """Send the finished game as a file."""
        uow, table, player = context.uow, context.table, context.player
        if table.status is not Status.FINISHED:
            raise RejectedError(RejectionReason.NO_GAME)
        where = context.intent.where or context.intent.who
        lately = col(OutboxEntry.created_at) > uow.now - RECORD_SECONDS
        here = col(OutboxEntry.lane) == LaneName(where.channel, where.address)
        if is_sent(uow.session, table.id, RECORD_SLOT, here, lately):
            return answer(uow, context.intent, player, FairDiceAnswerNotice(answer=FairDiceAnswer.RECORD_ABOVE))
        record = RecordNotice(**dict(game_record(uow, table)))
        say(uow, context.intent, player, record, table=table.id, slot=RECORD_SLOT)
        return None


_STIRS_A_ROW: Final = 6


def seal_keys(_: SealNotice, __: Catalogue) -> Keys:
    """Return the signs for sealed dice."""
    return rows_of((Key(sign, StirDice(sign)) for sign in SIGNS), _STIRS_A_ROW)


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Below the host's menu of the table."""
    if not notice.view.may_seal or notice.shown_menu is not LobbyMenu.TABLE:
        return []
    return [[Key(w.say("Shake the dice"), SealDice(), sign="🎲")]]


def lobby_acts(notice: LobbyNotice, w: Catalogue) -> list[Key]:
    """In the lobby on pages."""
    return [Key(w.say("Seal the secret"), SealDice())] if notice.view.may_seal else []


def game_over_keys(notice: GameOverNotice, w: Catalogue) -> Keys:
    """Below the end of a game in chats."""
    if notice.view.secret is None:
        return []
    return [[Key(w.say("Check the dice"), SeeRecord(), sign="🔐")]]


SEAL_SLOT: Final = "seal"
GATHER_STIRS_SECONDS: Final = 2
"""How long stirs are gathered into one edit of the lobby's message."""


def announce_seal(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Tell of a new seal and of stirs; the signs go when the lobby ends, and a phone that joins gets the seal."""
    before, table, events = committed.before, committed.step.table, committed.step.events
    if before is None or before.status is not Status.LOBBY:
        return
    if table.status is not Status.LOBBY:
        outbox.withdraw(SEAL_SLOT, deleted=False)
    elif (commitment := commitment_of(table)) is not None:
        seal = SealNotice(table=table.id, commitment=commitment)
        new = {seat.player for seat in table.seats} - {seat.player for seat in before.seats}
        if PlainEvent.DICE_SEALED in events:
            new = {seat.player for seat in table.seats}
            outbox.withdraw(SEAL_SLOT, deleted=False)
            # A message of its own, because the lobby's message is edited: an edit could replace the seal after the
            # stirs, and the messenger would not show that the text was another one.
            outbox.say(outbox.chat, seal, slot=SEAL_SLOT)
        outbox.to_remote(sorted(new), seal)
    if PlainEvent.DICE_STIRRED in events:
        _show_stirs(outbox, table)


def _show_stirs(outbox: TableOutbox, table: Table) -> None:
    """Show the stirs in the lobby: one edit for taps of some seconds. Without a chat tell the host."""
    if not outbox.shared:
        outbox.send_lobby(table, news=True)
        return
    outbox.show_chat(at=outbox.uow.now + GATHER_STIRS_SECONDS)


def dice_check_of(uow: UnitOfWork, _: GameTable, table: Table) -> DiceCheckNotice | None:
    """Return the check of a finished game's dice, or None if no player shook them: then the bot alone chose them."""
    if table.secret is None or not table.stirs:
        return None
    passed = game_record(uow, table).rolls is not None
    return DiceCheckNotice(passed=passed, secret=table.secret, stirs=stirred(table))
