"""Counterfactual regret minimization on one round of two players, in arrays.

Fixed-strategy iteration with imperfect recall of actions: situations that look alike to the players are one node, which
is visited once in an iteration. Regrets are those of predictive CFR+ (Farina, Kroer and Sandholm, "Faster game solving
via predictive Blackwell approachability"): never below 0, and the next strategy expects the latest regrets once more.
The average weighs an iteration by the square of its number.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from perudo_core._bid_numbers import quantity_and_face
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core.agents._headup_tree import DUDO, Round, RoundKind, situations, tree_of
from perudo_core.odds import count_matching

__all__ = ["Array", "Solver", "hand_chances", "held", "payoffs"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"
Key: TypeAlias = "tuple[int, tuple[int, ...]]"

FORGOTTEN: Final = 0.1
"""The share of the iterations, from the first on, that the average leaves out."""


def hand_chances(count: int) -> Array:
    """Return the chance of each hand, in the order of `hand_outcomes`."""
    return np.array([float(chance) for _, chance in hand_outcomes(count)], dtype=np.float32)


def held(count: int, face: int, ones_are_wild: bool) -> Any:
    """Return the number of dice of each hand that count for a face."""
    return np.array([count_matching(hand, face, ones_are_wild) for hand, _ in hand_outcomes(count)])


def payoffs(game: Round, mover: int, bid: int) -> Array:
    """Return the mover's result of a dudo to this bid, by own hand and by the other's: 1 or -1."""
    quantity, face = quantity_and_face(bid)
    wild = game.kind is not RoundKind.PALIFICO
    counts = (game.first, game.second)
    own, other = held(counts[mover], face, wild), held(counts[1 - mover], face, wild)
    return np.where(own[:, None] + other[None, :] >= quantity, -1, 1).astype(np.float32)


class Solver:
    """Learns a strategy for both players of a round; for one, if both are in the same position."""

    def __init__(self, game: Round) -> None:
        self.game = game
        self.tree = tree_of(game.kind, game.dice)
        self.chances = (hand_chances(game.first), hand_chances(game.second))
        self.keys: list[Key] = [key for key in situations(game) if not (game.is_symmetric and key[0])]
        self._numbers = {key: number for number, key in enumerate(self.keys)}
        sides = [[number for number, key in enumerate(self.keys) if key[0] == mover] for mover in (0, 1)]
        self._places = {number: place for side in sides for place, number in enumerate(side)}
        self._sizes = tuple(map(len, sides))
        self._nodes = [self._node(key) for key in self.keys]
        self._regrets = [self._zeros(key) for key in self.keys]
        self._latest = [self._zeros(key) for key in self.keys]
        self._sums = [self._zeros(key) for key in self.keys]

    def _zeros(self, key: Key) -> Array:
        return np.zeros((len(self.chances[key[0]]), len(self.tree.actions[key[1]])), dtype=np.float32)

    def _other(self, mover: int) -> int:
        """Return the position of the other player's situations."""
        return mover if self.game.is_symmetric else 1 - mover

    def _node(self, key: Key) -> tuple[int, int, Any, Array | None]:
        """Return the mover, the position in their situations, the positions of the next ones, and a dudo's result."""
        mover, recent = key
        calls, other = self.tree.actions[recent], self._other(mover)
        following = [self._numbers[other, self.tree.after(recent, call)] for call in calls if call != DUDO]
        dudo = payoffs(self.game, mover, recent[-1]) if DUDO in calls else None
        return mover, self._places[self._numbers[key]], np.array([self._places[each] for each in following], int), dudo

    def run(self, iterations: int) -> None:
        """Run so many iterations."""
        first = int(iterations * FORGOTTEN)
        for iteration in range(iterations):
            self._iterate(max(0, iteration - first))

    def _iterate(self, weight: int) -> None:
        strategies = [
            normalized(np.maximum(regrets + latest, 0))
            for regrets, latest in zip(self._regrets, self._latest, strict=True)
        ]
        own_reach, others_reach = self._reaches(strategies)
        hands = [len(chances) for chances in self.chances]
        values = [np.empty((self._sizes[mover], hands[mover], hands[1 - mover]), dtype=np.float32) for mover in (0, 1)]
        for number in range(len(self.keys) - 1, -1, -1):
            mover, place, following, dudo = self._nodes[number]
            strategy, others = strategies[number], others_reach[mover][place]
            bids = len(following)
            gains = np.empty_like(strategy)
            value = np.zeros((hands[mover], hands[1 - mover]), dtype=np.float32)
            if bids:
                outcomes = values[self._other(mover)][following]  # by call, the other's hand, own hand; the other's
                gains[:, :bids] = -(others @ outcomes).T
                value -= (outcomes * strategy.T[:bids, None, :]).sum(axis=0).T
            if dudo is not None:
                gains[:, bids] = dudo @ others
                value += strategy[:, bids, None] * dudo
            values[mover][place] = value
            regrets = self._regrets[number]
            latest = self._latest[number]
            np.subtract(gains, (strategy * gains).sum(axis=1, keepdims=True), out=latest)
            regrets += latest
            np.maximum(regrets, 0, out=regrets)
            if weight:
                self._sums[number] += weight * weight * own_reach[mover][place][:, None] * strategy

    def _reaches(self, strategies: list[Array]) -> tuple[list[Array], list[Array]]:
        """For each situation, by hand: the probabilities that the mover's own play, and the other's, lead there.

        The other's includes the chance of the hand, the own does not.
        """
        hands = self.chances
        own = [np.zeros((self._sizes[mover], len(hands[mover])), dtype=np.float32) for mover in (0, 1)]
        others = [np.zeros((self._sizes[mover], len(hands[1 - mover])), dtype=np.float32) for mover in (0, 1)]
        for opener in self.game.openers:
            if (opener, ()) in self._numbers:
                place = self._places[self._numbers[opener, ()]]
                own[opener][place] = 1
                others[opener][place] = hands[1 - opener]
        for number, (mover, place, following, _) in enumerate(self._nodes):
            if len(following):
                other = self._other(mover)
                made = (own[mover][place] * hands[mover])[:, None] * strategies[number][:, : len(following)]
                own[other][following] += others[mover][place] / hands[1 - mover]
                others[other][following] += made.T
        return own, others

    def average(self, key: Key) -> Array:
        """Return the average strategy, a row for each hand."""
        mover, recent = key
        return normalized(self._sums[self._numbers[0 if self.game.is_symmetric else mover, recent]])


def normalized(weights: Array) -> Array:
    """Return each row scaled to the sum 1; an even row if all weights are 0."""
    totals = weights.sum(axis=1, keepdims=True)
    even = np.float32(1 / weights.shape[1])
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even).astype(np.float32)
