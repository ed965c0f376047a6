"""Characters: the styles of players of any level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from perudo_core._actions import Seat
from perudo_core.agents._memory import Memory

__all__ = ["TEMPERAMENTS", "Character", "Temperament", "mirrored"]


class Character(StrEnum):
    """A temperament with a name."""

    PLAIN = "plain"  # as the level rates its calls
    CAUTIOUS = "cautious"  # doubts early, raises by little
    BOLD = "bold"  # believes, and jumps
    HONEST = "honest"  # bids their own faces
    TRICKSTER = "trickster"  # bids other faces than their own
    MIRROR = "mirror"  # doubts, bluffs and jumps as the others do


@dataclass(frozen=True, slots=True)
class Temperament:
    """Leanings that are added to the worth of a call before the best one is chosen.

    For a novice the worth of a call is a chance; for the other levels it is the dice that the call wins or loses on
    average. So 0.1 is a strong leaning, and 0 is no leaning.
    """

    doubt: float = 0.0
    """Added to a dudo and a calza. Below 0 the player believes."""
    bluff: float = 0.0
    """Added to a bid of which the player has less than an even share. Below 0 the player is honest."""
    jump: float = 0.0
    """Added to a bid for each die, up to three, above the least legal quantity of its face."""
    mirror: float = 0.0
    """The share of the other players' habits that is added to the three leanings above."""

    @property
    def is_neutral(self) -> bool:
        """Whether the level plays without leanings."""
        return self == Temperament()


TEMPERAMENTS: Final[Mapping[Character, Temperament]] = MappingProxyType(
    {
        Character.PLAIN: Temperament(),
        Character.CAUTIOUS: Temperament(doubt=0.12, bluff=-0.03, jump=-0.05),
        Character.BOLD: Temperament(doubt=-0.08, bluff=0.02, jump=0.08),
        Character.HONEST: Temperament(bluff=-0.18),
        Character.TRICKSTER: Temperament(bluff=0.15),
        Character.MIRROR: Temperament(mirror=1.0),
    }
)

USUAL_BLUFFS: Final = 0.375
USUAL_DOUBTS: Final = 0.2
USUAL_JUMP: Final = 0.15


def mirrored(temperament: Temperament, memory: Memory, seat: Seat) -> Temperament:
    """Return the temperament plus the habits of the others at the table, times `mirror`.

    >>> from perudo_core import Rules
    >>> from perudo_core.agents import new_memory
    >>> mirrored(Temperament(doubt=0.1), new_memory(Rules(), 3), 0)
    Temperament(doubt=0.1, bluff=0.0, jump=0.0, mirror=0.0)
    """
    others = [habit for other, habit in enumerate(memory.habits) if other != seat]
    if not temperament.mirror or not others:
        return temperament
    weight = temperament.mirror / len(others)
    return replace(
        temperament,
        doubt=temperament.doubt + weight * sum(habit.doubt_rate - USUAL_DOUBTS for habit in others),
        bluff=temperament.bluff + weight * sum(habit.bluff_rate - USUAL_BLUFFS for habit in others),
        jump=temperament.jump + weight * sum(habit.jump - USUAL_JUMP for habit in others) / 2,
    )
