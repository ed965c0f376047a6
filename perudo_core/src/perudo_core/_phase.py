"""The phases of a game."""

from enum import StrEnum
from typing import Final

from perudo_core._public_names import ListedEnum

__all__ = ["BIDDING", "OPENING", "OVER", "ROLLING", "Phase"]


class Phase(StrEnum, metaclass=ListedEnum):
    """The phase of a game: the player or the chance that it waits for."""

    OPENING = "opening"  # chance: who opens the game
    ROLLING = "rolling"  # chance: the dice of the next round
    BIDDING = "bidding"  # a player
    OVER = "over"


OPENING: Final = Phase.OPENING
ROLLING: Final = Phase.ROLLING
BIDDING: Final = Phase.BIDDING
OVER: Final = Phase.OVER
"""Module constants, because up to Python 3.11 `Phase.OVER` costs as much as a small function call."""
