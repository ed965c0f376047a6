"""Makes the tables that the `expert` plays by heads-up, and judges them: `python -m test_support.heads_up --help`.

Counterfactual regret minimization on one round of two players, in arrays: fixed-strategy iteration with imperfect
recall of actions, so situations that look alike to the players are one node, which is visited once in an iteration.
Regrets are those of predictive CFR+ (Farina, Kroer and Sandholm, "Faster game solving via predictive Blackwell
approachability"): never below 0, and the next strategy expects the latest regrets once more. The average weighs an
iteration by the square of its number.
"""

import argparse
import lzma
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from perudo_core import FACES, Rules
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core.agents import _headup
from perudo_core.agents._headup_tree import DUDO, FEW_DICE, Recent, Round, RoundKind, rounds_of, situations, tree_of
from perudo_core.solving import _dudo_results, _Strategy, _Tree

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Key: TypeAlias = tuple[int, tuple[int, ...]]
Strategy: TypeAlias = Callable[[int, Recent], Array]
"""For a player (0 or 1) and the bids that they remember: by hand, the chance of each call of the tree."""

FORGOTTEN: Final = 0.1
"""The share of the iterations, from the first on, that the average leaves out."""
LEVELS: Final = 15
LEAST_CHANCE: Final = 0.02
"""Calls with a lower share of the average strategy are left out: most are remains of the first iterations."""
ITERATIONS: Final = {2: 300, 3: 600, 4: 600, 8: 150, 9: 200, 10: 200}
OTHER_ITERATIONS: Final = 100
"""The number of iterations by the dice in play, and the number for all others."""


@cache
def payoffs(game: Round, mover: int, bid: int) -> Array:
    """Return the mover's result of a dudo to this bid, by own hand and by the other's: 1 or -1."""
    hands = [[hand for hand, _ in hand_outcomes(count)] for count in (game.first, game.second)]
    wild = game.kind is not RoundKind.PALIFICO
    return _dudo_results(hands[mover], hands[1 - mover], bid, ones_are_wild=wild).astype(np.float32)


class Solver:
    """Learns a strategy for both players of a round; for one, if both are in the same position."""

    def __init__(self, game: Round) -> None:
        self.game = game
        self.tree = tree_of(game.kind, game.dice)
        chances = ([float(chance) for _, chance in hand_outcomes(count)] for count in (game.first, game.second))
        self.chances: list[Array] = [np.array(each, dtype=np.float32) for each in chances]
        self.keys: list[Key] = [key for key in situations(game) if not (game.is_symmetric and key[0])]
        self._numbers = {key: number for number, key in enumerate(self.keys)}
        self._nodes = [self._node(key) for key in self.keys]
        shapes = [(len(self.chances[mover]), len(self.tree.actions[recent])) for mover, recent in self.keys]
        zeros = ([np.zeros(shape, dtype=np.float32) for shape in shapes] for _ in range(3))
        self._regrets, self._latest, self._sums = zeros

    def _node(self, key: Key) -> tuple[int, list[int], Array | None]:
        """Return the mover, the numbers of the next situations, and a dudo's result."""
        mover, recent = key
        calls, other = self.tree.actions[recent], mover if self.game.is_symmetric else 1 - mover
        following = [self._numbers[other, self.tree.after(recent, call)] for call in calls if call != DUDO]
        return mover, following, payoffs(self.game, mover, recent[-1]) if DUDO in calls else None

    def run(self, iterations: int) -> None:
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
        values: dict[int, Array] = {}
        for number in range(len(self.keys) - 1, -1, -1):
            mover, following, dudo = self._nodes[number]
            strategy, others = strategies[number], others_reach[number]
            bids = len(following)
            gains = np.empty_like(strategy)
            values[number] = value = np.zeros((hands[mover], hands[1 - mover]), dtype=np.float32)
            if bids:
                outcomes = np.stack([values[each] for each in following])  # by call, the other's hand, own hand
                gains[:, :bids] = -(others @ outcomes).T
                value -= (outcomes * strategy.T[:bids, None, :]).sum(axis=0).T
            if dudo is not None:
                gains[:, bids] = dudo @ others
                value += strategy[:, bids, None] * dudo
            regrets, latest = self._regrets[number], self._latest[number]
            np.subtract(gains, (strategy * gains).sum(axis=1, keepdims=True), out=latest)
            regrets += latest
            np.maximum(regrets, 0, out=regrets)
            if weight:
                self._sums[number] += weight * weight * own_reach[number][:, None] * strategy

    def _reaches(self, strategies: list[Array]) -> tuple[list[Array], list[Array]]:
        """For each situation, by hand: the probabilities that the mover's own play, and the other's, lead there.

        The other's includes the chance of the hand, the own does not.
        """
        hands = self.chances
        own = [np.zeros_like(hands[mover]) for mover, *_ in self._nodes]
        others = [np.zeros_like(hands[1 - mover]) for mover, *_ in self._nodes]
        for opener in self.game.openers:
            if (number := self._numbers.get((opener, ()))) is not None:
                own[number][:], others[number][:] = 1, hands[1 - opener]
        for number, (mover, following, _) in enumerate(self._nodes):
            made = (own[number] * hands[mover])[:, None] * strategies[number]
            for each, chances in zip(following, made.T, strict=False):
                own[each] += others[number] / hands[1 - mover]
                others[each] += chances
        return own, others

    def average(self, mover: int, recent: Recent) -> Array:
        return normalized(self._sums[self._numbers[0 if self.game.is_symmetric else mover, recent]])


