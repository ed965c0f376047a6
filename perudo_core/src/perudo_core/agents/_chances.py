"""The chances of counts of dice, as floats, each worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

__all__ = ["Tail", "at_least", "binomial", "convolved", "mixed_tail", "tail"]

Tail: TypeAlias = tuple[float, ...]
"""`tail[k]` is the chance of at least k; the last entry, for one more than there are dice, is 0."""


@lru_cache(maxsize=4096)
def binomial(dice: int, chance: float) -> tuple[float, ...]:
    """Return the chance of each count, from none to all of the dice, where each counts with this chance.

    >>> binomial(2, 0.5)
    (0.25, 0.5, 0.25)
    """
    counts = [1.0]
    for _ in range(dice):
        counts = [
            (counts[k] * (1 - chance) if k < len(counts) else 0.0) + (counts[k - 1] * chance if k else 0.0)
            for k in range(len(counts) + 1)
        ]
    return tuple(counts)


def convolved(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Return the chance of each sum of two counts.

    >>> convolved((0.5, 0.5), (0.5, 0.5))
    [0.25, 0.5, 0.25]
    """
    result = [0.0] * (len(first) + len(second) - 1)
    for index, chance in enumerate(first):
        for other, factor in enumerate(second):
            result[index + other] += chance * factor
    return result


def _tail(counts: Sequence[float]) -> Tail:
    sums = [0.0]
    for chance in reversed(counts):
        sums.append(sums[-1] + chance)
    return tuple(reversed(sums))


@lru_cache(maxsize=4096)
def tail(dice: int, chance: float) -> Tail:
    """Return the chance of at least k of so many dice, by k.

    >>> tail(2, 0.5)
    (1.0, 0.75, 0.25, 0.0)
    """
    return _tail(binomial(dice, chance))


@lru_cache(maxsize=8192)
def mixed_tail(groups: tuple[tuple[int, float], ...]) -> Tail:
    """Return the chance of at least k among groups of (dice, chance of each).

    >>> mixed_tail(((1, 0.5), (1, 0.5))) == tail(2, 0.5)
    True
    """
    counts: Sequence[float] = (1.0,)
    for dice, chance in groups:
        counts = convolved(counts, binomial(dice, chance))
    return _tail(counts)


def at_least(chances: Tail, need: int) -> float:
    """Return the chance of at least `need`, which may be negative or more than there are dice.

    >>> at_least(tail(2, 0.5), -1), at_least(tail(2, 0.5), 9)
    (1.0, 0.0)
    """
    if need <= 0:
        return 1.0
    return chances[need] if need < len(chances) else 0.0
