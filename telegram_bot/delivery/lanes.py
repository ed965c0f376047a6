"""Who drains a lane: found, held for as long as its holder shows signs of life, taken over from the dead."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func, or_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from telegram_bot.storage.rows import OPEN_NOTICES, Lane, Outbox, Sending

SEND_SECONDS = 10.0
"""How long one send may take before its fate counts as unknown."""

LEASE_SECONDS = SEND_SECONDS + 5.0
"""How long a worker holds a lane without a sign of life: longer than any send, so that two never send at once."""


def with_work(session: Session, channels: Iterable[str], now: float) -> list[str]:
    """Lanes that nobody drains and whose first notice can be sent, or was being sent by a dead worker."""
    names = set(channels)
    return [lane for lane in session.exec(waiting(now)) if lane.partition(":")[0] in names]


def waiting(now: float) -> SelectOfScalar[str]:
    """The question asked all the time, so it goes by the index of what is open and never over the past."""
    first = select(func.min(Outbox.id)).where(OPEN_NOTICES).group_by(col(Outbox.lane))
    busy = (
        select(Lane.name)
        .where(Lane.name == Outbox.lane, or_(col(Lane.leased_until) > now, col(Lane.paused_until) > now))
        .exists()
    )
    return select(Outbox.lane).where(
        col(Outbox.id).in_(first), or_(col(Outbox.not_before) <= now, col(Outbox.status) == Sending.SENDING), ~busy
    )


def hold(session: Session, name: str, holder: str, now: float) -> Lane | None:
    """Take the lane, or extend the own lease on it; None when another worker holds it or it rests.

    The row stays locked until the transaction ends: whoever marks a notice as under way in it is the only one.
    """
    lane = _locked(session, name)
    if lane.holder != holder and lane.leased_until > now:
        return None
    if lane.paused_until > now:
        release(lane)
        return None
    lane.holder, lane.leased_until, lane.paused_until = holder, now + LEASE_SECONDS, 0
    return lane


def _locked(session: Session, name: str) -> Lane:
    lane = session.get(Lane, name, with_for_update=True)
    if lane is None:
        insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
        session.execute(insert(Lane).values(name=name).on_conflict_do_nothing())
        lane = session.get_one(Lane, name, with_for_update=True)
    return lane


def release(lane: Lane) -> None:
    """Give the lane back."""
    lane.holder, lane.leased_until = None, 0


def let_go(session: Session, name: str, holder: str) -> None:
    """Give the lane back if it is still held."""
    session.execute(
        update(Lane).where(col(Lane.name) == name, col(Lane.holder) == holder).values(holder=None, leased_until=0)
    )


def release_all(session: Session) -> None:
    """End every lease: for a database that only one process may use, those of its earlier life are void."""
    session.execute(update(Lane).values(holder=None, leased_until=0))


def pause(session: Session, name: str, until: float) -> None:
    """Rest this lane alone."""
    session.execute(
        update(Lane).where(col(Lane.name) == name, col(Lane.paused_until) < until).values(paused_until=until)
    )
