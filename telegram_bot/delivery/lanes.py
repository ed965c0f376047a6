"""Lane leases: one worker at a time sends the notices of a chat, and a dead worker's lease expires."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import and_, bindparam, func, literal_column, or_, select, update
from sqlmodel import Session, SQLModel

from telegram_bot.delivery.limits import Sends
from telegram_bot.storage.models import OPEN_NOTICES, Lane, NoticeStatus
from telegram_bot.storage.statements import Statement, json_value

SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""

LEASE_SECONDS = 8.0
"""How long a lease lasts if it is not extended: so long a chat waits for a worker that died or is frozen."""
RENEW_SECONDS = 3.0
"""How long after its beginning a lease is extended, while the worker is sending."""


@dataclass(slots=True)
class LockedLane:
    """A lane's row, which this transaction has locked: who sends, until when, and what its limits count."""

    name: str
    holder: str | None = None
    leased_until: float = 0
    paused_until: float = 0
    chat_arrival: float = 0
    recent_sends: Sends = field(default_factory=list)


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[str]:
    """Lanes without a valid lease whose first notice can be sent now, or was left in mid-send by a dead worker."""
    names = set(channels)
    found = session.execute(WAITING, {"now": now}).scalars()
    return [lane for lane in found if lane.partition(":")[0] in names]


def lock(session: Session, names: Collection[str]) -> list[LockedLane]:
    """Lock the rows of these lanes until the transaction ends, so that one worker at a time decides about a lane."""
    found = _LOCK.all(session, {"the_names": list(names)})
    if len(found) < len(names):
        _CREATE.for_each(session, [{"name": name} for name in sorted(set(names).difference(row[0] for row in found))])
        found = _LOCK.all(session, {"the_names": list(names)})
    return [
        LockedLane(name, holder, leased, paused, arrival, [(time, urgency) for time, urgency in json_value(sends)])
        for name, holder, leased, paused, arrival, sends in found
    ]


def save(session: Session, lanes: Sequence[LockedLane]) -> None:
    """Store the leases, pauses and counts of locked lanes."""
    rows = [{name: getattr(lane, name) for name in _COLUMNS} for lane in lanes]
    _SAVE.for_each(session, [row | {"recent_sends": json.dumps(row["recent_sends"])} for row in rows])


def extend(session: Session, names: Collection[str], holder: str, now: float) -> None:
    """Extend the worker's leases on these lanes, unless another worker has taken them over."""
    mine = (_LANE.c.name.in_(names), _LANE.c.holder == holder)
    session.execute(update(_LANE).where(*mine).values(leased_until=now + LEASE_SECONDS))


def release_all(session: Session, holder: str | None = None) -> None:
    """End the leases of one worker, or all in a database that only one process may use: those of its last run."""
    mine = () if holder is None else (_LANE.c.holder == holder,)
    session.execute(update(_LANE).where(*mine).values(holder=None, leased_until=0))


# Built once: building a statement takes longer than executing it.
_LANE: Final = SQLModel.metadata.tables[str(Lane.__tablename__)]
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_COLUMNS: Final = ("name", "holder", "leased_until", "paused_until", "chat_arrival", "recent_sends")
_AWAITED: Final = _OUTBOX.alias("awaited")
_AWAITED_IS_OPEN: Final = (
    select(_AWAITED.c.id)
    .where(_AWAITED.c.id == _OUTBOX.c.waits_for, _AWAITED.c.status.in_((NoticeStatus.PENDING, NoticeStatus.SENDING)))
    .exists()
)
UNHELD_NOTICES: Final = and_(OPEN_NOTICES, or_(_OUTBOX.c.waits_for.is_(None), ~_AWAITED_IS_OPEN))
"""The condition of notices that wait for no other one. However the awaited one ended, nothing need release them."""
_FIRST: Final = select(func.min(_OUTBOX.c.id)).where(UNHELD_NOTICES).group_by(_OUTBOX.c.lane)
_BUSY: Final = (
    select(_LANE.c.name)
    .where(
        _LANE.c.name == _OUTBOX.c.lane,
        or_(_LANE.c.leased_until > bindparam("now"), _LANE.c.paused_until > bindparam("now")),
    )
    .exists()
)
WAITING: Final = select(_OUTBOX.c.lane).where(
    _OUTBOX.c.id.in_(_FIRST),
    or_(_OUTBOX.c.not_before <= bindparam("now"), _OUTBOX.c.status == NoticeStatus.SENDING),
    ~_BUSY,
)
"""The query for lanes with work. It runs all the time, so it uses the index of open notices and reads no sent ones."""
_LOCK: Final = Statement(
    select(*(_LANE.c[name] for name in _COLUMNS))
    .where(_LANE.c.name.in_(bindparam("the_names", expanding=True)))
    .order_by(_LANE.c.name)  # one order, so that no two workers wait for each other
    .with_for_update()
)
_FRESH: Final = {"leased_until": 0, "paused_until": 0, "chat_arrival": 0, "recent_sends": literal_column("'[]'")}
_CREATE: Final = Statement(
    lambda insert: insert(_LANE).values(name=bindparam("name"), **_FRESH).on_conflict_do_nothing()
)
_SAVE: Final = Statement(
    update(_LANE)
    .where(_LANE.c.name == bindparam("name"))
    .values({name: bindparam(name, type_=_LANE.c[name].type) for name in _COLUMNS[1:]})
)
