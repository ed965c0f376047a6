"""Outages: times in which the bot could not receive players' messages. No player loses anything by an outage.

Each worker calls `find_due` regularly, and stores a heartbeat. After a gap in the heartbeats, after the clock was set,
or after a channel was silent, all running turn clocks restart before any deadline counts, some tables at a time. The
database stores the progress, so that the restart happens once for all workers and continues after a worker was killed.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Float, func, or_, update
from sqlmodel import Session, SQLModel, col, select

from telegram_bot.service.handlers.clock import RESTART, ClockRestart
from telegram_bot.storage.database import Database, in_transaction
from telegram_bot.storage.database_clock import STEP_SECONDS, DatabaseClock
from telegram_bot.storage.key_value import as_model, as_time
from telegram_bot.storage.models import HEARTBEAT, GameTable, KeyValue, Rate

log = logging.getLogger(__name__)

SILENT = "silent:"

HEARTBEAT_SECONDS = 5.0
LATE_SECONDS = 15.0
"""After a longer gap in the heartbeats, turn clocks that ended in the gap restart."""
OUTAGE_SECONDS = 60.0
"""After a longer gap, every running turn clock restarts."""
MOST_DUE = 100

_MARKS: Final = select(KeyValue.key, KeyValue.value).where(
    or_(col(KeyValue.key).in_((HEARTBEAT, RESTART)), col(KeyValue.key).startswith(SILENT))
)
"""The times of these that may be far ahead by the new clock too."""


@dataclass(frozen=True, slots=True)
class DueTables:
    """The work of a worker at this time."""

    tables: tuple[int, ...] = ()
    """Tables whose deadline has passed, the longest overdue first."""
    next_due: float | None = None
    restarting: bool = False
    """Whether turn clocks are restarting: no deadline counts until that is done."""
    silent: bool = False
    """Whether a channel is silent: no deadline counts until it is not."""


class Outages:
    """Finds due tables, and notices outages."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], float],
        clock: DatabaseClock | None = None,
        on_set_back: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_set_back` is called after the clock was set back."""
        self.database = database
        self.on_set_back = on_set_back
        self.now = now
        self.clock = clock
        self._noticed = ""
        """The line of the log about the last gap, until the restart of the turn clocks is stored."""

    async def find_due(self, *, fresh: bool = False) -> DueTables:
        """Return the due tables. `fresh`: this worker could not receive updates until now."""
        found = await self.database.run(lambda session: self._find_due(session, fresh=fresh))
        if self.clock is not None:
            self.clock.step = 0.0
        if self._noticed:  # and stored
            log.warning("%s", self._noticed)
            self._noticed = ""
        return found

    async def synchronize_clock(self) -> None:
        """Synchronize the clock with the database's clock."""
        if self.clock is not None:
            await self.database.run(self.clock.synchronize)

    def _find_due(self, session: Session, *, fresh: bool) -> DueTables:
        step = 0.0
        if self.clock is not None:
            self.clock.synchronize(session)
            step = self.clock.step
        now = self.now()
        stored = _stored_values(session)
        beat = as_time(stored.get(HEARTBEAT))
        if beat is None:
            session.merge(KeyValue(key=HEARTBEAT, value=repr(now)))
        else:
            gap = now - beat
            if fresh or step or gap > LATE_SECONDS or gap < -STEP_SECONDS:
                self._handle_gap(session, now, step, fresh=fresh)
                stored = _stored_values(session)
            elif gap > HEARTBEAT_SECONDS:
                session.execute(update(KeyValue).where(col(KeyValue.key) == HEARTBEAT).values(value=repr(now)))
        if any(key.startswith(SILENT) for key in stored):
            return DueTables(silent=True)
        restart = as_model(stored.get(RESTART), ClockRestart)
        if restart is not None and restart.after is not None:
            return DueTables(restarting=True)
        at = col(GameTable.due_at)
        due = session.exec(select(GameTable.id).where(at <= now).order_by(at).limit(MOST_DUE)).all()
        return DueTables(tuple(due), session.exec(select(func.min(at)).where(at > now)).one())

    def _handle_gap(self, session: Session, now: float, step: float, *, fresh: bool) -> None:
        beat = session.get_one(KeyValue, HEARTBEAT)
        since = as_time(beat.value) or now
        gap = now - since
        if gap < -STEP_SECONDS or step < 0:
            back = max(-gap, -step)
            self._noticed = f"the clock was put back by {back:.0f} s: running turns begin anew"
            self.begin(session, since=now - OUTAGE_SECONDS, whole=True, back=back)
            _move_times(session, now, -back)
            self.on_set_back()
        elif gap > OUTAGE_SECONDS or step > 0:
            self._noticed = f"no one was heard for {max(gap, step):.0f} s: running turns begin anew"
            if self.begin(session, since=since, whole=True) and step > 0:
                _move_times(session, now - step - OUTAGE_SECONDS, step, only=Rate)
        elif fresh or gap > LATE_SECONDS:
            self.begin(session, since=since, whole=False)
        beat.value = repr(now)
        session.flush()

    def begin(self, session: Session, *, since: float, whole: bool, back: float = 0.0) -> bool:
        """Store that turn clocks must restart; False if a restart of all clocks has just begun.

        If not `whole`, the clocks restart only if a deadline was due between `since` and now. `back`: the seconds by
        which the clock was set back.
        """
        row = session.get(KeyValue, RESTART)
        now = self.now()
        running = None if row is None else as_model(row.value, ClockRestart)
        if running is not None and running.whole and not back and abs(now - running.began) < LATE_SECONDS:
            return False
        due = select(GameTable.id).where(col(GameTable.due_at) >= since, col(GameTable.due_at) <= now).limit(1)
        if not whole and session.exec(due).first() is None:
            return False
        last = session.exec(select(func.max(GameTable.id))).one() or 0
        restart = ClockRestart(began=now, since=since, whole=whole, after=0, last=last, back=back)
        if running is not None and running.after is not None:
            restart = ClockRestart(
                began=now,
                since=min(since, running.since),
                whole=whole or running.whole,
                after=0,
                last=last,
                back=max(back, running.back),
            )
        session.merge(KeyValue(key=RESTART, value=restart.model_dump_json()))
        return True

    # A channel from which no worker can receive

    @in_transaction
    def channel_silent(self, session: Session, channel: str, since: float) -> None:
        """Store that no worker can receive updates of a channel; they wait at the messenger."""
        key = SILENT + channel
        if session.get(KeyValue, key) is None:
            log.warning("the players on %s cannot be heard: no clock runs out meanwhile", channel)
            session.add(KeyValue(key=key, value=repr(since)))

    @in_transaction
    def channel_heard(self, session: Session, channel: str) -> None:
        """Store that updates of the channel arrive again: turn clocks that ran out meanwhile restart."""
        row = session.get(KeyValue, SILENT + channel)
        if row is None:
            return
        now = self.now()
        since = min(as_time(row.value) or now, now)
        session.delete(row)
        beat = session.get(KeyValue, HEARTBEAT)
        if beat is not None and (as_time(beat.value) or now) > now + STEP_SECONDS:
            self._handle_gap(session, now, 0.0, fresh=False)
        self.begin(session, since=since, whole=now - since > OUTAGE_SECONDS)
        session.merge(KeyValue(key=HEARTBEAT, value=repr(now)))


def _stored_values(session: Session) -> dict[str, str]:
    return dict(session.exec(_MARKS).all())


def _move_times(session: Session, after: float, seconds: float, only: type[SQLModel] | None = None) -> None:
    """Move later times together with the clock, which was set by `seconds`.

    Otherwise all would pause for as long as it was set back. A float that is greater than `after` is such a time: the
    other floats, of ratings, are small. The times in the state of a table move when its clock restarts. `only`: the
    rows to change, or all.
    """
    for table in SQLModel.metadata.sorted_tables:
        if only is not None and table.name != only.__tablename__:
            continue
        for column in table.columns:
            if isinstance(column.type, Float):
                session.execute(update(table).where(column > after).values({column: column + seconds}))
