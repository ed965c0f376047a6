"""The possible outcomes of the next roll or draw, with their probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Final, TypeAlias, overload

from perudo_core._actions import FACES, ChanceAction, Dice, OpenerDraw, OpeningRoll, Roll
from perudo_core._errors import IllegalActionError, Reason, expect_int, expect_type
from perudo_core._legality import opening_counts
from perudo_core._round_setup import OPENING, ROLLING
from perudo_core._rules import MAX_STARTING_DICE, OpenerMethod
from perudo_core._state import State

__all__ = ["ChanceOutcomes", "chance_outcomes", "hand_outcomes"]

MAX_LISTED_DICE: Final = 24
"""6**24 is the greatest power of 6 that `len()` can return."""

_Part: TypeAlias = Sequence[tuple[tuple[int, ...], int]]
"""Some dice of one hand: the faces that they can show, each with its number of ways."""

_EACH_DIE: Final[_Part] = tuple(((face,), 1) for face in FACES)


class ChanceOutcomes(Sequence[tuple[ChanceAction, Fraction]]):
    """The outcomes of chance, with probabilities that add up to 1; an outcome is made when it is asked for."""

    __slots__ = ("_action", "_parts", "_sizes", "_ways")

    def __init__(self, action: Callable[[Dice], ChanceAction], parts: Sequence[_Part], sizes: Sequence[int]) -> None:
        self._action = action
        self._parts = parts
        self._sizes = sizes  # how many parts make the hand of each seat
        self._ways = prod(sum(ways for _, ways in part) for part in parts)

    def __len__(self) -> int:
        return prod(map(len, self._parts))

    def __repr__(self) -> str:
        return f"<ChanceOutcomes: {len(self)}>"

    @overload
    def __getitem__(self, index: int) -> tuple[ChanceAction, Fraction]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[ChanceAction, Fraction]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> tuple[ChanceAction, Fraction] | Sequence[tuple[ChanceAction, Fraction]]:
        if isinstance(index, slice):
            return tuple(self[each] for each in range(len(self))[index])
        remaining = range(len(self))[index]
        drawn = []
        for part in reversed(self._parts):
            remaining, which = divmod(remaining, len(part))
            drawn.append(part[which])
        return self._outcome(drawn[::-1])

    def __iter__(self) -> Iterator[tuple[ChanceAction, Fraction]]:
        return map(self._outcome, product(*self._parts))

    def _outcome(self, drawn: Sequence[tuple[tuple[int, ...], int]]) -> tuple[ChanceAction, Fraction]:
        faces = (faces for faces, _ in drawn)
        hands = tuple(sum((next(faces) for _ in range(size)), ()) for size in self._sizes)
        return self._action(hands), Fraction(prod(ways for _, ways in drawn), self._ways)


def chance_outcomes(state: State, *, sorted_hands: bool = False) -> Sequence[tuple[ChanceAction, Fraction]]:
    """Return the possible outcomes of the next roll or draw, each with its probability.

    There are 6**n rolls of n dice: 1,296 for two seats with two dice each, 3,656,158,440,062,976 for four with five.
    With `sorted_hands`, rolls that differ only in the order of a hand's dice are one outcome with the sum of their
    probabilities: 441 for two seats with two dice, 63,504 for two with five. An outcome is made when it is asked for.
    Where even sorted hands are too many, draw with `sample_roll`, or take one seat's hands: `hand_outcomes`.

    Raises `IllegalActionError` while the game does not wait for chance, and `ValueError` for more than 24 dice.

    >>> from perudo_core import Rules, new_game
    >>> start = new_game(Rules().with_options(starting_dice=2), 2, opener=0)
    >>> len(chance_outcomes(start)), len(chance_outcomes(start, sorted_hands=True))
    (1296, 441)
    >>> chance_outcomes(start, sorted_hands=True)[1]
    (Roll(dice=((1, 1), (1, 2))), Fraction(1, 648))
    """
    expect_type(state, State, "state")
    expect_type(sorted_hands, bool, "sorted_hands")
    if state.phase is ROLLING:
        return _roll_outcomes(Roll, state.dice_counts, sorted_hands)
    if state.phase is not OPENING:
        raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
    if state.rules.opener is OpenerMethod.RANDOM:
        seats = state.active_seats
        return tuple((OpenerDraw(seat), Fraction(1, len(seats))) for seat in seats)
    return _roll_outcomes(OpeningRoll, opening_counts(state), sorted_hands)


def _roll_outcomes(action: Callable[[Dice], ChanceAction], counts: Sequence[int], sorted_hands: bool) -> ChanceOutcomes:
    if sum(counts) > MAX_LISTED_DICE:
        raise ValueError(f"{sum(counts)} dice have too many rolls to list: at most {MAX_LISTED_DICE}")
    if sorted_hands:
        return ChanceOutcomes(action, [_sorted_hands(count) for count in counts], [1] * len(counts))
    return ChanceOutcomes(action, [_EACH_DIE] * sum(counts), counts)


def hand_outcomes(count: int) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """Return the sorted hands of `count` dice, 0 to 10, with their probabilities: 252 hands of 5 dice, 3,003 of 10.

    >>> hand_outcomes(2)[:2]
    (((1, 1), Fraction(1, 36)), ((1, 2), Fraction(1, 18)))
    """
    expect_int(count, "count", 0, MAX_STARTING_DICE)
    return _hand_outcomes(count)


@cache
def _hand_outcomes(count: int) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    return tuple((hand, Fraction(ways, len(FACES) ** count)) for hand, ways in _sorted_hands(count))


@cache
def _sorted_hands(count: int) -> _Part:
    """Return the sorted hands, each with the number of orders in which its dice can lie."""
    return tuple(
        (hand, factorial(count) // prod(map(factorial, Counter(hand).values())))
        for hand in combinations_with_replacement(FACES, count)
    )
