"""Fair dice: players shake the sealed dice before the game, and a file proves every roll after it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from sqlmodel import col
from typing_extensions import TypedDict

from perudo_core.fair import seal_digits
from perudo_core.stirs import SIGNS
from telegram_bot.feature import Feature
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Arguments, AtAnyStep, Command, Fits, HelpLines, Request, Scope, Who
from telegram_bot.notices import (
    AboutTable,
    FeatureNotice,
    FeatureToast,
    FileNotice,
    GameOverNotice,
    LobbyNotice,
    PageFormat,
    PublicNotice,
    Toast,
)
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.presentation.cards import lines_of
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.presentation.keys import Key, Keys, rows_of
from telegram_bot.service.announcing.old_messages import withdraw
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.results.game_record import GameRecord, game_record
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable, LaneName, OutboxEntry
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import PlainEvent, RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.sealed_dice import StirView, commitment_of, seal_of, stirred
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.languages import mark_in_context
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import folded, verify_command
from telegram_bot.words.sms.layout import stir_figure


class CheckFields(TypedDict):
    """The check of the dice, within the card of the end of a game."""

    dice: str


class SealFields(TypedDict):
    """The seal."""

    sealed: str
    lines: list[str]


class SealNotice(AboutTable, PublicNotice):
    """The seal of a table's dice, in a message that is never edited, with the signs that can be stirred in."""

    kind: Literal["seal"] = "seal"
    card_slot = "seal"
    commitment: str

    def lines(self, f: Format) -> list[Line]:
        """Return how to shake the dice and, folded in a chat, their seal and what it proves."""
        w, seal = f.w, seal_digits(self.commitment)
        lines = [Line(f.strong(w.say("Shake the dice: tap signs, as often as you like.")), sign="🎲")]
        if f.medium is not Medium.CHAT:
            return lines
        how = [
            w.say("The dice are sealed: {seal}", seal=seal),
            w.say(
                "All dice of this game follow from my secret and from what you shake in. The seal fixes my secret, the "
                "table and its rules; I open it after the game, and <b>Check the dice</b> shows whether they fit."
            ),
            f"<code>{self.commitment}</code>",
            w.say(
                "What it can't prove: whoever runs me, or gets at my database, can see all dice during the game. A "
                "game that's broken off proves nothing. And whoever shakes, joins or leaves last could choose among "
                "dice, if they're in league with whoever runs me: so shake late yourself."
            ),
        ]
        return [*lines, Line(folded(w.say("how?"), *how))]

    def on_page(self, page: PageFormat) -> tuple[Literal["seal"], SealFields]:
        return "seal", {"sealed": self.commitment, "lines": lines_of(self, page.w)}


class FairDiceAnswer(StrEnum):
    """The answers to the requests."""

    SEALED = "sealed"
    STIRRED = "stirred"
    RECORD_ABOVE = "record_above"


class FairDiceAnswerNotice(FeatureToast):
    """Answers the person who shakes or checks the dice."""

    kind: Literal["fair_dice_answer"] = "fair_dice_answer"
    answer: FairDiceAnswer
    seal: str = ""
    """The published commitment in digits."""
    sign: str = ""

    def lines(self, f: Format) -> list[Line]:
        """Return the answer to a person who shakes or checks the dice."""
        w, texted = f.w, f.medium is Medium.TEXT
        match self.answer:
            case FairDiceAnswer.STIRRED:
                what = stir_figure(self.sign, f.letters) if texted else self.sign
                return [Line(w.say("{what} is in the dice. Seal: {seal}", what=what, seal=self.seal))]
            case FairDiceAnswer.SEALED if texted:
                how = w.say("Dice sealed: {seal}. To shake them text STIR and a number from 1 to 12.", seal=self.seal)
                return [Line(how)]
            case FairDiceAnswer.SEALED:
                return [Line(w.say("To shake the dice, tap signs in the chat."))]
            case FairDiceAnswer.RECORD_ABOVE:
                return [Line(w.say("The file is above already. Scroll up a little!"))]


