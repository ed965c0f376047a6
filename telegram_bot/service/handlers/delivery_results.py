"""What delivery learns from a channel's answers, and what that means for people, chats and tables."""

from __future__ import annotations

from sqlalchemy import update
from sqlmodel import col, select

from telegram_bot.service.announcer import Announcer
from telegram_bot.service.members import make_deaf
from telegram_bot.service.notices import Envelope, HandNotice, ReminderNotice
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import Chat, DirectMessages, Player, PrivateView
from telegram_bot.tables.model import Status


def private_way_failed(
    work: Work, envelope: Envelope, table_id: int | None, *, everybody: bool = False, once: bool = False
) -> None:
    """A private notice was refused: remember it, take the player's next way, or open the table's own keyboard.

    `everybody`: no ephemeral message works in that chat; `once`: only this one came too late.
    """
    if envelope.receiver is not None and everybody:
        query = select(Chat).where(Chat.channel == envelope.channel, Chat.address == envelope.chat)
        for place in work.session.exec(query):
            if envelope.query is None:
                place.ephemeral = False
            else:
                place.ephemeral_replies = False
    address = envelope.receiver if envelope.receiver is not None else envelope.chat
    player = work.known(envelope.channel, address)
    if player is None:
        return
    if player.channel != envelope.channel:
        player.view = PrivateView.AUTO  # the phone takes no texts any more: back to the person's own channel
    elif envelope.receiver is None:
        player.direct = DirectMessages.REFUSED
    elif not everybody and not once:
        make_deaf(work, envelope.channel, envelope.chat, player.id or 0)
    work.session.flush()
    if table_id is not None:
        _try_next_way(work, player, envelope, table_id)


def _try_next_way(work: Work, player: Player, envelope: Envelope, table_id: int) -> None:
    row = work.table_row(table_id)
    if row is None or row.status != Status.PLAYING:
        return
    table = read(row)
    seat = None if player.id is None else table.seat_of(player.id)
    if seat is None or not table.in_play(seat):
        return
    announcer = Announcer(work, row, work.chat_of(row))
    if isinstance(envelope.notice, ReminderNotice) and table.clock_ends == envelope.notice.clock_ends:
        announcer.remind(table, seat)
    if not isinstance(envelope.notice, HandNotice):
        return
    if envelope.notice.deal == table.deals and not announcer.hand(table, seat, fresh=True, news=True):
        announcer.round(table, news=True)


def direct_works(work: Work, channel: str, address: int) -> None:
    """A direct message got through."""
    work.session.execute(
        update(Player)
        .where(
            col(Player.channel) == channel,
            col(Player.address) == address,
            col(Player.direct) == DirectMessages.UNKNOWN,
        )
        .values(direct=DirectMessages.OPEN)
    )
