"""A group's limit: at most so many sends in any minute, wherever the minute begins.

The lane's row holds the times of the last sends (`storage.recent_sends`), so the limit holds for all workers together.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from telegram_bot.storage.recent_sends import WIDTH, read_times, time_text

MINUTE: Final = 61.0
"""A minute and a margin, because some calls take longer to arrive than others."""
MOST_TIMES: Final = 60
"""The most times that are kept; larger limits are counted in parts of a minute."""


class Urgency(IntEnum):
    """Which notices of a group get its budget first when it is scarce."""

    NOW = 0
    """Somebody cannot act without it, or all wait for it."""
    SOON = 1
    """A player misses it, but can play on."""
    LATER = 2
    """A newer notice may replace it, or the game does not need it."""


@dataclass(frozen=True, slots=True)
class SendWindow:
    """At most `sends` in any `seconds`.

    The last of them are kept for the most urgent ones. What can wait is free at first; as the window fills, it is
    spread over the time until the oldest send leaves the window.
    """

    sends: int
    seconds: float = MINUTE

    @classmethod
    def per_minute(cls, sends: float) -> SendWindow:
        """The window for a limit per minute."""
        whole = max(1, int(sends))
        parts = -(-whole // MOST_TIMES)
        return cls(whole // parts, MINUTE / parts)

    @property
    def budget(self) -> int:
        """How many sends of a window need not be of the most urgent kind."""
        return self.sends - self.sends // 10

    @property
    def free(self) -> int:
        """How many sends of a window wait for nothing, whatever they are."""
        return self.budget // 2

    @property
    def length(self) -> int:
        """The longest text of last sends."""
        return self.sends * WIDTH

    def place(self, nth: int) -> int:
        """Where the time of the nth newest send begins in the text; counted from 1, as in SQL."""
        return (nth - 1) * WIDTH + 1

    def start(self, now: float) -> float:
        """When the window that ends now began: an earlier send does not count any more."""
        return now - self.seconds

    def wait(self, recent: str, now: float, urgency: Urgency) -> float:
        """Seconds until the next send is allowed; 0 for now."""
        sends = [(time, kind) for time, kind in read_times(recent) if time > self.start(now)]
        inside = [time for time, _ in sends]
        if urgency is Urgency.NOW:
            most = self.sends
        else:
            # Beside that share as many are kept as were urgent lately, up to a third or two thirds of the window.
            urgent = sum(kind == Urgency.NOW for _, kind in sends)
            most = max(1, self.budget - min(urgent, self.sends * urgency // 3))
        if len(inside) >= most:
            return inside[most - 1] + self.seconds - now
        if urgency is not Urgency.LATER or len(inside) < max(1, min(self.free, most)):
            return 0.0
        pause = (inside[-1] + self.seconds - inside[0]) / (most - len(inside) + 1)
        return max(0.0, inside[0] + pause - now)

    def counted(self, recent: str, now: float, urgency: Urgency) -> str:
        """The text of the last sends after a send."""
        return (time_text(now, urgency) + recent)[: self.length]
