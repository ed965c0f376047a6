"""Exact chances of a bid, from what one player knows."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perudo_core.actions import Bid
    from perudo_core.view import Observation

__all__ = ["bid_probability", "probability_exact", "probability_holds"]


def probability_holds(
    dice: Sequence[int], unknown_dice: int, bid_quantity: int, face: int, ones_wild: bool
) -> Fraction:
    """The chance that a bid holds, given one's own dice and how many others lie unseen."""
    need = bid_quantity - _own(dice, face, ones_wild)
    if need <= 0:
        return Fraction(1)
    return sum(
        (_term(unknown_dice, hits, _sides(face, ones_wild)) for hits in range(need, unknown_dice + 1)), Fraction(0)
    )


def probability_exact(
    dice: Sequence[int], unknown_dice: int, bid_quantity: int, face: int, ones_wild: bool
) -> Fraction:
    """The chance that a bid is exact, as a calza says."""
    return _term(unknown_dice, bid_quantity - _own(dice, face, ones_wild), _sides(face, ones_wild))


def bid_probability(observation: Observation, bid: Bid, unknown_dice: int | None = None) -> Fraction:
    """The chance, as this seat sees it, that a bid holds.

    Where lost dice are hidden the observation does not tell how many dice the others hold, and `unknown_dice` must.
    """
    if unknown_dice is None:
        if observation.total_dice is None:
            raise ValueError("lost dice are hidden: say how many dice are unknown")
        unknown_dice = observation.total_dice - len(observation.dice)
    return probability_holds(observation.dice, unknown_dice, bid.quantity, bid.face, observation.ones_wild)


def _sides(face: int, ones_wild: bool) -> int:
    return 2 if ones_wild and face != 1 else 1


def _own(dice: Sequence[int], face: int, ones_wild: bool) -> int:
    return sum(die == face or (ones_wild and die == 1) for die in dice)


@lru_cache(maxsize=4096)
def _term(dice: int, hits: int, sides: int) -> Fraction:
    """The chance that exactly so many of the dice show one of so many sides."""
    if not 0 <= hits <= dice:
        return Fraction(0)
    return Fraction(comb(dice, hits) * sides**hits * (6 - sides) ** (dice - hits), 6**dice)