def normalized(weights: Array) -> Array:
    """Return each row scaled to the sum 1; an even row if all weights are 0."""
    totals = weights.sum(axis=1, keepdims=True)
    even = np.float32(1 / weights.shape[1])
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even).astype(np.float32)


def best_results(game: Round, strategy: Strategy, opener: int = 0) -> tuple[float, float]:
    """Return what a perfect opponent of the strategy wins in a round, from -1 to 1: who opens, and who does not.

    With few dice the tables have every bid, in the order of `perudo_core.solving`.
    """
    counts = (game.first, game.second)
    tree = _Tree(Rules(plain_raise=game.kind.value), (counts[opener], counts[1 - opener]), len(FACES), palifico=False)
    recall, strategy = tree_of(game.kind, game.dice).recall, cache(strategy)
    chances: _Strategy = []
    sequences: list[Recent] = [()]
    for depth, level in enumerate(tree.levels):
        mover = (opener + depth) % 2
        rows = [strategy(mover, bids[-recall:]).T.astype(np.float64) for bids in sequences]
        raises = [row[:count] for row, count in zip(rows, level.count, strict=True)]
        dudo = np.array([row[-1] for row in rows]) if depth else np.zeros_like(rows[0][:1])
        chances.append((np.concatenate(raises), dudo))
        nexts = zip(level.parent.tolist(), level.next_last.tolist(), strict=True)
        sequences = [(*sequences[before], bid) for before, bid in nexts]
    return tree.best_results(chances)


def match_exploitability(values: dict[tuple[int, int, int], float]) -> dict[tuple[int, int], float]:
    """Return the share of matches above one half that a perfect opponent wins, by the dice of both.

    `values[own, other, opener]` is the result of the best response in a round between a responder with `own` dice and
    the strategy with `other`; opener 0 is the responder. The loser of a die opens the next round; the loser of the last
    die loses the match.
    """

    @cache
    def chance(own: int, other: int, opener: int) -> float:
        if not own or not other:
            return float(own > 0)
        won = (1 + values[own, other, opener]) / 2
        return won * chance(own, other - 1, 1) + (1 - won) * chance(own - 1, other, 0)

    mean = {(own, other): (chance(own, other, 0) + chance(own, other, 1)) / 2 for own, other, _ in sorted(values)}
    return {(own, other): (mean[own, other] + mean[other, own] - 1) / 2 for own, other in mean}


