"""Tips for new players: one line at the moment when a player needs it."""

from enum import StrEnum


class Tip(StrEnum):
    """A tip, which a player gets at most once."""

    CALZA = "calza"
    """The meaning of calza, and the die that it wins or costs."""
