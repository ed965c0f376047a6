"""The generic cell rate algorithm in one SQL statement, so that all workers share the counts."""

from sqlalchemy import case
from sqlmodel import Session, col

from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import Rate


def take(session: Session, key: str, *, interval: float, burst: int, now: float) -> bool:
    """Count an event against the limit `key`; return False and count nothing if the limit is reached.

    `interval`: seconds between two events. `burst`: the number of events allowed at once.
    """
    arrival = col(Rate.arrival)
    counted = (
        insert_into(session, Rate)
        .values(key=key, arrival=now + interval)
        .on_conflict_do_update(
            index_elements=["key"],
            set_={"arrival": case((arrival > now, arrival), else_=now) + interval},
            where=arrival <= now + (burst - 1) * interval,
        )
        .returning(arrival)
    )
    return session.execute(counted).first() is not None
