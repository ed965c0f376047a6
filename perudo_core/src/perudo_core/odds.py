"""The exact probabilities of a bid, from one player's knowledge: fractions, and floats on request.

In all functions `dice` are the dice that the player sees (faces 1 to 6), `unknown_dice` is the number of other dice on
the table (0 to 5,000), and with `ones_are_wild` ones count for every face. All functions raise `TypeError` for an
argument of the wrong type and `ValueError` for one out of range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Generic, TypeVar

from perudo_core._actions import FACES, Bid
from perudo_core._errors import expect_int, expect_type
from perudo_core._observation import Observation
from perudo_core._public_names import Listed, publish

__all__ = [
    "Odds", "bid_odds", "bid_probability", "count_matching", "count_probabilities", "probability_exact",
    "probability_holds",
]  # fmt: skip

MAX_UNKNOWN: Final = 5_000  # ten times the dice of the largest table; at this limit all chances of a face take seconds
WORTH_KEEPING: Final = 60

Number = TypeVar("Number", Fraction, float)


@dataclass(frozen=True, slots=True)
class Odds(Generic[Number], metaclass=Listed):
    """The probabilities of one bid."""

    holds: Number
    """The probability that the bid holds; a dudo is right with one minus this probability."""
    exact: Number
    """The probability that a calza is right."""
    counts: tuple[Number, ...]
    """The probability of each count of the bid's face, from 0 to all dice on the table."""

    def floats(self) -> Odds[float]:
        """Return the same as floats, each the nearest to its fraction."""
        return Odds(float(self.holds), float(self.exact), tuple(map(float, self.counts)))


def count_matching(dice: Sequence[int], face: int, ones_are_wild: bool) -> int:
    """Return the number of these dice that count for a face.

    >>> count_matching([1, 2, 2, 5], face=2, ones_are_wild=True)
    3
    """
    expect_int(face, "face", FACES[0], FACES[-1])
    expect_type(dice, Sequence, "dice")
    expect_type(ones_are_wild, bool, "ones_are_wild")
    for die in dice:
        expect_int(die, "each of dice", FACES[0], FACES[-1])
    return sum(die == face or (ones_are_wild and die == 1) for die in dice)


def probability_holds(
    dice: Sequence[int], unknown_dice: int, bid_quantity: int, face: int, ones_are_wild: bool
) -> Fraction:
    """Return the probability that at least `bid_quantity` dice on the table count for `face`.

    >>> probability_holds([2, 2, 5], unknown_dice=2, bid_quantity=3, face=2, ones_are_wild=True)
    Fraction(5, 9)
    """
    need = _quantity(bid_quantity) - count_matching(dice, face, ones_are_wild)
    ways = _ways(unknown_dice, _sides(face, ones_are_wild))
    return Fraction(sum(ways[max(need, 0) :]), 6**unknown_dice)


def probability_exact(
    dice: Sequence[int], unknown_dice: int, bid_quantity: int, face: int, ones_are_wild: bool
) -> Fraction:
    """Return the probability that exactly `bid_quantity` dice on the table count for `face`.

    >>> probability_exact([2, 2, 5], unknown_dice=2, bid_quantity=3, face=2, ones_are_wild=True)
    Fraction(4, 9)
    """
    need = _quantity(bid_quantity) - count_matching(dice, face, ones_are_wild)
    ways = _ways(unknown_dice, _sides(face, ones_are_wild))
    return Fraction(ways[need] if 0 <= need < len(ways) else 0, 6**unknown_dice)


def count_probabilities(dice: Sequence[int], unknown_dice: int, face: int, ones_are_wild: bool) -> tuple[Fraction, ...]:
    """Return the probability of each count of a face on the table: index 0 is none, the last index all dice.

    >>> [str(each) for each in count_probabilities([2], unknown_dice=1, face=2, ones_are_wild=False)]
    ['0', '5/6', '1/6']
    """
    own = count_matching(dice, face, ones_are_wild)
    ways = (0,) * own + _ways(unknown_dice, _sides(face, ones_are_wild)) + (0,) * (len(dice) - own)
    return tuple(Fraction(way, 6**unknown_dice) for way in ways)


def bid_probability(observation: Observation, bid: Bid) -> Fraction:
    """Return the probability that a bid holds, from this seat's view.

    >>> from perudo_core import Rules, observe, set_up
    >>> view = observe(set_up(Rules(), ((2, 2, 5), (1, 6))), 0)
    >>> bid_probability(view, Bid(0, 3, 2))
    Fraction(5, 9)
    """
    expect_type(observation, Observation, "observation")
    expect_type(bid, Bid, "bid")
    unknown = observation.unknown_dice
    return probability_holds(observation.known_dice, unknown, bid.quantity, bid.face, observation.ones_are_wild)


def bid_odds(observation: Observation, bid: Bid) -> Odds[Fraction]:
    """Return all probabilities of a bid, from this seat's view.

    >>> from perudo_core import Rules, observe, set_up
    >>> odds = bid_odds(observe(set_up(Rules(), ((2, 2, 5), (1, 6))), 0), Bid(0, 3, 2))
    >>> odds.exact, odds.floats().exact
    (Fraction(4, 9), 0.4444444444444444)
    """
    expect_type(observation, Observation, "observation")
    expect_type(bid, Bid, "bid")
    counts = count_probabilities(observation.known_dice, observation.unknown_dice, bid.face, observation.ones_are_wild)
    quantity = _quantity(bid.quantity)
    exact = counts[quantity] if 0 <= quantity < len(counts) else Fraction(0)
    return Odds(sum(counts[max(quantity, 0) :], Fraction(0)), exact, counts)


def _quantity(quantity: int) -> int:
    if type(quantity) is not int:
        raise TypeError(f"bid_quantity must be a whole number, not {type(quantity).__name__}")
    return quantity


def _sides(face: int, ones_are_wild: bool) -> int:
    return 2 if ones_are_wild and face != 1 else 1


def _ways(unknown_dice: int, sides: int) -> tuple[int, ...]:
    """Return the number of rolls of so many dice in which 0, 1, 2 … dice show one of so many sides."""
    expect_int(unknown_dice, "unknown_dice", 0, MAX_UNKNOWN)
    return (_kept_ways if unknown_dice <= WORTH_KEEPING else _counted_ways)(unknown_dice, sides)


def _counted_ways(dice: int, sides: int) -> tuple[int, ...]:
    other = 6 - sides
    ways = [other**dice]
    for hits in range(dice):
        ways.append(ways[-1] * (dice - hits) * sides // ((hits + 1) * other))
    return tuple(ways)


_kept_ways = lru_cache(maxsize=2 * (WORTH_KEEPING + 1))(_counted_ways)


publish(globals())
