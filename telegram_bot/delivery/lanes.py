"""Lane leases: one worker at a time sends the notices of a chat, and a dead worker's lease expires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Float, Integer, String, and_, bindparam, case, func, literal, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel, col

from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.send_window import Urgency
from telegram_bot.storage.models import OPEN_NOTICES, Lane, NoticeStatus
from telegram_bot.storage.recent_sends import TIME_WIDTH, WIDTH, time_text
from telegram_bot.storage.statements import Statement

SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""

LEASE_SECONDS = SEND_SECONDS + 5.0
"""How long a lease lasts if it is not extended: longer than any send, so that two workers never send at once."""


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[str]:
    """Lanes without a valid lease whose first notice can be sent now, or was left in mid-send by a dead worker."""
    names = set(channels)
    found = session.execute(WAITING, {"now": now}).scalars()
    return [lane for lane in found if lane.partition(":")[0] in names]


@dataclass(slots=True)
class Lease:
    """A lane that this transaction has locked for its worker, and when the lane's own limits allow the next send."""

    name: str
    holder: str
    chat_arrival: float = 0
    recent_sends: str = ""


def acquire(session: Session, name: str, holder: str, now: float) -> Lease | None:
    """Lease the lane, or extend the worker's own lease; None if another worker holds the lane or the lane rests.

    The row stays locked until the transaction ends, so that only one worker can mark a notice as being sent.
    """
    lease = {"the_name": name, "by": holder, "until": now + LEASE_SECONDS, "now": now}
    found = session.execute(_ACQUIRE, lease).one_or_none()
    if found is not None:
        return Lease(name, holder, *found)
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    fresh = insert(Lane).values(name=name, holder=holder, leased_until=now + LEASE_SECONDS).on_conflict_do_nothing()
    if session.execute(fresh.returning(col(Lane.name))).one_or_none() is not None:
        return Lease(name, holder)
    release_unchanged(session, name, holder)  # it rests
    return None


def lease_idle(
    session: Session,
    notices: Sequence[int],
    *,
    groups: Sequence[str],
    urgent: Sequence[str],
    limits: Limits,
    holder: str,
    now: float,
) -> dict[str, Lease]:
    """Lease the idle lanes of these notices, as far as their limits allow a send now; count one send in each.

    A lane is idle if nobody holds it and no earlier notice waits in it. `groups`: which of the lanes are groups';
    `urgent`: in which of them the notice is urgent.
    """
    lease = {"the_ids": list(notices), "by": holder, "until": now + LEASE_SECONDS, "now": now}
    values = lease | _counted(groups, limits) | _latest(limits, now) | _window(urgent, limits, now)
    return {name: Lease(name, holder, chat, recent) for name, chat, recent in _LEASE_IDLE.all(session, values)}


def undo_leases(session: Session, names: Sequence[str], *, groups: Sequence[str], limits: Limits, holder: str) -> None:
    """End leases that this transaction has begun with `lease_idle`; their sends are not counted."""
    values = {"the_names": list(names), "by": holder, "second_time": WIDTH + 1 if limits.group else 1}
    session.execute(_UNDO_LEASES, values | _counted(groups, limits))


def give_back_empty(session: Session, names: Sequence[str], limits: Limits, holder: str, now: float) -> set[str]:
    """End the worker's leases on those of the lanes where nothing waits; return their names.

    A notice that another transaction commits at the same instant is found by the next query for lanes with work.
    """
    earliest = now + limits.chat.interval if limits.chat else 0
    values = {"the_names": list(names), "by": holder, "earliest": earliest, "arrived": time_text(now)[:TIME_WIDTH]}
    found = _GIVE_BACK_EMPTY.all(session, values)
    return {name for (name,) in found}


def _counted(groups: Sequence[str], limits: Limits) -> dict[str, object]:
    """What a send adds to a lane's arrival time, and in which lanes it is counted as a group's."""
    return {"the_groups": list(groups), "chat_interval": limits.chat.interval if limits.chat else 0}


def _latest(limits: Limits, now: float) -> dict[str, float]:
    """Up to which arrival time the limits allow a send now."""
    return {"chat_latest": now + limits.chat.slack() if limits.chat else _EVER}


