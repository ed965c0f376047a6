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
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from perudo_core import FACES
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core.agents import _headup
from perudo_core.agents._headup_tree import DUDO, FEW_DICE, Recent, Round, RoundKind, rounds_of, situations, tree_of
from perudo_core.solving import _dudo_results, _Strategy, _Tree

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Integers: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
Key: TypeAlias = tuple[int, tuple[int, ...]]
Strategy: TypeAlias = Callable[[int, Recent], Array]
"""For a player (0 or 1) and the bids that they remember: by hand, the chance of each call of the tree."""

FORGOTTEN: Final = 0.1
"""The share of the iterations, from the first on, that the average leaves out."""
LEAST_LEVEL: Final = 0.3  # of a level of the table
"""Calls with a lower share of the average strategy are left out: most are remains of the first iterations."""
ONE_DIE_EACH: Final = 2
ITERATIONS: Final = {ONE_DIE_EACH: 1000, 3: 600, 4: 600, 8: 150, 9: 200, 10: 200}
OTHER_ITERATIONS: Final = 100
"""The number of iterations by the dice in play, and the number for all others."""


MOST_EXACT: Final = {RoundKind.ONE_THING: FEW_DICE, RoundKind.NO_DECREASE: FEW_DICE, RoundKind.ONES_LOWEST: 3}
"""The most dice in play with which all sequences of bids can be listed."""


@cache
def payoffs(game: Round, mover: int, bid: int) -> Array:
    """Return the mover's result of a dudo to this bid, by own hand and by the other's: 1 or -1."""
    hands = [[hand for hand, _ in hand_outcomes(count)] for count in (game.first, game.second)]
    wild = game.kind is not RoundKind.PALIFICO
    return _dudo_results(hands[mover], hands[1 - mover], bid, ones_are_wild=wild).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Group:
    """The situations of a player after one last bid: they have the same calls, and are computed at once."""

    mover: int
    recents: list[Recent]
    following: list["Following"]
    """For each bid the situations that it leads to."""
    dudo: Array | None
    """The result of a dudo, by own hand and by the other's."""


@dataclass(frozen=True, slots=True)
class Following:
    """The situations of another group to which one bid leads, several situations perhaps to the same one."""

    group: int
    rows: Integers
    """The place in the group, for each situation before the bid."""
    order: Integers
    """The situations before the bid, sorted by that place."""
    starts: Integers
    """In this order, the first one for each place in `reached`."""
    reached: Integers

    def add(self, total: Array, amounts: Array) -> None:
        """Add the amount of each situation before the bid to the situation that it leads to."""
        total[self.reached] += np.add.reduceat(amounts[self.order], self.starts, axis=0)


