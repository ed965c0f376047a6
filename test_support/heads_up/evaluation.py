"""The result of a perfect opponent heads-up against the shipped tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from perudo_core._chance_outcomes import hand_outcomes
from perudo_core.agents._headup import weights
from perudo_core.agents._headup_tree import Recent, Round, RoundKind, tree_of
from test_support.heads_up.best_response import BestResponse, Strategy, match_exploitability
from test_support.heads_up.regrets import Array, Solver

__all__ = ["exploitabilities", "shipped_strategy", "solver_strategy"]


def solver_strategy(solver: Solver) -> Strategy:
    """Return the average strategy of a solver."""
    tree = solver.tree

    def strategy(mover: int, bids: Recent) -> tuple[tuple[int, ...], Array]:
        recent = bids[-tree.recall :]
        return tree.actions[recent], solver.average((mover, recent))

    return strategy


def shipped_strategy(game: Round) -> Strategy:
    """Return the strategy of the tables."""
    tree = tree_of(game.kind, game.dice)
    counts = (game.first, game.second)
    known: dict[tuple[int, Recent], Array] = {}

    def strategy(mover: int, bids: Recent) -> tuple[tuple[int, ...], Array]:
        recent = bids[-tree.recall :]
        if (mover, recent) not in known:
            rows = [weights(game, mover, recent, hand) or b"" for hand, _ in hand_outcomes(counts[mover])]
            table = np.array([list(row) for row in rows], dtype=np.float32)
            known[mover, recent] = table / table.sum(axis=1, keepdims=True)
        return tree.actions[recent], known[mover, recent]

    return strategy


def exploitabilities(kind: RoundKind, most_dice: int, say: Callable[[str], object]) -> dict[tuple[int, int], float]:
    """For each pair of dice counts the share of matches above one half that a perfect opponent wins.

    Exact, over all sequences of bids, for up to four dice in play: with more dice the tables lack some bids.
    """
    values: dict[tuple[int, int, int], float] = {}
    for first, second in _pairs(most_dice):
        game = Round(kind, first, second)
        for responder, (own, other) in enumerate(((first, second), (second, first))):
            best = BestResponse(game, responder, shipped_strategy(game))
            for opener in (0, 1):
                values[own, other, int(opener != responder)] = best.value(opener)
        won = ", ".join(f"{value:+.4f}" for key, value in values.items() if sorted(key[:2]) == sorted((first, second)))
        say(f"{kind.value} {first}-{second}: a perfect opponent wins a round by {won}")
    return match_exploitability(values)


def _pairs(most_dice: int) -> Iterator[tuple[int, int]]:
    for first in range(1, most_dice):
        for second in range(1, first + 1):
            if first + second <= most_dice:
                yield first, second
