"""What a person does at several tables at once is done table by table: no transaction of theirs holds two tables.

Each table's part has a cause of its own, so it is done once, however often it is begun again; the whole counts as done
with its last part, which concerns the person alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

from sqlmodel import col, select

from telegram_bot.service.announcer import Announcer
from telegram_bot.service.handlers.game import AtTable
from telegram_bot.service.intents import ChooseLanguage, ChooseQuiet, Intent, LeaveChat, OpenDirect
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import TEXTING, Chat, DirectMessages, GameTable, Player
from telegram_bot.tables.events import DeniedError

_KINDS: Final = (LeaveChat, OpenDirect, ChooseQuiet, ChooseLanguage)


@dataclass(frozen=True, slots=True)
class Errands:
    """The tables where there is something to do; `was_refused`: no private message got through so far."""

    tables: tuple[int, ...] = ()
    was_refused: bool = False


def concerns_several(intent: Intent) -> bool:
    """Whether the intent may concern more than one table."""
    match intent.what:
        case ChooseLanguage(to_all=to_all):
            # In a text message each table's dice would cost one.
            return intent.who.channel != TEXTING and not (to_all and intent.where is not None)
        case what:
            return isinstance(what, _KINDS)


def errands_of(work: Work, intent: Intent) -> Errands:
    """Where there is something to do; locks nothing."""
    player = work.known(intent.who.channel, intent.who.address)
    if player is None:
        return Errands()
    rows = work.live_rows_of(player)
    if isinstance(intent.what, LeaveChat):
        rows = _of_place(work, intent)
    return Errands(tuple(row.id or 0 for row in rows), player.direct == DirectMessages.REFUSED)


def _of_place(work: Work, intent: Intent) -> list[GameTable]:
    """The live tables of all the chat's topics."""
    if intent.where is None:
        return []
    query = (
        select(GameTable)
        .join(Chat, col(Chat.id) == col(GameTable.chat_id))
        .where(Chat.channel == intent.where.channel, Chat.address == intent.where.address, col(GameTable.live))
        .order_by(col(GameTable.id))
    )
    return list(work.session.exec(query))


def run_errand(work: Work, intent: Intent, table: int, *, was_refused: bool) -> None:
    """Do what is to be done at one of the tables."""
    player = work.player(intent.who)
    row = work.table_row(table)
    if row is None or not row.live or read(row).seat_of(player.id or 0) is None:
        return
    match intent.what:
        case LeaveChat():
            with suppress(DeniedError):  # out of the game here; perhaps not in another topic
                AtTable(work, row, intent, player).leave(confirmed=True)
        case ChooseQuiet(quiet=quiet):
            player.quiet = None if quiet is None else asdict(quiet)
            seat = read(row).seat_of(player.id or 0)
            assert seat is not None  # noqa: S101 - looked at above
            row.state = read(row).with_seat(seat, quiet=quiet).model_dump(mode="json")
        case ChooseLanguage(language=language):
            player.chosen_language = language
            work.session.flush()
            _bring_hand(work, row, intent, player, to_group=False)
        case OpenDirect():
            player.direct = DirectMessages.OPEN
            work.session.flush()
            _bring_hand(work, row, intent, player, to_group=was_refused)


def _bring_hand(work: Work, row: GameTable, intent: Intent, player: Player, *, to_group: bool) -> None:
    """Send the dice again; `to_group`: the table offered their bids or a link, and need not any more."""
    table = read(row)
    seat = table.seat_of(player.id or 0)
    if seat is None or not table.in_play(seat):
        return
    if AtTable(work, row, intent, player).heard():
        return  # a seat that is handed back gets its dice with it
    announcer = Announcer(work, row, work.chat_of(row))
    announcer.hand(table, seat, fresh=True)
    if to_group:
        announcer.round(table)


def plays_somewhere(work: Work, player: Player) -> bool:
    """Whether the person has dice at some table."""

    def has_dice(row: GameTable) -> bool:
        table = read(row)
        seat = table.seat_of(player.id or 0)
        return seat is not None and table.in_play(seat)

    return any(map(has_dice, work.live_rows_of(player)))
