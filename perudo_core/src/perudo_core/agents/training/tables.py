"""Train the tables of each kind of round, and write them as the agents read them."""

from __future__ import annotations

import lzma
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np

from perudo_core.agents.headup_tree import Round, RoundKind, rounds_of
from perudo_core.agents.training.regrets import Array, Solver

__all__ = ["ITERATIONS", "quantized", "solved", "train", "trained"]

LEVELS: Final = 15
LEAST_CHANCE: Final = 0.02
"""A call that the average strategy makes more rarely is left out: mostly what the first iterations left behind."""
ITERATIONS: Final = {2: 1500, 3: 800, 4: 500}
MANY_DICE_ITERATIONS: Final = 300
"""By the dice in play; with more dice than four these."""


def quantized(strategy: Array) -> bytes:
    """A strategy in bytes, a row for each hand: weights from 0 to 15."""
    kept = np.where(strategy < LEAST_CHANCE, 0, strategy)
    kept /= kept.max(axis=1, keepdims=True)
    return np.rint(kept * LEVELS).astype(np.uint8).tobytes()


def solved(game: Round, iterations: int) -> Solver:
    """The solver of a round after its training."""
    solver = Solver(game)
    solver.run(iterations)
    return solver


def trained(game: Round, iterations: int | None = None) -> bytes:
    """The table of a round; of one where both are in the same place, for one of them."""
    steps = ITERATIONS.get(game.dice, MANY_DICE_ITERATIONS) if iterations is None else iterations
    solver = solved(game, steps)
    return b"".join(quantized(solver.average(key)) for key in solver.keys)


def train(
    folder: Path, say: Callable[[str], object], iterations: int | None = None, most: int = 10, processes: int = 1
) -> None:
    """Write the file of each kind of round; with `most`, only of rounds with so few dice in play."""
    for kind in RoundKind:
        games = [game for game in rounds_of(kind) if game.dice <= most]
        started = time.monotonic()
        with ProcessPoolExecutor(processes) as pool:
            tables = []
            for game, table in zip(games, pool.map(trained, games, [iterations] * len(games)), strict=True):
                say(f"{kind.value} {game.first}-{game.second}: {len(table)} bytes, {time.monotonic() - started:.0f} s")
                tables.append(table)
        content = lzma.compress(b"".join(tables), preset=9 | lzma.PRESET_EXTREME)
        (folder / f"{kind.value}.xz").write_bytes(content)
        say(f"{kind.value}: {len(content)} bytes")
