"""How a game ended."""

from dataclasses import dataclass

from perudo_core._actions import Seat
from perudo_core._public_names import Listed

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome(metaclass=Listed):
    """How a game ended: `placements[seat]` is 1 for the winner, then 2, and so on."""

    winner: Seat
    placements: tuple[int, ...]
