"""A group's limit: at most so many sends in any minute, wherever the minute begins.

The lane's row holds the times of the last sends (`storage.recent_sends`), so the limit holds for all workers together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from telegram_bot.storage.recent_sends import WIDTH, time_text

MINUTE: Final = 61.0
"""A minute and a margin, because some calls take longer to arrive than others."""
MOST_TIMES: Final = 60
"""The most times that are kept; larger limits are counted in parts of a minute."""


@dataclass(frozen=True, slots=True)
class SendWindow:
    """At most `sends` in any `seconds`.

    The last of them are kept for urgent sends, without which somebody cannot act. Other sends are free at first; as the
    window fills, they are spread over the time until its oldest send leaves it.
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
        """How many sends of a window need not be urgent."""
        return self.sends - self.sends // 10

    @property
    def free(self) -> int:
        """How many sends of a window wait for nothing, urgent or not."""
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

    def wait(self, recent: str, now: float, *, urgent: bool) -> float:
        """Seconds until the next send is allowed; 0 for now."""
        times = [float(recent[at : at + WIDTH]) for at in range(0, len(recent), WIDTH)]
        inside = [time for time in times if time > self.start(now)]
        if len(inside) >= self.sends:
            return inside[self.sends - 1] + self.seconds - now
        if urgent or len(inside) < max(1, self.free):
            return 0.0
        if len(inside) >= self.budget:
            return inside[self.budget - 1] + self.seconds - now
        pause = (inside[-1] + self.seconds - inside[0]) / (self.budget - len(inside) + 1)
        return max(0.0, inside[0] + pause - now)

    def counted(self, recent: str, now: float) -> str:
        """The text of the last sends after a send."""
        return (time_text(now) + recent)[: self.length]
