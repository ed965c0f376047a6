"""Handle the results of private messages: routes that failed, and routes that work."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, update
from sqlmodel import col, select

from telegram_bot.service.members import mark_ephemeral_unreachable
from telegram_bot.service.notices import Envelope, HandNotice, ReminderNotice
from telegram_bot.service.records import load_table
from telegram_bot.service.system_intents import PrivateRouteFailed
from telegram_bot.service.table_outbox import TableOutbox
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, DirectMessages, Player, PrivateView
from telegram_bot.storage.statements import Statement
from telegram_bot.tables.model import Status


def private_route_failed(uow: UnitOfWork, failed: PrivateRouteFailed) -> None:
    """Remember that a private notice was refused; take the player's next way, or ask them in the table's message."""
    envelope = failed.envelope
    if envelope.receiver is not None and failed.everybody:
        query = select(Chat).where(Chat.channel == envelope.channel, Chat.address == envelope.chat)
        for place in uow.session.exec(query):
            if envelope.reply_handle is None:
                place.ephemeral = False
            else:
                place.ephemeral_replies = False
    address = envelope.receiver if envelope.receiver is not None else envelope.chat
    player = uow.find_player(envelope.channel, address)
    if player is None:
        return
    if player.channel != envelope.channel:
        player.view = PrivateView.AUTO  # the phone refuses texts: use the person's own channel again
    elif envelope.receiver is None:
        player.direct = DirectMessages.REFUSED
    elif not failed.everybody and not failed.once:
        mark_ephemeral_unreachable(uow, envelope.channel, envelope.chat, player.id or 0)
    uow.session.flush()
    if failed.table is not None:
        _try_next_route(uow, player, envelope, failed.table)


def _try_next_route(uow: UnitOfWork, player: Player, envelope: Envelope, table_id: int) -> None:
    row = uow.lock_table(table_id)
    if row is None or row.status != Status.PLAYING:
        return
    table = load_table(row)
    seat = None if player.id is None else table.seat_of(player.id)
    if seat is None or not table.in_play(seat):
        return
    outbox = TableOutbox(uow, row, uow.chat_of(row))
    if isinstance(envelope.notice, ReminderNotice) and table.clock_ends == envelope.notice.clock_ends:
        outbox.send_reminder(table, seat)
    if not isinstance(envelope.notice, HandNotice):
        return
    if envelope.notice.deal == table.deals and not outbox.send_hand(table, seat, news=True):
        outbox.send_round(table, news=True)


def private_route_works(uow: UnitOfWork, channel: str, address: int) -> None:
    """A direct message got through."""
    _OPEN_ROUTE.all(uow.session, {"the_channel": channel, "the_address": address})


_OPEN_ROUTE: Final = Statement(
    update(Player)
    .where(
        col(Player.channel) == bindparam("the_channel"),
        col(Player.address) == bindparam("the_address"),
        col(Player.direct) == DirectMessages.UNKNOWN,
    )
    .values(direct=DirectMessages.OPEN)
)