def _window(urgent: Sequence[str], limits: Limits, now: float) -> dict[str, object]:
    """What the groups' limit compares and writes. Here a send that is not urgent is allowed only if it is free."""
    window = limits.group
    if window is None:
        return {
            "the_urgent": [],
            "urgent_time": "",
            "later_time": "",
            "length": 0,
            "last_place": 1,
            "free_place": 1,
            "width": 0,
            "start": "",
        }
    return {
        "the_urgent": list(urgent),
        "urgent_time": time_text(now, Urgency.NOW),
        "later_time": time_text(now, Urgency.LATER),
        "length": window.length,
        "last_place": window.place(window.sends),
        "free_place": window.place(max(1, window.free)),
        "width": WIDTH,
        "start": time_text(window.start(now)),
    }


def save_limits(session: Session, lane: Lease) -> None:
    """Store when the lane's own limits allow the next send."""
    session.execute(_SAVE_LIMITS, {"the_name": lane.name, "chat": lane.chat_arrival, "recent": lane.recent_sends})


def release(session: Session, lane: Lease) -> None:
    """End the worker's lease if it still holds the lane, and store when the lane's own limits allow the next send.

    The row stays locked until the transaction ends: a transaction that adds a notice and looks for a holder waits.
    """
    usage = {"chat": lane.chat_arrival, "recent": lane.recent_sends}
    session.execute(_RELEASE, {"the_name": lane.name, "by": lane.holder, **usage})


def release_unchanged(session: Session, name: str, holder: str) -> None:
    """End the worker's lease if it still holds the lane, and store nothing else."""
    session.execute(_RELEASE_UNCHANGED, {"the_name": name, "by": holder})


