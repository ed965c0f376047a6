"""The phases of a game."""

from enum import StrEnum

from perudo_core._public_names import ListedEnum

__all__ = ["Phase"]


class Phase(StrEnum, metaclass=ListedEnum):
    """The phase of a game: the player or the chance that it waits for."""

    OPENING = "opening"  # chance: who opens the game
    ROLLING = "rolling"  # chance: the dice of the next round
    BIDDING = "bidding"  # a player
    OVER = "over"
