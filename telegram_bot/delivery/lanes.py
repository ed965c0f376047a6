"""Lane leases: one worker at a time sends the notices of a chat, and a dead worker's lease expires."""

import logging
from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import CompoundSelect, Float, and_, bindparam, case, func, or_, union, update
from sqlmodel import Session, col, select

from telegram_bot.service.posting import Urgency
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.database_clock import STEP_SECONDS
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    Lane,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Reader,
    RoundEnd,
    UnreadableLane,
)

log = logging.getLogger(__name__)

SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""

LEASE_SECONDS = 8.0
"""How long a lease lasts unless it is extended: a chat waits so long for a worker that died or is frozen."""
LONGEST_LEASE_SECONDS: Final = LEASE_SECONDS + STEP_SECONDS
"""A lease that ends later was written before the database's clock was set back, perhaps by a worker that died then."""
RENEW_SECONDS = 3.0
"""A lease is extended this long after its beginning, while the worker is sending."""


_DICE_ARE_UNSEEN: Final = (
    select(RoundEnd.deal)
    .where(
        RoundEnd.table_id == OutboxEntry.table_id,
        col(RoundEnd.deal) <= OutboxEntry.after_deal,
        col(RoundEnd.seen_at).is_(None),
    )
    .exists()
)
UNHELD_NOTICES: Final = and_(OPEN_NOTICES, or_(col(OutboxEntry.after_deal).is_(None), ~_DICE_ARE_UNSEEN))
"""The condition of notices that wait for no dice. They become eligible when the table's chat has seen these; no code
releases them."""


def _waiting() -> CompoundSelect[LaneName]:
    now = bindparam("now", type_=Float)
    leased = and_(col(Lane.leased_until) > now, col(Lane.leased_until) <= now + LONGEST_LEASE_SECONDS)
    resting = or_(leased, col(Lane.paused_until) > now)
    said = select(col(OutboxEntry.lane)).where(
        UNHELD_NOTICES,
        or_(col(OutboxEntry.not_before) <= now, col(OutboxEntry.status) == NoticeStatus.SENDING),
        ~select(col(Lane.name)).where(Lane.name == OutboxEntry.lane, resting).exists(),
    )
    outdated = select(col(Reader.lane)).where(
        col(Reader.due_at).is_not(None),
        col(Reader.due_at) <= now,
        ~select(col(Lane.name)).where(Lane.name == Reader.lane, resting).exists(),
    )
    return union(said, outdated)


WAITING: Final = _waiting()
"""The query for lanes with work. It runs all the time: it is built once, and reads the index of open notices only."""


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[LaneName]:
    """Lanes without a valid lease with a notice that is due, or was left by a worker that died during the send.

    Rows of a lane whose stored name cannot be read are set aside.
    """
    names, found = set(channels), session.connection().execute(WAITING, {"now": now}).scalars().all()
    if unreadable := [lane for lane in found if isinstance(lane, UnreadableLane)]:
        log.error("%s lanes cannot be read; their notices are set aside", len(unreadable))
        aside = {"status": NoticeStatus.FAILED, "done_at": now, "error": UnreadableLane.__name__}
        session.execute(update(OutboxEntry).where(OPEN_NOTICES, col(OutboxEntry.lane).in_(unreadable)).values(aside))
        session.execute(update(Reader).where(col(Reader.lane).in_(unreadable)).values(due_at=None))
    return [lane for lane in found if lane.channel in names]


_LOCKED: Final = (
    select(Lane)
    .where(col(Lane.name).in_(bindparam("names", expanding=True)))
    .order_by(col(Lane.name))  # one order of locks prevents deadlocks
    .with_for_update()
    .execution_options(populate_existing=True)
)


def lock(session: Session, names: Collection[LaneName]) -> list[Lane]:
    """Lock the rows of these lanes until the transaction ends: one worker at a time decides about a lane."""
    wanted = {"names": list(names)}
    found = session.exec(_LOCKED, params=wanted).all()
    if len(found) < len(names):
        missing = sorted(set(names).difference(lane.name for lane in found))
        fresh = [{"name": name, "recent_sends": []} for name in missing]
        session.connection().execute(insert_into(session, Lane).on_conflict_do_nothing(), fresh)
        found = session.exec(_LOCKED, params=wanted).all()
    return list(found)


def with_a_turn(session: Session, names: Collection[LaneName], now: float) -> set[LaneName]:
    """Return the lanes where a turn waits and no worker is sending: the worker that has the lease waits for a limit."""
    is_turn = and_(col(OutboxEntry.urgency) < Urgency.TOLD, col(OutboxEntry.not_before) <= now)
    waits = case((is_turn, 1), else_=0)
    is_sending = case((col(OutboxEntry.status) == NoticeStatus.SENDING, 1), else_=0)
    query = select(col(OutboxEntry.lane)).where(UNHELD_NOTICES, col(OutboxEntry.lane).in_(names))
    query = query.group_by(col(OutboxEntry.lane)).having(func.max(waits) == 1, func.max(is_sending) == 0)
    asked = select(col(Reader.lane)).where(
        col(Reader.lane).in_(names), col(Reader.turn).is_not(None), col(Reader.due_at) <= now
    )
    sending = select(col(OutboxEntry.lane)).where(UNHELD_NOTICES, col(OutboxEntry.status) == NoticeStatus.SENDING)
    return set(session.exec(query)) | set(session.exec(asked.where(col(Reader.lane).not_in(sending))))


def is_leased(lane: Lane, now: float) -> bool:
    """Return True if a worker has the lane."""
    return now < lane.leased_until <= now + LONGEST_LEASE_SECONDS


def extend(session: Session, names: Collection[LaneName], holder: str, now: float) -> None:
    """Extend the worker's leases on these lanes, unless another worker has taken them over."""
    mine = (col(Lane.name).in_(names), col(Lane.holder) == holder)
    session.execute(update(Lane).where(*mine).values(leased_until=now + LEASE_SECONDS))


def release_all(session: Session, holder: str | None = None) -> None:
    """End the leases of one worker. In a database with a single process, end all: the last run left them."""
    mine = () if holder is None else (col(Lane.holder) == holder,)
    session.execute(update(Lane).where(*mine).values(holder=None, leased_until=0))
