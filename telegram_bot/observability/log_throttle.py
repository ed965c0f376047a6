"""At most one log line per reason and minute."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

SELDOM_SECONDS: Final = 60.0


class Seldom:
    """What strangers knock with goes into the log once a minute for each reason: they must not be able to fill it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._told: dict[str, float] = {}
        self._untold: Counter[str] = Counter()

    def of(self, reason: str) -> str | None:
        """The reason, and how often it was left out since the last time; None: leave it out."""
        if self._now() - self._told.get(reason, -math.inf) < SELDOM_SECONDS:
            self._untold[reason] += 1
            return None
        self._told[reason] = self._now()
        untold = self._untold.pop(reason, 0)
        return f"{reason} (and {untold} times before)" if untold else reason
