"""The notices that wait until a table's chat has seen the end of a round."""

from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import and_, bindparam, func, or_, update
from sqlmodel import Session, col, select

from telegram_bot.service.posting import Awaited, Post
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, NoticeStatus, OutboxEntry
from telegram_bot.tables.result_views import ANIMATION_SECONDS


@dataclass(frozen=True, slots=True)
class RevealDelay:
    """How a notice waits for the call or for the dice in the table's chat."""

    at: float
    """The time at which these are shown."""
    lane: str
    """The lane of the table's chat, which keeps the order by itself."""
    notice: int | None = None
    """The notice that shows them there, or None if it will not be sent, or all messages are in the table's chat."""

    def hold(self, post: Post) -> Post:
        """Return the post with this delay."""
        waits_for = None if post.envelope.lane == self.lane else self.notice
        return replace(post, not_before=max(post.not_before, self.at), held=True, waits_for=waits_for)


_REVEAL: Final = select(func.max(OutboxEntry.id)).where(
    OPEN_NOTICES,
    OutboxEntry.lane == bindparam("lane"),
    OutboxEntry.table_id == bindparam("table"),
    OutboxEntry.awaited == Awaited.REVEAL,
)


def reveal_delay_of(uow: UnitOfWork, row: GameTable, lane: str) -> RevealDelay | None:
    """Return the delay of private notices about a table whose chat has not seen the dice of the last round."""
    at, unseen = float(row.state.get("reveal_at", 0)), uow.unseen_deal(row) is not None
    if not unseen and at <= uow.now:
        return None
    # A notice waits for another one by its number, which only the outbox knows.
    notice = uow.session.exec(_REVEAL, params={"lane": lane, "table": row.id}).one() if unseen else None
    return RevealDelay(max(at, uow.now), lane, notice)


def wait_for_animation(session: Session, reveal: int, now: float) -> None:
    """Count the time of an animation from its arrival, because its upload takes time: the notices after it wait longer.

    After a reveal without an animation, these notices are due already.
    """
    row = session.get(OutboxEntry, reveal, populate_existing=True)
    if row is None or (row.awaited, row.status) != (Awaited.REVEAL, NoticeStatus.SENT):
        return
    lane, table = col(OutboxEntry.lane), col(OutboxEntry.table_id)
    below = and_(lane == row.lane, table == row.table_id, col(OutboxEntry.id) > reveal)
    ends = now + ANIMATION_SECONDS
    session.execute(
        update(OutboxEntry)
        .where(OPEN_NOTICES, col(OutboxEntry.status) == NoticeStatus.PENDING)
        .where(or_(below, col(OutboxEntry.waits_for) == reveal))
        .where(col(OutboxEntry.not_before) > now, col(OutboxEntry.not_before) < ends)
        .values(not_before=ends)
    )


def lanes_waiting_for(session: Session, reveal: int) -> set[str]:
    """Return the lanes in which notices wait for a reveal."""
    waiting = select(OutboxEntry.lane).where(
        OutboxEntry.waits_for == reveal, col(OutboxEntry.status) == NoticeStatus.PENDING
    )
    return set(session.exec(waiting))
