"""The sandbox's clock: the machine's time plus the seconds that tests have added."""

import asyncio
import contextlib
import time


class Clock:
    """Unix time that can be moved forward but never back."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._moved = asyncio.Event()
        self.sleepers = 0
        """The number of tasks that wait for a later time."""

    def now(self) -> float:
        """Seconds since 1970, as everyone in the sandbox sees them."""
        return time.time() + self._ahead

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
