"""Serve an intent at each table that it concerns, before its part that concerns only the person."""

from contextlib import suppress
from dataclasses import replace
from typing import Final

from sqlmodel import col, select

from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.switches import SWITCHES
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.handlers.settings import SETTINGS, Choose, is_chosen, store_choice
from telegram_bot.service.handlers.table_context import TableContext, has_own_name
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, Player
from telegram_bot.tables.events import RejectedError, TableChange
from telegram_bot.tables.faces import Face

_ON_SEATS: Final = ("quiet", "name", "face")
"""The settings that each seat of the person has."""


def _concerns_tables(intent: i.Intent, channels: ChannelDirectory) -> bool:
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


def serve_at_tables(uow: UnitOfWork, intent: i.Intent) -> i.Intent:
    """Serve the intent at the tables that it concerns; return the intent for the person's own part."""
    concerned = _concerns_tables(intent, uow.channels)
    player = uow.find_player(intent.who.channel, intent.who.address) if concerned else None
    if player is None:
        return intent
    if isinstance(intent.request, Choose):
        if intent.tapped is not None and is_chosen(uow, intent, player, intent.request):
            return replace(intent, tapped=None)  # a messenger refuses an edit without a change
        if intent.request.to_all or not (intent.request.name in _ON_SEATS or _resends_hand(intent.request)):
            return intent
    in_chat = isinstance(intent.request, i.MemberLeft)
    rows = _live_tables_of_chat(uow, intent) if in_chat else uow.live_tables_of(player)
    was_refused = player.direct == DirectMessages.REFUSED
    uow.ensure_player(intent.who)
    for row in rows:
        if row.live and (in_chat or load_table(row).seat_of(player.id) is not None):
            _serve_at_table(uow, intent, row, player, was_refused=was_refused)
    return intent


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


def _serve_at_table(uow: UnitOfWork, intent: i.Intent, row: GameTable, player: Player, *, was_refused: bool) -> None:
    """Serve the intent at one of the tables. `was_refused`: no private message has reached the person so far."""
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
        uow.mark_table(table.id)
