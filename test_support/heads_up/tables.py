"""Train the tables of each kind of round, and write them as the agents read them."""

from __future__ import annotations

import lzma
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from perudo_core.agents._headup_tree import MOST_DICE, Round, RoundKind, rounds_of
from test_support.heads_up.regrets import Array, Solver

__all__ = ["ITERATIONS", "compressed", "quantized", "solved", "train", "trained"]

LEVELS: Final = 15
LEAST_CHANCE: Final = 0.02
"""Calls with a lower share of the average strategy are left out: most are remains of the first iterations."""
ITERATIONS: Final = {2: 300, 3: 600, 4: 600, 8: 150, 9: 200, 10: 200}
OTHER_ITERATIONS: Final = 100
"""The number of iterations by the dice in play, and the number for all others."""


def quantized(strategy: Array) -> bytes:
    """Return a strategy in bytes, a row for each hand: weights from 0 to 15."""
    kept = np.where(strategy < LEAST_CHANCE, 0, strategy)
    kept /= kept.max(axis=1, keepdims=True)
    return bytes(np.rint(kept * LEVELS).astype(np.uint8).tobytes())


def solved(game: Round, iterations: int) -> Solver:
    """Return the solver of a round after its training."""
    solver = Solver(game)
    solver.run(iterations)
    return solver


def trained(game: Round, iterations: int | None = None) -> bytes:
    """Return the table of a round; for one player, if both are in the same position."""
    steps = ITERATIONS.get(game.dice, OTHER_ITERATIONS) if iterations is None else iterations
    solver = solved(game, steps)
    return b"".join(quantized(solver.average(key)) for key in solver.keys)


def compressed(table: bytes) -> bytes:
    """Return the bytes of a table's file."""
    return lzma.compress(table, preset=9 | lzma.PRESET_EXTREME)


def train(
    folder: Path, say: Callable[[str], object], *, most: int = 2 * MOST_DICE, iterations: int | None = None
) -> None:
    """Write the file of each round with at most so many dice in play."""
    started = time.monotonic()
    for game in sorted((game for kind in RoundKind for game in rounds_of(kind)), key=lambda game: game.dice):
        if game.dice <= most:
            table = trained(game, iterations)
            content = compressed(table)
            (folder / game.file_name).write_bytes(content)
            say(f"{game.file_name}: {len(table)} bytes, {len(content)} compressed; {time.monotonic() - started:.0f} s")