def shipped_strategy(game: Round) -> Strategy:
    counts = (game.first, game.second)

    def shipped(mover: int, recent: Recent) -> Array:
        rows = [_headup.weights(game, mover, recent, hand) or b"" for hand, _ in hand_outcomes(counts[mover])]
        return normalized(np.array([list(row) for row in rows], dtype=np.float32))

    return shipped


def exploitabilities(kind: RoundKind, most_dice: int, say: Callable[[str], object]) -> dict[tuple[int, int], float]:
    """For each pair of dice counts the share of matches above one half that a perfect opponent wins.

    Exact, over all sequences of bids, because with so few dice in play the tables have every bid.
    """
    values: dict[tuple[int, int, int], float] = {}
    for own, other in product(range(1, most_dice), repeat=2):
        if own + other <= most_dice:
            game = Round(kind, max(own, other), min(own, other))
            opens, answers = best_results(game, shipped_strategy(game), opener=int(own < other))
            values[own, other, 0], values[other, own, 1] = opens, answers
            say(f"{kind.value} {own}-{other}: a perfect opponent wins {opens:+.4f} who opens, {answers:+.4f} if not")
    return match_exploitability(values)


def quantized(strategy: Array) -> bytes:
    """Return a strategy in bytes, a row for each hand: weights from 0 to 15."""
    kept = np.where(strategy < LEAST_CHANCE, 0, strategy)
    kept /= kept.max(axis=1, keepdims=True)
    return bytes(np.rint(kept * LEVELS).astype(np.uint8).tobytes())


def trained(game: Round, iterations: int | None = None) -> bytes:
    """Return the table of a round; for one player, if both are in the same position."""
    solver = Solver(game)
    solver.run(ITERATIONS.get(game.dice, OTHER_ITERATIONS) if iterations is None else iterations)
    return b"".join(quantized(solver.average(*key)) for key in solver.keys)


def train(folder: Path, most: int, iterations: int | None, say: Callable[[str], object]) -> None:
    """Write the file of each round with at most so many dice in play."""
    started = time.monotonic()
    for game in sorted((game for kind in RoundKind for game in rounds_of(kind)), key=lambda game: game.dice):
        if game.dice <= most:
            table = trained(game, iterations)
            content = lzma.compress(table, preset=9 | lzma.PRESET_EXTREME)
            (folder / game.file_name).write_bytes(content)
            say(f"{game.file_name}: {len(table)} bytes, {len(content)} compressed; {time.monotonic() - started:.0f} s")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m test_support.heads_up", description="Make or judge the tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    again = commands.add_parser("train", help="make the heads-up tables again")
    again.add_argument("--folder", type=Path, default=Path(_headup.__file__).parent / _headup.TABLES_FOLDER)
    again.add_argument("--most-dice", type=int, default=10, help="only rounds with so few dice in play (default 10)")
    again.add_argument("--iterations", type=int, help="instead of those that the shipped tables have")
    best = commands.add_parser("exploitability", help="what a perfect opponent wins heads-up against the tables")
    best.add_argument("--most-dice", type=int, default=FEW_DICE, choices=range(2, FEW_DICE + 1), help="in play")
    options = parser.parse_args(arguments)
    say = partial(print, file=sys.stderr)
    if options.command == "train":
        train(options.folder, options.most_dice, options.iterations, say)
        return
    sys.stdout.write("| raise | own dice | other dice | matches won above an even share |\n|---|---|---|---|\n")
    for kind in (RoundKind.ONE_THING, RoundKind.NO_DECREASE):
        for (own, other), share in exploitabilities(kind, options.most_dice, say).items():
            sys.stdout.write(f"| {kind.value} | {own} | {other} | {share:.4f} |\n")


if __name__ == "__main__":
    main()
