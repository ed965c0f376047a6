"""Read the context of a voice note before recognition. Only a limit's count is changed."""

from dataclasses import dataclass
from typing import Final

from telegram_bot.intents.intents import Intent, NoteOutcome, SpokenWord, VoiceNote
from telegram_bot.intents.request import Fits
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.quotas import MINUTE, MUTE_SECONDS, person_key
from telegram_bot.service.table_lookup import choose_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.rate_limit import take
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.play import heard_calls
from telegram_bot.tables.turn_clock import NOTE_SECONDS
from telegram_bot.tables.views import HandView, hand_view, table_view
from telegram_bot.words.languages import nearest_language

BURST: Final = 3
"""The number of one person's notes that are accepted at once."""


@dataclass(frozen=True, slots=True)
class NoteContext:
    """The possible words of a player at this moment, and the languages: the player's first, then the table's."""

    table: int
    step: int
    seat: int
    calls: tuple[SpokenWord, ...]
    languages: tuple[str, ...]
    confirms: bool
    """Whether the player can confirm a call that was recognised before."""
    clock_must_wait: bool
    """Whether the player's clock may expire during recognition."""


def note_context(uow: UnitOfWork, intent: Intent, *, notes_per_minute: int) -> NoteContext | NoteOutcome:
    """Return the context of a voice note; or why it is not recognised. A person without a game gets no row."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    row = None if player is None else _table_of(uow, intent, player)
    if player is None or row is None:
        return NoteOutcome.NOBODY
    table = load_table(row)
    seat = table.seat_of(player.id)
    if seat is None or not table.in_play(seat) or table.suspension is not None or uow.unrevealed(row) is not None:
        return NoteOutcome.NOBODY
    on_turn = table.game is not None and table.game.turn == seat
    if isinstance(intent.request, VoiceNote) and intent.request.overheard and not on_turn:
        return NoteOutcome.NOBODY
    if notes_per_minute and not take(
        uow.session, _key(intent), interval=MINUTE / notes_per_minute, burst=BURST, now=uow.now
    ):
        key = f"{_key(intent)}:told"
        was_warned = not take(uow.session, key, interval=MUTE_SECONDS, burst=1, now=uow.now)
        return NoteOutcome.IGNORED if was_warned else NoteOutcome.TOO_MANY
    return NoteContext(
        table=table.id,
        step=table.step,
        seat=seat,
        calls=_calls(table, seat, in_group=intent.where is not None),
        languages=_languages(uow, player, row),
        confirms=intent.where is None and len(heard_calls(table, player.id, now=uow.now)) == 1,
        clock_must_wait=on_turn and table.running.ends is not None and table.running.ends < uow.now + NOTE_SECONDS,
    )


def _table_of(uow: UnitOfWork, intent: Intent, player: Player) -> GameTable | None:
    rows = [row for row in uow.live_tables_of(player) if row.status != Status.LOBBY]
    if intent.where is not None:
        here = (intent.where.channel, intent.where.address, intent.where.topic)
        chats = ((row, uow.chat_of(row)) for row in rows)
        return next((row for row, chat in chats if (chat.channel, chat.address, chat.topic) == here), None)
    return choose_table(uow, intent, player, rows, Fits.TURN)


def _key(intent: Intent) -> str:
    return f"{person_key(intent.who.channel, intent.who.address)}:notes"


def _calls(table: Table, seat: int, *, in_group: bool) -> tuple[SpokenWord, ...]:
    """Return the legal calls; for a group only public bids, because all its members read the question."""
    hand: HandView = hand_view(table, seat)
    bids = (table_view(table) if in_group else hand.table).raises if hand.on_turn else ()
    calls = [f"{quantity}x{face}" for quantity, face in bids]
    if hand.may_dudo:
        calls.append("dudo")
    if hand.may_calza:
        calls.append("calza")
    return tuple(calls)


def _languages(uow: UnitOfWork, player: Player, row: GameTable) -> tuple[str, ...]:
    spoken = (uow.language_for(player), uow.language_of(uow.chat_of(row)))
    known = uow.config.languages
    nearest = (nearest_language(language, known) or language if known else language for language in spoken)
    return tuple(dict.fromkeys(nearest))
