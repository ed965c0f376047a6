"""The rounds of two players in the form of the shipped tables: their situations, and the calls in each.

A player remembers only the last few bids of the round (imperfect recall of actions, as in Neller and Hnath,
"Approximating optimal Dudo play with fixed-strategy iteration counterfactual regret minimization"). The tables and
their training walk the same list of nodes, so that a table is a run of bytes and needs no keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from perudo_core._bid_numbers import count_bids, quantity_and_face
from perudo_core._bidding import BidRules
from perudo_core._options import OnesRank, PlainRaise
from perudo_core._rules import Rules

__all__ = ["DUDO", "MOST_DICE", "Recent", "Round", "RoundKind", "Tree", "rounds_of", "situations", "tree_of"]

MOST_DICE: Final = 5
"""The most dice of one player in the tables."""
DUDO: Final = -1
MOST_JUMPED: Final = 2
"""The most dice by which a bid of the tables exceeds the least legal quantity of its face, with many dice in play."""
FEW_DICE: Final = 4
"""With at most so many dice in play the tables contain every legal bid."""
RECALL: Final = {2: 12, 3: 5, 4: 4, 5: 2, 6: 2, 7: 2, 8: 2}
"""The number of bids that are remembered, by the dice in play; one bid for more dice."""
ONES_LOWEST_JUMPED: Final = 1
ONES_LOWEST_RECALL: Final = RECALL | {3: 4}
"""Less where any higher bid is legal, so that the tables are not twice as large as the others."""

Recent: TypeAlias = tuple[int, ...]
"""The numbers of the last bids of the round, oldest first."""


class RoundKind(StrEnum):
    """The rounds of two players that have tables."""

    ONE_THING = "one_thing"
    NO_DECREASE = "no_decrease"
    ONES_LOWEST = "ones_lowest"  # any higher bid, as in most applications
    PALIFICO = "palifico"

    @property
    def rules(self) -> Rules:
        """Rules with such rounds."""
        if self is RoundKind.ONES_LOWEST:
            return Rules(plain_raise=PlainRaise.ANY_HIGHER, ones_rank=OnesRank.LOWEST, ones_may_open=True)
        return Rules() if self is RoundKind.PALIFICO else Rules(plain_raise=PlainRaise(self.value))

    @property
    def bid_rules(self) -> BidRules:
        """The options that decide which bid may follow which."""
        return self.rules.palifico_bid_rules if self is RoundKind.PALIFICO else self.rules.normal_bid_rules


@dataclass(frozen=True, slots=True)
class Round:
    """A kind of round between a player with `first` dice and one with `second`; in a palifico round the first opens."""

    kind: RoundKind
    first: int
    second: int

    @property
    def dice(self) -> int:
        """The dice in play."""
        return self.first + self.second

    @property
    def file_name(self) -> str:
        """The file of its table."""
        return f"{self.kind.value}-{self.first}-{self.second}.xz"

    @property
    def openers(self) -> tuple[int, ...]:
        """The players who may open, 0 and 1: both with the same chance, or only the first in a palifico round."""
        return (0,) if self.kind is RoundKind.PALIFICO else (0, 1)

    @property
    def is_symmetric(self) -> bool:
        """Whether both players are in the same position, so that one table serves both."""
        return self.kind is not RoundKind.PALIFICO and self.first == self.second


@dataclass(frozen=True, slots=True)
class Tree:
    """The calls of a round, by the last bids."""

    recall: int
    actions: dict[Recent, tuple[int, ...]]
    """For each situation the calls: bids by number, then dudo. Each situation comes before those it leads to."""

    def after(self, recent: Recent, bid: int) -> Recent:
        """Return the situation after one more bid."""
        return (*recent, bid)[-self.recall :]


def situations(game: Round) -> Iterator[tuple[int, Recent]]:
    """Yield each player's situations, the first's by 0 and the second's by 1, each before those it leads to."""
    tree = tree_of(game.kind, game.dice)
    reached: set[tuple[int, Recent]] = {(opener, ()) for opener in game.openers}
    for recent, calls in tree.actions.items():
        for mover in (0, 1):
            if (mover, recent) in reached:
                yield mover, recent
                reached |= {(1 - mover, tree.after(recent, bid)) for bid in calls if bid != DUDO}


def rounds_of(kind: RoundKind) -> Iterator[Round]:
    """Yield all rounds of a kind."""
    for first in range(1, MOST_DICE + 1):
        for second in range(1, MOST_DICE + 1 if kind is RoundKind.PALIFICO else first + 1):
            if kind is not RoundKind.PALIFICO or first == 1:
                yield Round(kind, first, second)


@lru_cache(maxsize=64)
def tree_of(kind: RoundKind, dice: int) -> Tree:
    """Return all situations of a round with so many dice in play.

    >>> tree = tree_of(RoundKind.ONE_THING, 2)
    >>> [quantity_and_face(bid) for bid in tree.actions[()]][:3]
    [(1, 2), (1, 3), (1, 4)]
    """
    rules = kind.bid_rules
    any_higher = kind is RoundKind.ONES_LOWEST
    limit = dice if dice <= FEW_DICE else ONES_LOWEST_JUMPED if any_higher else MOST_JUMPED
    strengths = [rules.strength(quantity_and_face(bid)) for bid in range(count_bids(dice))]
    calls = {last: _calls(rules, last, dice, limit) for last in range(count_bids(dice))}
    tree = Tree((ONES_LOWEST_RECALL if any_higher else RECALL).get(dice, 1), {})
    found: dict[Recent, tuple[int, ...]] = {(): _calls(rules, None, dice, limit)}
    waiting: list[Recent] = [()]
    while waiting:
        recent = waiting.pop()
        for bid in found[recent]:
            if bid != DUDO:
                after = tree.after(recent, bid)
                if after not in found:
                    found[after] = calls[bid]
                    waiting.append(after)
    for recent in sorted(found, key=lambda recent: [strengths[bid] for bid in reversed(recent)]):
        tree.actions[recent] = found[recent]
    return tree


def _calls(rules: BidRules, last: int | None, dice: int, limit: int) -> tuple[int, ...]:
    """Return the bids up to the dice in play, without those far above the least; then dudo."""
    ranges = rules.next_bids[None if last is None else quantity_and_face(last)].ranges
    limit = dice if last is None else limit
    bids = []
    for number in range(count_bids(dice)):
        quantity, face = quantity_and_face(number)
        first, stop = ranges[face]
        if first <= quantity < min(stop, first + limit + 1):
            bids.append(number)
    return tuple(bids) if last is None else (*bids, DUDO)
