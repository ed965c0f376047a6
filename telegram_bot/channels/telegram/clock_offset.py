"""How far this installation's clock is ahead of Telegram's: messages carry Telegram's time, in whole seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

REMEMBERED_SECONDS: Final = 600.0
"""For how long a message tells the difference of the clocks: afterwards one of them may have been set."""
REMEMBERED: Final = 100
MOST_SECONDS: Final = 30.0
"""A larger difference is no difference of clocks: all recent messages have waited for the bot."""


class ClockOffset:
    """Measured from the messages that arrive: none arrives before it was sent, and of several some arrive at once."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._measured: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)
        """When a message arrived, and how much later that was than Telegram's time of the message."""

    def to_own_clock(self, sent_at: float) -> float:
        """When a message that arrives now was sent, by this installation's clock."""
        now = self.now()
        while self._measured and self._measured[0][0] < now - REMEMBERED_SECONDS:
            self._measured.popleft()
        self._measured.append((now, now - sent_at))
        ahead = min(later for _, later in self._measured)
        return sent_at + max(-MOST_SECONDS, min(ahead, MOST_SECONDS))
