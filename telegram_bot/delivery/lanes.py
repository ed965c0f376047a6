"""Lane leases: one worker at a time sends the notices of a chat, and a dead worker's lease expires."""

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import and_, bindparam, case, func, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from telegram_bot.service.posting import Urgency
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import OPEN_NOTICES, Lane, NoticeStatus, OutboxEntry

SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""

LEASE_SECONDS = 8.0
"""How long a lease lasts unless it is extended: a chat waits so long for a worker that died or is frozen."""
RENEW_SECONDS = 3.0
"""A lease is extended this long after its beginning, while the worker is sending."""


_AWAITED: Final = aliased(OutboxEntry)
_AWAITED_IS_OPEN: Final = (
    select(_AWAITED.id)
    .where(_AWAITED.id == OutboxEntry.waits_for, col(_AWAITED.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING)))
    .exists()
)
UNHELD_NOTICES: Final = and_(OPEN_NOTICES, or_(col(OutboxEntry.waits_for).is_(None), ~_AWAITED_IS_OPEN))
"""The condition of notices that wait for no other notice. They become eligible when the awaited notice is settled; no
code releases them."""


def waiting(now: float) -> SelectOfScalar[str]:
    """Return the query for lanes with work. It runs all the time, so it reads the index of open notices only."""
    resting = or_(col(Lane.leased_until) > now, col(Lane.paused_until) > now)
    return (
        select(OutboxEntry.lane)
        .distinct()
        .where(
            UNHELD_NOTICES,
            or_(col(OutboxEntry.not_before) <= now, col(OutboxEntry.status) == NoticeStatus.SENDING),
            ~select(Lane.name).where(Lane.name == OutboxEntry.lane, resting).exists(),
        )
    )


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[str]:
    """Lanes without a valid lease with a notice that is due, or was left by a worker that died during the send."""
    names = set(channels)
    return [lane for lane in session.exec(waiting(now)) if lane.partition(":")[0] in names]


_LOCKED: Final = (
    select(Lane)
    .where(col(Lane.name).in_(bindparam("names", expanding=True)))
    .order_by(col(Lane.name))  # one order of locks prevents deadlocks
    .with_for_update()
    .execution_options(populate_existing=True)
)


def lock(session: Session, names: Collection[str]) -> list[Lane]:
    """Lock the rows of these lanes until the transaction ends: one worker at a time decides about a lane."""
    wanted = {"names": list(names)}
    found = session.exec(_LOCKED, params=wanted).all()
    if len(found) < len(names):
        missing = sorted(set(names).difference(lane.name for lane in found))
        fresh = [{"name": name, "recent_sends": []} for name in missing]
        session.connection().execute(insert_into(session, Lane).on_conflict_do_nothing(), fresh)
        found = session.exec(_LOCKED, params=wanted).all()
    return list(found)


def with_a_turn(session: Session, names: Collection[str], now: float) -> set[str]:
    """Return the lanes where a turn waits and no worker is sending: the worker that has the lease waits for a limit."""
    is_turn = and_(col(OutboxEntry.urgency_as_new) < Urgency.LATER, col(OutboxEntry.not_before) <= now)
    waits = case((is_turn, 1), else_=0)
    is_sending = case((col(OutboxEntry.status) == NoticeStatus.SENDING, 1), else_=0)
    query = select(OutboxEntry.lane).where(UNHELD_NOTICES, col(OutboxEntry.lane).in_(names))
    query = query.group_by(OutboxEntry.lane).having(func.max(waits) == 1, func.max(is_sending) == 0)
    return set(session.exec(query))


def extend(session: Session, names: Collection[str], holder: str, now: float) -> None:
    """Extend the worker's leases on these lanes, unless another worker has taken them over."""
    mine = (col(Lane.name).in_(names), col(Lane.holder) == holder)
    session.execute(update(Lane).where(*mine).values(leased_until=now + LEASE_SECONDS))


def release_all(session: Session, holder: str | None = None) -> None:
    """End the leases of one worker. In a database with a single process, end all: the last run left them."""
    mine = () if holder is None else (col(Lane.holder) == holder,)
    session.execute(update(Lane).where(*mine).values(holder=None, leased_until=0))