class Solver:
    """Learns a strategy for both players of a round; for one, if both are in the same position."""

    def __init__(self, game: Round) -> None:
        self.game = game
        self.tree = tree_of(game.kind, game.dice)
        chances = ([float(chance) for _, chance in hand_outcomes(count)] for count in (game.first, game.second))
        self.chances: list[Array] = [np.array(each, dtype=np.float32) for each in chances]
        self.keys: list[Key] = [key for key in situations(game) if not (game.is_symmetric and key[0])]
        members: dict[tuple[int, Recent], list[Recent]] = {}
        for mover, recent in self.keys:  # those that lead to others come first
            members.setdefault((mover, recent[-1:]), []).append(recent)
        self._numbers = {key: number for number, key in enumerate(members)}
        self._rows = {(key[0], recent): row for key, recents in members.items() for row, recent in enumerate(recents)}
        self._groups = [self._group(*key, recents) for key, recents in members.items()]
        shapes = [
            (len(group.recents), len(self.chances[group.mover]), len(self.tree.actions[group.recents[0]]))
            for group in self._groups
        ]
        zeros = ([np.zeros(shape, dtype=np.float32) for shape in shapes] for _ in range(3))
        self._regrets, self._latest, self._sums = zeros

    def _group(self, mover: int, last: Recent, recents: list[Recent]) -> Group:
        calls, other = self.tree.actions[recents[0]], mover if self.game.is_symmetric else 1 - mover
        following = []
        for call in calls:
            if call != DUDO:
                rows = np.array([self._rows[other, self.tree.after(recent, call)] for recent in recents])
                order = np.argsort(rows, kind="stable")
                reached, starts = np.unique(rows[order], return_index=True)
                following.append(Following(self._numbers[other, (call,)], rows, order, starts, reached))
        return Group(mover, recents, following, payoffs(self.game, mover, last[0]) if DUDO in calls else None)

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
        values: dict[int, Array] = {}
        for number in range(len(self._groups) - 1, -1, -1):
            group, strategy, others = self._groups[number], strategies[number], others_reach[number]
            gains = np.empty_like(strategy)
            values[number] = value = np.zeros((*strategy.shape[:2], others.shape[1]), dtype=np.float32)
            for bid, following in enumerate(group.following):
                outcomes = values[following.group][following.rows].swapaxes(1, 2)  # own hand, the other's
                gains[:, :, bid] = -(outcomes @ others[:, :, None])[:, :, 0]
                value -= strategy[:, :, bid, None] * outcomes
            if group.dudo is not None:
                gains[:, :, -1] = others @ group.dudo.T
                value += strategy[:, :, -1, None] * group.dudo
            regrets, latest = self._regrets[number], self._latest[number]
            np.subtract(gains, (strategy * gains).sum(axis=-1, keepdims=True), out=latest)
            regrets += latest
            np.maximum(regrets, 0, out=regrets)
            if weight:
                self._sums[number] += weight * weight * own_reach[number][:, :, None] * strategy

    def _reaches(self, strategies: list[Array]) -> tuple[list[Array], list[Array]]:
        """For each situation, by hand: the probabilities that the mover's own play, and the other's, lead there.

        The other's includes the chance of the hand, the own does not.
        """
        hands = self.chances
        own, others = (
            [
                np.zeros((len(group.recents), len(hands[abs(other - group.mover)])), dtype=np.float32)
                for group in self._groups
            ]
            for other in (0, 1)
        )
        for opener in self.game.openers:
            if (number := self._numbers.get((opener, ()))) is not None:
                own[number][:], others[number][:] = 1, hands[1 - opener]
        for number, group in enumerate(self._groups):
            made = (own[number] * hands[group.mover])[:, :, None] * strategies[number]
            replies = others[number] / hands[1 - group.mover]
            for bid, following in enumerate(group.following):
                following.add(own[following.group], replies)
                following.add(others[following.group], made[:, :, bid])
        return own, others

    def average(self, mover: int, recent: Recent) -> Array:
        mover = 0 if self.game.is_symmetric else mover
        return normalized(self._sums[self._numbers[mover, recent[-1:]]][self._rows[mover, recent]])


def normalized(weights: Array) -> Array:
    """Return each row scaled to the sum 1; an even row if all weights are 0."""
    totals = weights.sum(axis=-1, keepdims=True)
    even = np.float32(1 / weights.shape[-1])
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), even).astype(np.float32)


def best_results(game: Round, strategy: Strategy, opener: int = 0) -> tuple[float, float]:
    """Return what a perfect opponent of the strategy wins in a round, from -1 to 1: who opens, and who does not.

    With few dice the tables have every bid, in the order of `perudo_core.solving`.
    """
    counts = (game.first, game.second)
    tree = _Tree(game.kind.rules, (counts[opener], counts[1 - opener]), len(FACES), palifico=False)
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


def highest_weight(game: Round) -> int:
    """Return the highest weight in a table: finer ones where that costs little, rougher ones in the largest tables."""
    if game.dice == ONE_DIE_EACH:
        return 255
    return 7 if game.kind is RoundKind.ONES_LOWEST and game.first > FEW_DICE // 2 else 15


def quantized(strategy: Array, highest: int) -> bytes:
    """Return a strategy in bytes, call by call a weight for each hand, up to the highest: they compress best."""
    kept = np.where(strategy < LEAST_LEVEL / highest, 0, strategy)
    kept /= kept.max(axis=1, keepdims=True)
    return bytes(np.rint(kept * highest).astype(np.uint8).T.tobytes())


def trained(game: Round, iterations: int | None = None) -> bytes:
    """Return the table of a round; for one player, if both are in the same position."""
    solver = Solver(game)
    solver.run(ITERATIONS.get(game.dice, OTHER_ITERATIONS) if iterations is None else iterations)
    return b"".join(quantized(solver.average(*key), highest_weight(game)) for key in solver.keys)


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
    for kind, most in MOST_EXACT.items():
        for (own, other), share in exploitabilities(kind, min(most, options.most_dice), say).items():
            sys.stdout.write(f"| {kind.value} | {own} | {other} | {share:.4f} |\n")


if __name__ == "__main__":
    main()
