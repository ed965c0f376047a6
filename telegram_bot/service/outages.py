"""Times in which the players could not be heard: they cost nobody anything.

Each worker looks at the house every now and then (`find_due`), and while it can hear the players it leaves a heartbeat.
A gap in the heartbeats, a clock that was set, or a channel that was silent: the running clocks are begun anew before
any deadline is kept, one page of tables at a time. The note of that stands in the database, so it happens once for all
workers, and goes on where a killed one stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import bindparam, func, or_, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel, col, select

from telegram_bot.service.handlers.clock_restart import RESTART, ClockRestart
from telegram_bot.storage.database import Database
from telegram_bot.storage.database_clock import STEP_SECONDS, DatabaseClock
from telegram_bot.storage.models import HEARTBEAT, GameTable, InboxEntry, KeyValue, Lane, OutboxEntry, Rate

log = logging.getLogger(__name__)

SILENT = "silent:"

HEARTBEAT_SECONDS = 5.0
LATE_SECONDS = 15.0
"""Without a heartbeat for longer, what fell due meanwhile is put off."""
OUTAGE_SECONDS = 60.0
"""Without one for longer, every running clock begins anew."""
MOST_DUE = 100


@dataclass(frozen=True, slots=True)
class DueTables:
    """What there is to do."""

    tables: tuple[int, ...] = ()
    """Whose deadline has passed, the longest overdue first."""
    next_due: float | None = None
    restarting: bool = False
    """Clocks are being begun anew: no deadline counts until that is done."""
    silent: bool = False
    """A channel cannot be heard: no deadline counts until it can."""


class Outages:
    """Watches over the house's own absences."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], float],
        clock: DatabaseClock | None = None,
    ) -> None:
        self.database = database
        self.now = now
        self.clock = clock

    async def find_due(self, *, fresh: bool = False) -> DueTables:
        """What is due. `fresh`: this worker could not hear the players until now."""
        found = await self.database.run(lambda session: self._find_due(session, fresh=fresh))
        if self.clock is not None and not found.silent:
            self.clock.step = 0.0
        return found

    async def synchronize_clock(self) -> None:
        """Learn what time it is."""
        if self.clock is not None:
            await self.database.run(self.clock.synchronize)

    def _find_due(self, session: Session, *, fresh: bool) -> DueTables:
        step = 0.0
        if self.clock is not None:
            self.clock.synchronize(session)
            step = self.clock.step
        now = self.now()
        notes = _notes(session)
        if any(key.startswith(SILENT) for key in notes):
            return DueTables(silent=True)
        if HEARTBEAT not in notes:
            session.merge(KeyValue(key=HEARTBEAT, value=repr(now)))
        else:
            gap = now - float(notes[HEARTBEAT])
            if fresh or step or gap > LATE_SECONDS or gap < -STEP_SECONDS:
                self._handle_gap(session, now, step, fresh=fresh)
                notes = _notes(session)
            elif gap > HEARTBEAT_SECONDS:
                session.execute(update(KeyValue).where(col(KeyValue.key) == HEARTBEAT).values(value=repr(now)))
        restart = _restart(notes)
        if restart is not None and restart.after is not None:
            return DueTables(restarting=True)
        due = tuple(session.execute(_DUE, {"now": now}).scalars())
        return DueTables(due, session.execute(_NEXT_DUE, {"now": now}).scalar_one())

    def _handle_gap(self, session: Session, now: float, step: float, *, fresh: bool) -> None:
        """Judge a gap under lock: of several workers that notice it the first one acts."""
        query = (
            select(KeyValue)
            .where(KeyValue.key == HEARTBEAT)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
        beat = session.exec(query).one()
        since = float(beat.value)
        gap = now - since
        if gap < -STEP_SECONDS or step < 0:
            back = max(-gap, -step)
            log.warning("the clock was put back by %.0f s: running turns begin anew", back)
            _pull_back(session, now, back)
            self.begin(session, since=now - OUTAGE_SECONDS, whole=True)
        elif gap > OUTAGE_SECONDS or step > 0:
            log.warning("nobody was heard for %.0f s: running turns begin anew", max(gap, step))
            self.begin(session, since=since, whole=True)
        elif fresh or gap > LATE_SECONDS:
            self.begin(session, since=since, whole=False)
        beat.value = repr(now)
        session.flush()

    def begin(self, session: Session, *, since: float, whole: bool) -> None:
        """Note that clocks are to be begun anew, unless another worker has just done so for the same reason."""
        query = (
            select(KeyValue).where(KeyValue.key == RESTART).with_for_update().execution_options(populate_existing=True)
        )
        note = session.exec(query).one_or_none()
        now = self.now()
        running = None if note is None else ClockRestart.from_note(note.value)
        if running is not None and running.whole and abs(now - running.began) < LATE_SECONDS:
            return
        window = select(GameTable.id).where(col(GameTable.due_at) >= since, col(GameTable.due_at) <= now).limit(1)
        if not whole and session.exec(window).first() is None:
            return
        last = session.exec(select(func.max(GameTable.id))).one() or 0
        restart = ClockRestart(began=now, since=since, whole=whole, after=0, last=last)
        if running is not None and running.after is not None:
            restart = replace(restart, since=min(since, running.since), whole=whole or running.whole)
        session.merge(KeyValue(key=RESTART, value=restart.to_note()))

    # A channel that is silent for all workers

    async def channel_silent(self, channel: str, since: float) -> None:
        """No worker can hear a channel's players; whatever they say waits elsewhere."""

        def write(session: Session) -> None:
            key = SILENT + channel
            if session.get(KeyValue, key) is None:
                log.warning("the players on %s cannot be heard: no clock runs out meanwhile", channel)
                session.add(KeyValue(key=key, value=repr(since)))

        await self.database.run(write)

    async def channel_heard(self, channel: str) -> None:
        """They can be heard again: clocks that ran meanwhile begin anew."""

        def clear(session: Session) -> None:
            note = session.get(KeyValue, SILENT + channel, with_for_update=True)
            if note is None:
                return
            now = self.now()
            since = min(float(note.value), now)
            session.delete(note)
            self.begin(session, since=since, whole=now - since > OUTAGE_SECONDS)
            session.merge(KeyValue(key=HEARTBEAT, value=repr(now)))

        await self.database.run(clear)


def _notes(session: Session) -> dict[str, str]:
    return {row.key: row.value for row in session.execute(_NOTES)}


def _restart(notes: dict[str, str]) -> ClockRestart | None:
    return ClockRestart.from_note(notes[RESTART]) if RESTART in notes else None


def _pull_back(session: Session, now: float, seconds: float) -> None:
    """Take times that lie ahead back with the clock: nothing rests for an hour because it is an hour earlier."""
    for model, names in _FUTURE_TIMES.items():
        for name in names:
            stamp: Any = getattr(model, name)
            session.execute(update(model).where(stamp > now).values({stamp: stamp - seconds}))


_FUTURE_TIMES: dict[type[SQLModel], tuple[str, ...]] = {
    Rate: ("arrival",),
    Lane: ("chat_arrival", "group_arrival", "paused_until", "leased_until"),
    OutboxEntry: ("not_before", "expires_at"),
    InboxEntry: ("claimed_until",),
}


# Asked all the time, so written once: to put a statement together takes longer than to have it executed.
_NOTE: Final = SQLModel.metadata.tables["note"]
_TABLE: Final = SQLModel.metadata.tables["game_table"]
_NOTES: Final = sql_select(_NOTE.c.key, _NOTE.c.value).where(
    or_(_NOTE.c.key.in_((HEARTBEAT, RESTART)), _NOTE.c.key.startswith(SILENT))
)
_DUE: Final = (
    sql_select(_TABLE.c.id).where(_TABLE.c.due_at <= bindparam("now")).order_by(_TABLE.c.due_at).limit(MOST_DUE)
)
_NEXT_DUE: Final = sql_select(func.min(_TABLE.c.due_at)).where(_TABLE.c.due_at > bindparam("now"))
