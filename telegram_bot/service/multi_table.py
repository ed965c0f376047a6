"""Split an intent about several tables into one transaction for each table.

Each table's part has a cause of its own, so that a repetition changes nothing. The intent counts as done after the last
part, which concerns only the person.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlmodel import col, select

from telegram_bot.service import intents as i
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.channel_traits import ChannelDirectory
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.handlers.settings import SETTINGS, Choose, is_chosen, store_choice
from telegram_bot.service.handlers.table_context import TableContext, has_own_name
from telegram_bot.service.repositories import load_table
from telegram_bot.service.switches import SWITCHES
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, Player
from telegram_bot.tables.events import RejectedError, TableChange
from telegram_bot.tables.faces import Face


@dataclass(frozen=True, slots=True)
class MultiTablePlan:
    """The tables of an intent. `was_refused`: no private message has reached the person so far."""

    tables: tuple[int, ...] = ()
    was_refused: bool = False
    changes_nothing: bool = False
    """Whether the tapped settings show the choice already: a messenger refuses an edit without a change."""


_ON_SEATS: Final = ("quiet", "name", "face")
"""The settings that each seat of the person has."""


def needs_multi_table_step(intent: i.Intent, channels: ChannelDirectory) -> bool:
    """Return True if the intent may concern several tables."""
    match intent.request:
        case i.MemberLeft() | StartPrivateChat():
            return True
        case Choose(name=name) if name in _ON_SEATS or intent.tapped is not None:
            return True
        case Choose(to_all=False) as request:
            # Sending the dice of each table again would cost money.
            return _resends_hand(request) and not channels.traits(intent.who.channel).paid
        case _:
            return False


def _resends_hand(request: Choose) -> bool:
    """Return True if the person's dice look or sound different from now on."""
    if request.name in SWITCHES:
        return SWITCHES[request.name].by_ear and request.value is True
    return SETTINGS[request.name].resends_hand


def plan_for(uow: UnitOfWork, intent: i.Intent) -> MultiTablePlan:
    """Return the tables of the intent."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    if player is None:
        return MultiTablePlan()
    if isinstance(intent.request, Choose):
        if intent.tapped is not None and is_chosen(uow, intent, player, intent.request):
            return MultiTablePlan(changes_nothing=True)
        if intent.request.to_all or not (intent.request.name in _ON_SEATS or _resends_hand(intent.request)):
            return MultiTablePlan()
    rows = uow.live_tables_of(player)
    if isinstance(intent.request, i.MemberLeft):
        rows = _live_tables_of_chat(uow, intent)
    return MultiTablePlan(tuple(row.id for row in rows), player.direct == DirectMessages.REFUSED)


def _live_tables_of_chat(uow: UnitOfWork, intent: i.Intent) -> list[GameTable]:
    """Return the live tables of all the chat's topics."""
    if intent.where is None:
        return []
    query = (
        select(GameTable)
        .join(Chat, col(Chat.id) == col(GameTable.chat_id))
        .where(Chat.channel == intent.where.channel, Chat.address == intent.where.address, col(GameTable.live))
        .order_by(col(GameTable.id))
    )
    return list(uow.session.exec(query))


def run_at_table(uow: UnitOfWork, intent: i.Intent, table: int, *, was_refused: bool) -> None:
    """Handle the intent at one of the tables."""
    player = uow.ensure_player(intent.who)
    row = uow.table_by_id(table)
    if row is None or not row.live:
        return
    if load_table(row).seat_of(player.id) is None and not isinstance(intent.request, i.MemberLeft):
        return
    match intent.request:
        case i.MemberLeft():
            with suppress(RejectedError):  # they may be out of this game and still play in another topic
                Leave(confirmed=True).handle(TableContext(uow, row, intent, player))
        case Choose(name="name", value=str(name)):
            if name and has_own_name(intent, player):
                TableContext(uow, row, intent, player).rename_seat(name)
        case Choose(name="face", value=Face() as face):
            TableContext(uow, row, intent, player).change_face(face)
        case Choose(name="quiet") as request:
            store_choice(uow, player, request)
            before = load_table(row)
            seat = before.seat_of(player.id)
            assert seat is not None  # noqa: S101 - looked at above
            uow.commit_step(row, before, TableChange(before.with_seat(seat, quiet=request.value)))
        case Choose() as request:
            store_choice(uow, player, request)
            _resend_hand(uow, row, intent, player, to_group=False)
        case StartPrivateChat():
            player.direct = DirectMessages.OPEN
            uow.session.flush()
            _resend_hand(uow, row, intent, player, to_group=was_refused)


def _resend_hand(uow: UnitOfWork, row: GameTable, intent: i.Intent, player: Player, *, to_group: bool) -> None:
    """Send the player their dice again. `to_group`: show the table's message again, without bids or the link."""
    table = load_table(row)
    seat = table.seat_of(player.id)
    if seat is None or not table.in_play(seat):
        return
    if TableContext(uow, row, intent, player).return_if_away():
        return  # taking the seat back has sent the dice
    outbox = TableOutbox(uow, row, uow.chat_of(row))
    outbox.send_hand(table, seat)
    if to_group:
        outbox.show_round(table)
