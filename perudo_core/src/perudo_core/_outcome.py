"""How a game ended."""

from typing import NamedTuple

from perudo_core._actions import Seat
from perudo_core._values import value

__all__ = ["Outcome"]


@value
class Outcome(NamedTuple):
    """How a game ended: `placements[seat]` is 1 for the winner, then 2, and so on."""

    winner: Seat
    placements: tuple[int, ...]
