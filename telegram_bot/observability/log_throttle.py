"""At most one log line per reason and minute."""

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

THROTTLE_SECONDS: Final = 60.0


class LogThrottle:
    """Allows one log line per reason and minute, so that strangers cannot fill the log."""

    def __init__(self, now: Callable[[], float] = lambda: time.monotonic()) -> None:  # noqa: PLW0108 - looked up when called: tests replace it
        self._now = now
        self._logged_at: dict[str, float] = {}
        self._unlogged: Counter[str] = Counter()

    def line_for(self, reason: str) -> str | None:
        """Return the reason, with the number of lines left out since the last one, or None if this line is left out."""
        if self._now() - self._logged_at.get(reason, -math.inf) < THROTTLE_SECONDS:
            self._unlogged[reason] += 1
            return None
        self._logged_at[reason] = self._now()
        unlogged = self._unlogged.pop(reason, 0)
        return f"{reason} (and {unlogged} times before)" if unlogged else reason
