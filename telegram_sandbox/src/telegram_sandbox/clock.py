"""The sandbox's clock: the time at its start, what has passed since, and the seconds that tests have added.

It does not read the machine's clock again, which somebody may set back: limits and deadlines would then last longer.
"""

import asyncio
import contextlib
import time


class Clock:
    """Unix time that can be moved forward but never back."""

    def __init__(self) -> None:
        self._start = time.time() - time.monotonic()
        self._ahead = 0.0
        self._moved = asyncio.Event()
        self.sleepers = 0
        """The number of tasks that wait for a later time."""

    def now(self) -> float:
        """Seconds since 1970, as everyone in the sandbox sees them."""
        return self._start + time.monotonic() + self._ahead

    def unix(self) -> int:
        """Return the same in whole seconds, as Telegram writes dates."""
        return int(self.now())

    def advance(self, seconds: float) -> None:
        """Let time pass without waiting for it."""
        self._ahead += max(0.0, seconds)
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait until so much time has passed by this clock."""
        until = self.now() + seconds
        self.sleepers += 1
        try:
            while (left := until - self.now()) > 0:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._moved.wait(), left)
        finally:
            self.sleepers -= 1
