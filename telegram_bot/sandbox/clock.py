"""The sandbox's time: the machine's, plus what tests have added."""

import time


class Clock:
    """Unix time that can be moved forward but never back."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Seconds since 1970, as everybody in the sandbox sees them."""
        return time.time() + self._ahead

    def unix(self) -> int:
        """The same in whole seconds, as Telegram writes dates."""
        return int(self.now())

    def advance(self, seconds: float) -> None:
        """Let time pass without waiting for it."""
        self._ahead += max(0.0, seconds)
