"""The generic cell rate algorithm in one SQL statement, so that all workers share the counts."""

from typing import Final

from sqlalchemy import Float, bindparam, case
from sqlmodel import Session, SQLModel

from telegram_bot.storage.statements import Statement


def take(session: Session, key: str, *, interval: float, burst: int, now: float) -> bool:
    """Count an event against the limit `key`; return False and count nothing if the limit does not allow it.

    `interval`: seconds between two events. `burst`: how many may come at once.
    """
    wanted = {"the_key": key, "now": now, "interval": interval, "latest": now + (burst - 1) * interval}
    return _TAKE.first(session, wanted) is not None


_RATE: Final = SQLModel.metadata.tables["rate"]
_NOW: Final = bindparam("now", type_=Float)
_INTERVAL: Final = bindparam("interval", type_=Float)
_TAKE: Final = Statement(
    lambda insert: (
        insert(_RATE)
        .values(key=bindparam("the_key"), arrival=_NOW + _INTERVAL)
        .on_conflict_do_update(
            index_elements=["key"],
            set_={"arrival": case((_RATE.c.arrival > _NOW, _RATE.c.arrival), else_=_NOW) + _INTERVAL},
            where=_RATE.c.arrival <= bindparam("latest", type_=Float),
        )
        .returning(_RATE.c.arrival)
    )
)
