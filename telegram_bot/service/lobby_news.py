"""Gather changes of a lobby: for a host whose messages are paid for, and of the dice's stirs for everybody."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func
from sqlmodel import Session, col, select

from telegram_bot.service.superseding import drop_waiting, waiting_until
from telegram_bot.storage.models import NoticeStatus, OutboxEntry, Player

GATHERED_SECONDS: Final = 300
"""The least time between two messages about what others did."""
GATHER_STIRS_SECONDS: Final = 2
"""For how long stirs are gathered into one edit of the lobby's message."""


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
    drop_waiting(session, table, col(OutboxEntry.slot) == slot_of(host), now)


def stirs_at(session: Session, lane: str, table: int, slot: str, now: float) -> float:
    """When the lobby's message shows the next stir: together with what waits already. More taps do not postpone it."""
    waiting = waiting_until(session, lane, table, slot)
    return now + GATHER_STIRS_SECONDS if waiting is None else waiting
