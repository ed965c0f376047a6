"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perudo_core.actions import Seat

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: `placements[seat]` is 1 for the winner, then 2, and so on."""

    winner: Seat
    placements: tuple[int, ...]
