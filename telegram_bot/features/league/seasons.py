"""A league's seasons: the calendar's months, by UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple


class Season(NamedTuple):
    """One month."""

    year: int
    month: int

    @property
    def begins(self) -> float:
        """When it begins, in seconds since the epoch."""
        return datetime(self.year, self.month, 1, tzinfo=UTC).timestamp()

    @property
    def before(self) -> Season:
        """The month before."""
        return Season(self.year - 1, 12) if self.month == 1 else Season(self.year, self.month - 1)

    @property
    def after(self) -> Season:
        """The next month."""
        return Season(self.year + self.month // 12, self.month % 12 + 1)


def season_at(now: float) -> Season:
    """Return the season of a time, in seconds since the epoch."""
    date = datetime.fromtimestamp(now, UTC)
    return Season(date.year, date.month)
