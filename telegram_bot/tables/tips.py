"""Tips for new players: one line at the moment when a player needs it."""

from enum import StrEnum


class Tip(StrEnum):
    """A line that a player is told at most once."""

    CALZA = "calza"
    """What calza says, and what it wins or costs."""