# Built once: building a statement takes longer than executing it.
_LANE: Final = SQLModel.metadata.tables["lane"]
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_FIRST: Final = select(func.min(_OUTBOX.c.id)).where(OPEN_NOTICES).group_by(_OUTBOX.c.lane)
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
_NAMED: Final = _LANE.c.name == bindparam("the_name")
_ACQUIRE: Final = (
    update(_LANE)
    .where(
        _NAMED,
        or_(_LANE.c.holder == bindparam("by"), _LANE.c.leased_until <= bindparam("now")),
        _LANE.c.paused_until <= bindparam("now"),
    )
    .values(holder=bindparam("by"), leased_until=bindparam("until"), paused_until=0)
    .returning(_LANE.c.chat_arrival, _LANE.c.recent_sends)
)
_SAVE_LIMITS: Final = (
    update(_LANE).where(_NAMED).values(chat_arrival=bindparam("chat"), recent_sends=bindparam("recent"))
)
_EVER: Final = 1e18
_NOW: Final = bindparam("now", type_=Float)
_CHAT_INTERVAL: Final = bindparam("chat_interval", type_=Float)
_URGENT_TIME: Final = bindparam("urgent_time", type_=String)
_LATER_TIME: Final = bindparam("later_time", type_=String)
_WIDTH: Final = bindparam("width", type_=Integer)
_THESE: Final = _LANE.c.name.in_(bindparam("the_names", expanding=True))
_IS_GROUP: Final = _LANE.c.name.in_(bindparam("the_groups", expanding=True))
_IS_URGENT: Final = _LANE.c.name.in_(bindparam("the_urgent", expanding=True))
_LAST_PLACE: Final = bindparam("last_place", type_=Integer)
_FREE_PLACE: Final = bindparam("free_place", type_=Integer)
_DECISIVE_SEND: Final = case(
    (_IS_URGENT, func.substr(_LANE.c.recent_sends, _LAST_PLACE, _WIDTH)),
    else_=func.substr(_LANE.c.recent_sends, _FREE_PLACE, _WIDTH),
)
"""The time of an earlier send; the next is allowed once it has left the window. Empty: there were not so many sends."""
_WAITS: Final = select(_OUTBOX.c.id).where(_OUTBOX.c.lane == _LANE.c.name, OPEN_NOTICES).correlate(_LANE)
_BEFORE: Final = _OUTBOX.alias("earlier")
_FIRST_OF_LANE: Final = (
    select(
        _OUTBOX.c.lane,
        bindparam("by", type_=_LANE.c.holder.type),
        bindparam("until", type_=Float),
        literal(0.0),
        _NOW + _CHAT_INTERVAL,
        case(
            (~_OUTBOX.c.lane.in_(bindparam("the_groups", expanding=True)), literal("")),
            (_OUTBOX.c.lane.in_(bindparam("the_urgent", expanding=True)), _URGENT_TIME),
            else_=_LATER_TIME,
        ),
    )
    .where(
        _OUTBOX.c.id.in_(bindparam("the_ids", expanding=True)),
        ~select(_BEFORE.c.id)
        .where(_BEFORE.c.lane == _OUTBOX.c.lane, _BEFORE.c.id < _OUTBOX.c.id, text(f"earlier.{OPEN_NOTICES.text}"))
        .exists(),
    )
    .order_by(_OUTBOX.c.lane)
)
"""The lanes' rows as they would be if they were new; in one order, so that no two steps wait for each other."""
_LEASE_IDLE: Final = Statement(
    lambda insert: (
        insert(_LANE)
        .from_select(["name", "holder", "leased_until", "paused_until", "chat_arrival", "recent_sends"], _FIRST_OF_LANE)
        .on_conflict_do_update(
            index_elements=["name"],
            set_={
                "holder": bindparam("by"),
                "leased_until": bindparam("until"),
                "paused_until": 0,
                "chat_arrival": case((_LANE.c.chat_arrival > _NOW, _LANE.c.chat_arrival), else_=_NOW) + _CHAT_INTERVAL,
                "recent_sends": case(
                    (~_IS_GROUP, _LANE.c.recent_sends),
                    else_=func.substr(
                        case((_IS_URGENT, _URGENT_TIME), else_=_LATER_TIME).concat(_LANE.c.recent_sends),
                        1,
                        bindparam("length", type_=Integer),
                    ),
                ),
            },
            where=and_(
                _LANE.c.leased_until <= _NOW,
                _LANE.c.paused_until <= _NOW,
                _LANE.c.chat_arrival <= bindparam("chat_latest", type_=Float),
                or_(~_IS_GROUP, bindparam("start", type_=String) >= _DECISIVE_SEND),
            ),
        )
        .returning(_LANE.c.name, _LANE.c.chat_arrival, _LANE.c.recent_sends)
    )
)
_UNDO_LEASES: Final = (
    update(_LANE)
    .where(_THESE, _LANE.c.holder == bindparam("by"))
    .values(
        holder=None,
        leased_until=0,
        chat_arrival=_LANE.c.chat_arrival - _CHAT_INTERVAL,
        recent_sends=case(
            (_IS_GROUP, func.substr(_LANE.c.recent_sends, bindparam("second_time", type_=Integer))),
            else_=_LANE.c.recent_sends,
        ),
    )
)
_EARLIEST: Final = bindparam("earliest", type_=Float)
_GIVE_BACK_EMPTY: Final = Statement(
    update(_LANE)
    .where(_THESE, _LANE.c.holder == bindparam("by"), ~_WAITS.exists())
    .values(
        holder=None,
        leased_until=0,
        chat_arrival=case((_LANE.c.chat_arrival < _EARLIEST, _EARLIEST), else_=_LANE.c.chat_arrival),
        recent_sends=case(
            (_LANE.c.recent_sends == literal(""), _LANE.c.recent_sends),
            else_=bindparam("arrived", type_=String).concat(func.substr(_LANE.c.recent_sends, TIME_WIDTH + 1)),
        ),
    )
    .returning(_LANE.c.name)
)
_RELEASE_UNCHANGED: Final = (
    update(_LANE).where(_NAMED, _LANE.c.holder == bindparam("by")).values(holder=None, leased_until=0)
)
_RELEASE: Final = _RELEASE_UNCHANGED.values(chat_arrival=bindparam("chat"), recent_sends=bindparam("recent"))


def release_all(session: Session) -> None:
    """End every lease, for a database that only one process may use: the leases are those of its last run."""
    session.execute(update(Lane).values(holder=None, leased_until=0))


def pause(session: Session, name: str, until: float) -> None:
    """Let this lane send nothing for some seconds."""
    session.execute(
        update(Lane).where(col(Lane.name) == name, col(Lane.paused_until) < until).values(paused_until=until)
    )
