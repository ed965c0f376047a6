"""Lane leases: one worker at a time sends the notices of a chat, and a dead worker's lease expires."""

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import and_, func, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import OPEN_NOTICES, Lane, NoticeStatus, OutboxEntry

SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""

LEASE_SECONDS = 8.0
"""How long a lease lasts if it is not extended: so long a chat waits for a worker that died or is frozen."""
RENEW_SECONDS = 3.0
"""How long after its beginning a lease is extended, while the worker is sending."""


_AWAITED: Final = aliased(OutboxEntry)
_AWAITED_IS_OPEN: Final = (
    select(_AWAITED.id)
    .where(_AWAITED.id == OutboxEntry.waits_for, col(_AWAITED.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING)))
    .exists()
)
UNHELD_NOTICES: Final = and_(OPEN_NOTICES, or_(col(OutboxEntry.waits_for).is_(None), ~_AWAITED_IS_OPEN))
"""The condition of notices that wait for no other one. However the awaited one ended, nothing need release them."""


def waiting(now: float) -> SelectOfScalar[str]:
    """The query for lanes with work. It runs all the time, so it reads the index of open notices alone."""
    first = select(func.min(OutboxEntry.id)).where(UNHELD_NOTICES).group_by(col(OutboxEntry.lane))
    resting = or_(col(Lane.leased_until) > now, col(Lane.paused_until) > now)
    return select(OutboxEntry.lane).where(
        col(OutboxEntry.id).in_(first),
        or_(col(OutboxEntry.not_before) <= now, col(OutboxEntry.status) == NoticeStatus.SENDING),
        ~select(Lane.name).where(Lane.name == OutboxEntry.lane, resting).exists(),
    )


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[str]:
    """Lanes without a valid lease whose first notice can be sent now, or was left in mid-send by a dead worker."""
    names = set(channels)
    return [lane for lane in session.exec(waiting(now)) if lane.partition(":")[0] in names]


def lock(session: Session, names: Collection[str]) -> list[Lane]:
    """Lock the rows of these lanes until the transaction ends, so that one worker at a time decides about a lane."""
    in_one_order = select(Lane).where(col(Lane.name).in_(names)).order_by(col(Lane.name))  # nobody waits in a circle
    query = in_one_order.with_for_update().execution_options(populate_existing=True)
    found = session.exec(query).all()
    if len(found) < len(names):
        missing = sorted(set(names).difference(lane.name for lane in found))
        fresh = [Lane(name=name).model_dump() for name in missing]
        session.execute(insert_into(session, Lane).values(fresh).on_conflict_do_nothing())
        found = session.exec(query).all()
    return list(found)


def extend(session: Session, names: Collection[str], holder: str, now: float) -> None:
    """Extend the worker's leases on these lanes, unless another worker has taken them over."""
    mine = (col(Lane.name).in_(names), col(Lane.holder) == holder)
    session.execute(update(Lane).where(*mine).values(leased_until=now + LEASE_SECONDS))


def release_all(session: Session, holder: str | None = None) -> None:
    """End the leases of one worker, or all in a database that only one process may use: those of its last run."""
    mine = () if holder is None else (col(Lane.holder) == holder,)
    session.execute(update(Lane).where(*mine).values(holder=None, leased_until=0))
