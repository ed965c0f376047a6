"""Shouts: six quick shouts that a television shows, and the few words with which a player without a page has called."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal, NotRequired

from sqlmodel import Session, col, select
from typing_extensions import TypedDict

from perudo_core import Bid, Call, Calza, Dudo
from telegram_bot.feature import Feature
from telegram_bot.intents.forms import Act
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import TellsNothing
from telegram_bot.notices import AnswerNotice, PageFormat, PublicNotice, Toast
from telegram_bot.presentation.features import PagePart
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import has_screen
from telegram_bot.screens.routes import room_of
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.table_lookup import find_table
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.key_value import delete_of_deleted_chats
from telegram_bot.storage.models import Chat, GameTable, KeyValue, OutboxEntry, Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line

PAUSE_SECONDS: Final = 3.0
"""The least time between two shouts of a person."""
LATEST_SECONDS: Final = 10.0
"""A shout that could not be sent for so long is dropped."""
MOST_WORDS: Final = 3
"""The most words of a text that the television shows: no more than a call needs, so that none tells of dice."""
_MUTED: Final = "shouts_muted:"


class Word(StrEnum):
    """The six shouts."""

    BRAVO = "bravo"
    NO_WAY = "no_way"
    LIAR = "liar"
    HA_HA = "ha_ha"
    GOOD_LUCK = "good_luck"
    HURRY = "hurry"


class ShoutFields(TypedDict):
    """A bubble, or whether shouts are muted."""

    at_once: bool
    player: int | None
    muted: bool
    name: NotRequired[str]
    said: NotRequired[str]
    word: NotRequired[str | None]


class ShoutNotice(PublicNotice):
    """For pages alone: a bubble. Without a player: whether the host has muted shouts."""

    kind: Literal["shout"] = "shout"
    card_slot = "shout"
    player: int | None = None
    name: str = ""
    word: Word | None = None
    text: str = ""
    """In place of a shout: the words that the player has texted."""
    muted: bool = False

    def lines(self, f: Format) -> list[Line]:
        """Return the shout with the name of its author, or whether shouts are muted."""
        if self.player is None:
            return [Line(f.w.say("Shouts are muted.") if self.muted else f.w.say("Shouts are welcome again."))]
        name, said = f.name(self.name), f.name(_said(self, f.w))
        return [Line(f.w.say("{name} texts: {words}", name=name, words=said) if self.text else f"{name}: {said}")]

    def on_page(self, page: PageFormat) -> tuple[Literal["shout"], ShoutFields]:
        """Return the card of the bubble, which no reveal keeps back."""
        card: ShoutFields = {"at_once": True, "player": self.player, "muted": self.muted}
        if self.player is None:
            return "shout", card
        return "shout", {**card, "name": self.name, "said": _said(self, page.w), "word": self.word}


NO_SCREEN: Final = AnswerNotice(sentence=mark("No television shows this table now."))
MUTED: Final = AnswerNotice(sentence=mark("The host has muted shouts for this evening."))
TOO_SOON: Final = AnswerNotice(sentence=mark("One shout at a time: wait a moment."))


@dataclass(frozen=True, slots=True)
class Shout(TellsNothing, PersonRequest):
    """Shout one of six words."""

    at_one_table = True
    acts = (Act("shout", "word"),)

    word: Word

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the shout on the television, a few seconds after the person's last one at the earliest."""
        row = find_table(uow, intent, player)
        outbox = TableOutbox(uow, row, uow.chat_of(row))
        if not has_screen(uow.session, row.chat_id, uow.now):
            return NO_SCREEN
        if _is_muted(uow, outbox.chat):
            return MUTED
        slot = f"shout:{player.id}"
        lately = col(OutboxEntry.created_at) > uow.now - PAUSE_SECONDS, OutboxEntry.slot == slot
        if uow.session.exec(select(OutboxEntry.id).where(OutboxEntry.table_id == row.id, *lately)).first() is not None:
            return TOO_SOON
        notice = ShoutNotice(player=player.id, name=_name_at(row, player), word=self.word)
        _shout(outbox, notice, slot)
        return None


