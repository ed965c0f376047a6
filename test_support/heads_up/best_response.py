"""The result of a perfect opponent against a strategy of one round: exact, over all sequences of bids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from perudo_core._bid_numbers import count_bids, quantity_and_face
from perudo_core.agents._headup_tree import DUDO, Recent, Round
from test_support.heads_up.regrets import Array, hand_chances, payoffs

__all__ = ["BestResponse", "Strategy", "match_exploitability"]

Strategy: TypeAlias = Callable[[int, Recent], tuple[tuple[int, ...], Array]]
"""For a player (0 or 1) and the bids of the round: the calls, and the chance of each by hand."""


class BestResponse:
    """The best response of a player to the other's strategy, with any legal bid up to all dice."""

    def __init__(self, game: Round, responder: int, strategy: Strategy) -> None:
        self.game = game
        self.responder = responder
        self.strategy = strategy
        self._rules = game.kind.bid_rules
        self._payoffs: dict[tuple[int, int], Array] = {}
        self._followers: dict[int | None, tuple[int, ...]] = {}
        counts = (game.first, game.second)
        self._own, self._other = hand_chances(counts[responder]), hand_chances(counts[1 - responder])

    def value(self, opener: int) -> float:
        """Return the responder's result of a round, from -1 to 1, when this player opens."""
        return float(self._own @ self._value((), opener, self._other))

    def _value(self, bids: Recent, mover: int, reach: Array) -> Array:
        """By the responder's hand; `reach` is the probability that the other's hand and play lead here."""
        if mover == self.responder:
            options = [self._value((*bids, bid), 1 - mover, reach) for bid in self._next(bids)]
            if bids:
                options.append(self._payoff(mover, bids[-1]) @ reach)
            best: Array = np.max(options, axis=0).astype(np.float32)
            return best
        calls, chances = self.strategy(mover, bids)
        total = np.zeros_like(self._own)
        for index, call in enumerate(calls):
            going = reach * chances[:, index]
            if going.any():
                if call == DUDO:
                    total -= going @ self._payoff(mover, bids[-1])
                else:
                    total += self._value((*bids, call), 1 - mover, going)
        return total

    def _next(self, bids: Recent) -> tuple[int, ...]:
        last = bids[-1] if bids else None
        if last not in self._followers:
            ranges = self._rules.next_bids[None if last is None else quantity_and_face(last)].ranges
            self._followers[last] = tuple(
                number
                for number in range(count_bids(self.game.dice))
                for quantity, face in [quantity_and_face(number)]
                if ranges[face][0] <= quantity < ranges[face][1]
            )
        return self._followers[last]

    def _payoff(self, mover: int, bid: int) -> Array:
        if (mover, bid) not in self._payoffs:
            self._payoffs[mover, bid] = payoffs(self.game, mover, bid)
        return self._payoffs[mover, bid]


def match_exploitability(values: dict[tuple[int, int, int], float]) -> dict[tuple[int, int], float]:
    """Return the share of matches above one half that a perfect opponent wins, by the dice of both.

    `values[own, other, opener]` is the result of the best response in a round between a responder with `own` dice and
    the strategy with `other`; opener 0 is the responder. The loser of a die opens the next round; the loser of the last
    die loses the match.
    """
    chances: dict[tuple[int, int, int], float] = {}
    for own, other, opener in sorted(values):
        for mine in range(1, own + 1):
            chances[mine, 0, 0] = chances[mine, 0, 1] = 1.0
        for theirs in range(1, other + 1):
            chances[0, theirs, 0] = chances[0, theirs, 1] = 0.0
        won = (1 + values[own, other, opener]) / 2
        chances[own, other, opener] = won * chances[own, other - 1, 1] + (1 - won) * chances[own - 1, other, 0]
    pairs = {(own, other) for own, other, _ in values}
    mean = {pair: (chances[(*pair, 0)] + chances[(*pair, 1)]) / 2 for pair in pairs}
    return {(own, other): (mean[own, other] + mean[other, own] - 1) / 2 for own, other in sorted(pairs)}
