"""Seal and shake the dice of a lobby; send the record of a finished game."""

import re
from dataclasses import dataclass
from typing import Final

from sqlmodel import col

from perudo_core.stirs import SIGNS
from telegram_bot.features.fair_dice.notices import FairDiceAnswer, FairDiceAnswerNotice, RecordNotice
from telegram_bot.notices import Toast
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.request import Arguments, AtAnyStep, Command, Fits, HelpLines, Request, Scope, Who
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage.models import LaneName, OutboxEntry
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import PlainEvent, RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import Status
from telegram_bot.tables.sealed_dice import seal_of
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
