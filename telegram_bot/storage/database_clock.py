"""The time that all workers share: the database's, carried on by this machine's monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import text
from sqlmodel import Session

STEP_SECONDS = 3.0
"""A clock that is off by more has been set; by less it has drifted."""

_DATABASE_TIME = text("SELECT extract(epoch FROM clock_timestamp())")


class DatabaseClock:
    """Seconds since the epoch. Between two looks at the source it can neither stop nor jump.

    The source is PostgreSQL's clock, the same for every worker; with SQLite, whose process is alone, this machine's.
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
        """By how many seconds the source was set, as long as nobody has dealt with it."""

    def now(self) -> float:
        """What time it is."""
        return self._monotonic() + self._offset

    def synchronize(self, session: Session) -> None:
        """Look at the source."""
        before = self._monotonic()
        if session.get_bind().dialect.name == "sqlite":
            found = self._wall()
        else:
            found = float(session.execute(_DATABASE_TIME).scalar_one())
        offset = found - (before + self._monotonic()) / 2
        step = offset - self._offset
        if self._known and abs(step) > STEP_SECONDS:
            self.step += step
        self._offset, self._known = offset, True
