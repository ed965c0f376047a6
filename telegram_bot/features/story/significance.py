"""Find the tell of a player, if their bids are enough to be sure: an exact test, without input or output.

Under the hypothesis that a player has no tell, each choice of their bids is as likely to be the lies. The test compares
a bid only with bids in the same place in a round: a later bid takes longer anyway, and is more often a lie.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import comb
from statistics import median
from typing import Final, NamedTuple

from telegram_bot.tables.model import FrozenModel


class Measure(StrEnum):
    """A quantity that is measured at a bid."""

    SECONDS = "seconds"
    LIFTS = "lifts"


class Tell(FrozenModel):
    """The difference between a player's lies and their other bids."""

    seat: int
    measure: Measure
    more: bool
    """Whether it takes longer, or the cup is lifted more often."""
    twice: bool = False
    """Whether the median is at least twice that of the other bids."""


class Measured(NamedTuple):
    """A measured bid."""

    place: str
    """Its place in the round."""
    value: float
    is_lie: bool


LEAST: Final = 5
"""The fewest lies, and the fewest other bids: the test needs chances to be wrong."""
MOST: Final = 60
"""The most bids, a person's newest: the number of choices then fits into 64 bits."""
LIMIT: Final = 0.05
_BYTES: Final = 8


def clearest_tell(samples: Mapping[tuple[int, Measure], Sequence[Measured]]) -> Tell | None:
    """Return the least likely difference, by seat and measure, or None if chance explains it.

    Each person and each measure is one more try, so the limit is divided by their number (Bonferroni).
    """
    tried = {key: bids[:MOST] for key, bids in samples.items() if is_enough(bids[:MOST])}
    chances = {key: chances_of(bids) for key, bids in tried.items()}
    found = min(chances, key=lambda key: min(chances[key]), default=None)
    if found is None or 2 * min(chances[found]) * len(tried) >= LIMIT:
        return None
    lies, others = ([bid.value for bid in tried[found] if bid.is_lie is lie] for lie in (True, False))
    at_most, at_least = chances[found]
    seat, measure = found
    more = at_least < at_most
    return Tell(seat=seat, measure=measure, more=more, twice=more and median(lies) >= 2 * median(others) > 0)


def is_enough(bids: Sequence[Measured]) -> bool:
    """Return True if there are enough lies and enough other bids."""
    lies = sum(bid.is_lie for bid in bids)
    return min(lies, len(bids) - lies) >= LEAST


def chances_of(bids: Sequence[Measured]) -> tuple[float, float]:
    """Return the exact chances that the lies' ranks, added up, are at most and at least what they are, without a tell.

    The test of Wilcoxon, Mann and Whitney, with mean ranks of equal values, stratified by the place in the round.
    A whole number holds a distribution: 64 bits for the number of choices with each sum, so that a shift adds a rank
    to all sums, and a product adds the sums of two places.
    """
    places = defaultdict[str, list[Measured]](list)
    for bid in bids:
        places[bid.place].append(bid)
    ways, total, seen = 1, 1, 0
    for group in places.values():
        ranks = _ranks([bid.value for bid in group])
        lies = sum(bid.is_lie for bid in group)
        ways *= _ways(ranks, lies)
        total *= comb(len(group), lies)
        seen += sum(rank for rank, bid in zip(ranks, group, strict=True) if bid.is_lie)
    packed = ways.to_bytes(_BYTES * (1 + ways.bit_length() // (8 * _BYTES)), "little")
    counts = [int.from_bytes(packed[at : at + _BYTES], "little") for at in range(0, len(packed), _BYTES)]
    return sum(counts[: seen + 1]) / total, sum(counts[seen:]) / total


def _ways(ranks: Sequence[int], chosen: int) -> int:
    """Return in how many ways so many of the ranks have each sum."""
    ways = [1] + [0] * chosen
    for rank in ranks:
        for number in range(chosen, 0, -1):
            ways[number] += ways[number - 1] << (8 * _BYTES * rank)
    return ways[chosen]


def _ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value; equal values share their mean rank."""
    ranks, below = {}, 0
    for value, times in sorted(Counter(values).items()):
        ranks[value] = 2 * below + times + 1
        below += times
    return [ranks[value] for value in values]