@dataclass(frozen=True, slots=True)
class MuteShouts(TellsNothing, PersonRequest):
    """Mute all shouts for this evening, or allow them again, for the host only."""

    at_one_table = True
    acts = (Act("mute_shouts", "muted"),)

    muted: bool

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Note the host's wish, and tell all pages.

        Raises:
            RejectedError: the person is not the host.
        """
        row = find_table(uow, intent, player)
        if load_table(row).host != player.id:
            raise RejectedError(RejectionReason.NOT_HOST)
        outbox = TableOutbox(uow, row, uow.chat_of(row))
        since = repr(outbox.chat.plays_since) if self.muted else ""
        uow.session.merge(KeyValue(key=f"{_MUTED}{row.chat_id}", value=since))
        at = room_of(outbox.chat, uow.channels)
        say(uow, outbox.chat, ShoutNotice(muted=self.muted), about=outbox, at=at, slot="shouts")


def _is_muted(uow: UnitOfWork, chat: Chat) -> bool:
    row = uow.session.get(KeyValue, f"{_MUTED}{chat.id}")
    return row is not None and row.value == repr(chat.plays_since)


def prune(session: Session, _: float) -> None:
    """Delete the hosts' wishes about deleted chats."""
    delete_of_deleted_chats(session, _MUTED)


def _name_at(row: GameTable, player: Player) -> str:
    """Return the name on the person's seat, which tells two Anas apart, or their own name."""
    table = load_table(row)
    seat = table.seat_of(player.id)
    return player.name if seat is None else table.seats[seat].name


def show_texted_call(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Show the words with which a player has called by text message, as a bubble at their seat."""
    uow, table = outbox.uow, committed.step.table
    calls = [action for action in committed.step.actions if isinstance(action, Bid | Dudo | Calza)]
    words = None if uow.texted is None or not calls else shown_words(uow.texted, calls[0])
    if words is None or not has_screen(uow.session, outbox.chat.id, uow.now) or _is_muted(uow, outbox.chat):
        return
    seat = table.seats[calls[0].seat]
    notice = ShoutNotice(player=seat.player, name=seat.name, text=words)
    _shout(outbox, notice, f"shout:{seat.player}")


def _shout(outbox: TableOutbox, notice: ShoutNotice, slot: str) -> None:
    """Show it at once: it waits for no dice."""
    uow, at = outbox.uow, room_of(outbox.chat, outbox.uow.channels)
    until = uow.now + LATEST_SECONDS
    say(uow, outbox.chat, notice, about=outbox.table_id, at=at, slot=slot, until=until)


def shown_words(text: str, call: Call) -> str | None:
    """Return the words of a call as they were texted, or None if they could say more than the call does."""
    words = " ".join(text.split())
    said = f"{call.quantity}{call.face}" if isinstance(call, Bid) else ""
    is_short = len(words.split()) <= MOST_WORDS and len(words) <= 10 * MOST_WORDS
    return words if is_short and set(re.sub(r"\D", "", words)) <= set(said) else None


# Words


def _word(word: Word, w: Catalogue) -> str:
    return {
        Word.BRAVO: w.say("Bravo!"),
        Word.NO_WAY: w.say("No way!"),
        Word.LIAR: w.say("Liar!"),
        Word.HA_HA: w.say("Ha ha!"),
        Word.GOOD_LUCK: w.say("Good luck!"),
        Word.HURRY: w.say("Hurry up!"),
    }[word]


def _said(notice: ShoutNotice, w: Catalogue) -> str:
    return notice.text if notice.word is None else _word(notice.word, w)


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of pages."""
    shouts = {f"shout_{word}": _word(word, w) for word in Word}
    return shouts | {"shouts": w.say("Shout on the television"), "mute_shouts": w.say("Mute shouts")}


FEATURE: Final = Feature(
    "shouts",
    place=50,
    requests=(Shout, MuteShouts),
    page=PagePart(Path(__file__).with_name("static"), page_words),
    announce=show_texted_call,
    prune=prune,
)
