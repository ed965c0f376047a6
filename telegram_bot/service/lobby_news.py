"""Gather what others change in a lobby for a host whose messages are paid for."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, null, update
from sqlmodel import Session, col, select

from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import NoticeStatus, OutboxEntry, Player

GATHERED_SECONDS: Final = 300
"""The least time between two messages about what others did."""


def are_gathered_for(uow: UnitOfWork, host: Player) -> bool:
    """Whether private messages to the host cost money."""
    linked = None if host.phone is None else uow.channels.linkable
    return any(uow.traits(channel).paid for channel in (host.channel, linked) if channel is not None)


def slot_of(host: Player) -> str:
    """The slot of what the host is told when others change the lobby."""
    return f"lobby_news:{host.id}"


def earliest(session: Session, table: int, host: Player) -> float:
    """When the host may be told of the next change; 0 means now."""
    told = select(func.max(func.coalesce(OutboxEntry.done_at, OutboxEntry.created_at))).where(
        OutboxEntry.table_id == table,
        OutboxEntry.slot == slot_of(host),
        col(OutboxEntry.status).not_in((NoticeStatus.PENDING, NoticeStatus.SUPERSEDED)),
    )
    last = session.exec(told).one()
    return 0 if last is None else float(last) + GATHERED_SECONDS


def drop(session: Session, table: int, host: Player, now: float) -> None:
    """Send the host nothing that was gathered: something newer is told, or the lobby is over."""
    session.execute(
        update(OutboxEntry)
        .where(
            col(OutboxEntry.table_id) == table,
            col(OutboxEntry.slot) == slot_of(host),
            col(OutboxEntry.status) == NoticeStatus.PENDING,
        )
        .values(status=NoticeStatus.SUPERSEDED, done_at=now, notice=null())
    )