class DiceCheckNotice(FeatureNotice):
    """The result of the check at the end of a game whose dice players have shaken."""

    kind: Literal["dice_check"] = "dice_check"
    card_slot = "over"
    passed: bool
    """Whether every roll was computed again and follows from the seal and the stirs."""
    secret: str
    stirs: tuple[StirView, ...]

    def lines(self, f: Format) -> list[Line]:
        """Return the sentence on the dice for the group, with the proof folded below."""
        w, sentence = f.w, check_sentence(self, f.w)
        if not self.passed:
            return [Line(sentence, rank=None)]
        secret = w.say("Secret: {secret}", secret=f"<code>{self.secret}</code>")
        return [Line(folded(f"{sentence} · {w.say('how?')}", *stirs_line(self.stirs, w), secret), rank=None)]

    def on_page(self, page: PageFormat) -> tuple[Literal[""], CheckFields]:
        return "", {"dice": check_sentence(self, page.w)}


class RecordNotice(GameRecord, FileNotice):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"

    def lines(self, f: Format) -> list[Line]:
        """Return how to check the dice of the game in the file."""
        command = verify_command(self.name)
        said = [_checked(self, f.w), *stirs_line(self.stirs or (), f.w, most=MOST_CHECKED)]
        if self.stirs:
            said.append(
                f.w.say(
                    "{name} shook last. Only together with the person who runs me could they have chosen the dice.",
                    name=f.name(self.stirs[-1].name),
                )
            )
        said.append(folded(f.w.say("For the curious: on a computer, {command} checks every roll.", command=command)))
        return [Line(each, rank=None) for each in said]


MOST_CHECKED: Final = 360
"""The maximum length of the list of stirs below the file."""


def check_sentence(notice: DiceCheckNotice, w: Catalogue) -> str:
    """Return one sentence on the dice of a finished game, the same in every channel."""
    if not notice.passed:
        return "⚠️ " + w.say("The dice don't fit their seal. Tap <b>Check the dice</b>.")
    return "🎲 " + w.say("Dice checked: no one chose them")


def _checked(notice: RecordNotice, w: Catalogue) -> str:
    """Return the result of the bot's own check, good or bad."""
    if notice.failed:
        return w.say(
            "⚠️ The check failed: these dice don't follow from the seal and from what you shook in. The file shows "
            "the game."
        )
    if notice.rolls is None:
        return w.say("📜 The whole game, and the secret behind its dice.")
    if not notice.stirs:
        return "🎲 " + w.say("No one shook these dice: you have only my word for them.")
    return w.count(
        "✅ No one chose these dice: the only roll follows from the seal and from what you shook in.",
        "✅ No one chose these dice: all {n} rolls follow from the seal and from what you shook in.",
        notice.rolls,
    )


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of the lobby on pages."""
    return {
        "sealed_dice": w.say("Fair dice"),
        "sealed_dice_why": w.say(
            "I seal my secret first, then each of you adds signs. So no one can choose the dice, not even me."
        ),
    }


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
        step = lobby_rules.stir_dice(context.table, context.player_id, self.sign, moment=context.uow.moment)
        return _tell_of_seal(context, step, FairDiceAnswer.STIRRED, self.sign)


def _tell_of_seal(context: TableContext, step: TableChange, done: FairDiceAnswer, sign: str = "") -> Toast | None:
    """Save the step; its answer repeats the seal, so that all people see the same one."""
    if step.events:
        context.save(step)
    if PlainEvent.DICE_SEALED in step.events:
        done, sign = FairDiceAnswer.SEALED, ""
    notice = FairDiceAnswerNotice(answer=done, seal=seal_of(step.table), sign=sign)
    return answer(context.uow, context.intent, context.player, notice)


@dataclass(frozen=True, slots=True)
class SeeRecord(AtAnyStep, TableRequest):
    """Ask for the finished game's record, to check the dice."""

    allowed_while_suspended = True
    buttons = (Button("record"),)

    def handle(self, context: TableContext) -> Toast | None:
        uow, table, player = context.uow, context.table, context.player
        if table.status is not Status.FINISHED:
            raise RejectedError(RejectionReason.NO_GAME)
        where = context.intent.where or context.intent.who
        lately = col(OutboxEntry.created_at) > uow.now - RECORD_SECONDS
        here = col(OutboxEntry.lane) == LaneName(where.channel, where.address)
        if is_sent(uow.session, table.id, RECORD_SLOT, here, lately):
            return answer(uow, context.intent, player, FairDiceAnswerNotice(answer=FairDiceAnswer.RECORD_ABOVE))
        record = RecordNotice(**dict(game_record(uow, table)))
        say(uow, player, record, at=context.intent, about=table.id, slot=RECORD_SLOT)
        return None


