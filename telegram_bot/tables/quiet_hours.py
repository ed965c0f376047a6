"""Quiet hours: the bot does not write to a player, and their clock waits."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time
from itertools import count
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

MINUTES_A_DAY: Final = 24 * 60
USUAL_NIGHT: Final = (22 * 60, 8 * 60)
"""The start and the end of a night that no one has chosen, in minutes after midnight."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Every night from `start` to `end`, in minutes after midnight in the time zone; equal ones mean never.

    Raises:
        ValueError: no such minute or time zone.
    """

    start: int
    end: int
    zone: str

    def __post_init__(self) -> None:
        if not (0 <= self.start < MINUTES_A_DAY and 0 <= self.end < MINUTES_A_DAY):
            raise ValueError("a day has the minutes 0 to 1439")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # those of folders and of other files as well
            raise ValueError("no such time zone") from error

    def ends_at(self, now: float) -> float:
        """Return the end of the present quiet hours, or `now` outside of them. Seconds since the epoch.

        If the clocks skip the only waking hour of a day, two nights are one.
        """
        at = now
        for begin, end in self._nights(now):
            if begin > at:
                break
            at = max(at, end)
        return at

    def after_waking(self, seconds: float, now: float) -> float:
        """Return when so many seconds have passed outside the quiet hours. Seconds since the epoch."""
        at, left = self.ends_at(now), seconds
        for begin, end in self._nights(now):
            if at + left <= begin:
                break
            left -= max(0, begin - at)
            at = max(at, end)
        return at + left

    def _nights(self, now: float) -> Iterator[tuple[float, float]]:
        """Yield beginning and end of each night from the one before on; each day has one, so a loop over them ends.

        A night that the clocks skip when they go forward ends as it begins.
        """
        days = 1 if self.end < self.start else 0
        for day in count(datetime.fromtimestamp(now, ZoneInfo(self.zone)).toordinal() - 1):
            begin = self._at(day, self.start)
            yield begin, max(begin, self._at(day + days, self.end))

    def _at(self, ordinal: int, minutes: int) -> float:
        clock = time(minutes // 60, minutes % 60)
        return datetime.combine(datetime.fromordinal(ordinal), clock, ZoneInfo(self.zone)).timestamp()
