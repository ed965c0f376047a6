"""The generic cell rate algorithm in one SQL statement, so that all workers share the counts."""

from typing import Any, Final

from sqlalchemy import Executable, Float, bindparam, case
from sqlmodel import Session, col

from telegram_bot.storage.database import upsert
from telegram_bot.storage.models import Rate


def _count(insert: Any) -> Executable:
    arrival, interval, now = col(Rate.arrival), bindparam("interval", type_=Float), bindparam("now", type_=Float)
    counted: Executable = (
        insert.values(key=bindparam("of"), arrival=now + interval)
        .on_conflict_do_update(
            index_elements=["key"],
            set_={"arrival": case((arrival > now, arrival), else_=now) + interval},
            where=arrival <= now + bindparam("backlog"),
        )
        .returning(arrival)
    )
    return counted


_TAKE: Final = upsert(Rate, _count)


def take(session: Session, key: str, *, interval: float, burst: int, now: float) -> bool:
    """Count an event against the limit `key`; return False and count nothing if the limit is reached.

    `interval`: seconds between two events. `burst`: the number of events allowed at once.
    """
    backlog = (burst - 1) * interval
    return _TAKE(session, {"of": key, "interval": interval, "backlog": backlog, "now": now}).first() is not None