_STIRS_A_ROW: Final = 6


def seal_keys(_: SealNotice, __: Catalogue) -> Keys:
    """Return the signs for sealed dice."""
    return rows_of((Key(sign, StirDice(sign)) for sign in SIGNS), _STIRS_A_ROW)


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Below the host's list of options."""
    if not (notice.view.may_seal and notice.to_host and notice.shown_menu is LobbyMenu.NAMES):
        return []
    return [[Key(w.say("Shake the dice"), SealDice(), sign="🎲")]]


def lobby_acts(notice: LobbyNotice, w: Catalogue) -> list[Key]:
    """In the lobby on pages."""
    return [Key(w.say("Seal the secret"), SealDice())] if notice.view.may_seal else []


def game_over_keys(notice: GameOverNotice, w: Catalogue) -> Keys:
    """Below the end of a game in chats; the end of a final has a key for all dice of its tournament."""
    view = notice.view
    if view.secret is None or not (view.again or view.going_on):
        return []
    return [[Key(w.say("Check the dice"), SeeRecord(), sign="🔐")]]


SEAL_SLOT: Final = "seal"
GATHER_STIRS_SECONDS: Final = 2
"""How long stirs are gathered into one edit of the lobby's message."""


def announce_seal(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Tell of a new seal and of stirs; the signs go when the lobby ends. A phone reads of both if it asks."""
    before, table, events = committed.before, committed.step.table, committed.step.events
    if before is None or before.status is not Status.LOBBY:
        return
    if table.status is not Status.LOBBY:
        withdraw(outbox.uow, outbox.chat, SEAL_SLOT, about=table.id, keeps_words=True)
    elif PlainEvent.DICE_SEALED in events and (commitment := commitment_of(table)) is not None:
        withdraw(outbox.uow, outbox.chat, SEAL_SLOT, about=table.id, keeps_words=True)
        # A message of its own, because the lobby's message is edited: an edit could replace the seal after the stirs,
        # and the messenger would not show that the text was another one.
        notice = SealNotice(table=table.id, commitment=commitment)
        say(outbox.uow, outbox.chat, notice, about=outbox, slot=SEAL_SLOT)
    if PlainEvent.DICE_STIRRED in events:
        outbox.uow.mark_table(table.id, at=outbox.uow.now + GATHER_STIRS_SECONDS)


def dice_check_of(uow: UnitOfWork, _: GameTable, table: Table) -> DiceCheckNotice | None:
    """Return the check of a finished game's dice, or None if no player shook them: then the bot alone chose them."""
    if table.secret is None or not table.stirs:
        return None
    passed = game_record(uow, table).rolls is not None
    return DiceCheckNotice(passed=passed, secret=table.secret, stirs=stirred(table))


_SEAL: Final = Extension(SealNotice, keys=seal_keys)
_LOBBY: Final = Extension(LobbyNotice, keys=lobby_keys, acts=lobby_acts)
_GAME_OVER: Final = Extension(GameOverNotice, keys=game_over_keys, part=dice_check_of)

FEATURE: Final = Feature(
    "fair_dice",
    place=110,
    requests=(StirDice, SealDice, SeeRecord),
    extensions=(_SEAL, _LOBBY, _GAME_OVER),
    page=PagePart(Path(__file__).with_name("static"), page_words),
    announce=announce_seal,
)
