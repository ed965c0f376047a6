"""One clock for all processes: the database's time, continued between queries by the monotonic clock."""

import time
from collections.abc import Callable

from sqlalchemy import text
from sqlmodel import Session

STEP_SECONDS = 3.0
"""A larger difference means that the source was set to another time, a smaller one that the clocks drifted."""

_DATABASE_TIME = text("SELECT extract(epoch FROM clock_timestamp())")


class DatabaseClock:
    """Seconds since the epoch, without stops and jumps between two queries of the source.

    The source is PostgreSQL's clock, which a process that takes over has too, or this machine's clock for SQLite.
    """

    def __init__(
        self,
        wall: Callable[[], float] = lambda: time.time(),  # noqa: PLW0108 - looked up when called: tests replace it
        monotonic: Callable[[], float] = lambda: time.monotonic(),  # noqa: PLW0108
    ) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._offset = wall() - monotonic()
        self._known = False
        self.step = 0.0
        """The seconds by which the source was set; 0 after the outage handling has restarted the turn clocks."""

    def now(self) -> float:
        """Return the time, in seconds since the epoch."""
        return self._monotonic() + self._offset

    def synchronize(self, session: Session) -> None:
        """Query the source.

        The source was read at an unknown moment during the query. The offset changes only if no such moment explains
        the answer, and then as little as possible: a slow query on a busy machine moves no clock.
        """
        before = self._monotonic()
        if session.get_bind().dialect.name == "sqlite":
            found = self._wall()
        else:
            found = float(session.execute(_DATABASE_TIME).scalar_one())
        least, most = found - self._monotonic(), found - before
        offset = min(max(self._offset, least), most)
        step = offset - self._offset
        if self._known and abs(step) > STEP_SECONDS:
            self.step += step
        self._offset, self._known = offset, True
