"""How fast `perudo_core` is compared with OpenSpiel's C++ `liars_dice` driven from Python.

    make bench

All players are random and draw from the same generator, and every call of either side is checked: OpenSpiel's by
`apply_action_with_legality_check`. Our rules are OpenSpiel's: any higher bid, by quantity and then by face; one wild
face, the highest (ones here, sixes there); no palifico; all dice counts known. Times are processor times. The
competitors take turns, again and again: a rate in a table is the median of its turns, a ratio is the median of the
ratios within a turn.
"""

import argparse
import gc
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from benchmarks.core_tables import head, median, ratio, row, three_digits
from perudo_core import (
    Record,
    Recorder,
    Rules,
    apply,
    dump_state,
    legal_calls,
    load_state,
    new_game,
    replay,
    sample_roll,
)
from perudo_core.batch import play_random

Run = Callable[[], int]
Prepare = Callable[["Competitors"], Run]

NEAR = Rules.preset("aces").with_options(
    plain_raise="any_higher", ones_rank="highest", ones_may_open=True, palifico=False
)
BOX = Rules.preset("box_2009")


class Competitors:
    """Each function returns how many decisions, games or trips it made."""

    def __init__(self, dice: int, size: int) -> None:
        self.size = size
        self.rng = random.Random(7)
        self.rules = NEAR.with_options(starting_dice=dice)
        self.spiel = pyspiel.load_game(f"liars_dice(numdice={dice})")

    def core_rounds(self) -> int:
        """Play rounds from before the roll to the doubt."""
        start = new_game(self.rules, 2, opener=0)
        draw, decisions = self.rng.random, 0
        for _ in range(self.size):
            state = apply(start, sample_roll(start, self.rng)).state
            while state.turn is not None:
                calls = legal_calls(state)
                state = apply(state, calls[int(draw() * len(calls))]).state
                decisions += 1
        return decisions

    def core_games(self) -> int:
        """Whole games by the box, as printed."""
        for _ in range(self.size):
            state = new_game(BOX, 4)
            while not state.is_terminal:
                if state.turn is None:
                    state = apply(state, sample_roll(state, self.rng)).state
                else:
                    calls = legal_calls(state)
                    state = apply(state, calls[int(self.rng.random() * len(calls))]).state
        return self.size

    def spiel_rounds(self) -> int:
        """As OpenSpiel's example plays: chance by its outcomes, a die at a time; the state is changed in place."""
        draw, decisions = self.rng.random, 0
        for _ in range(self.size):
            state = self.spiel.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action_with_legality_check(self.rng.choices(actions, weights)[0])
                else:
                    calls = state.legal_actions()
                    state.apply_action_with_legality_check(calls[int(draw() * len(calls))])
                    decisions += 1
        return decisions

    def spiel_children(self) -> int:
        """Return the same, but the state before a call stays what it was, as it does here. `child` checks nothing."""
        draw, decisions = self.rng.random, 0
        for _ in range(self.size):
            state = self.spiel.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state = state.child(self.rng.choices(actions, weights)[0])
                else:
                    calls = state.legal_actions()
                    state = state.child(calls[int(draw() * len(calls))])
                    decisions += 1
        return decisions

    def core_rolled(self) -> Run:
        """Time decisions alone, in rounds already rolled."""
        start = new_game(self.rules, 2, opener=0)
        states = [apply(start, sample_roll(start, self.rng)).state for _ in range(self.size)]

        def run() -> int:
            draw, decisions = self.rng.random, 0
            for rolled in states:
                state = rolled
                while state.turn is not None:
                    calls = legal_calls(state)
                    state = apply(state, calls[int(draw() * len(calls))]).state
                    decisions += 1
            return decisions

        return run

    def spiel_rolled(self) -> Run:
        """Time the same decisions in OpenSpiel."""
        states = [self.rolled() for _ in range(self.size)]

        def run() -> int:
            draw, decisions = self.rng.random, 0
            for state in states:
                while not state.is_terminal():
                    calls = state.legal_actions()
                    state.apply_action_with_legality_check(calls[int(draw() * len(calls))])
                    decisions += 1
            return decisions

        return run

    def spiel_rolled_children(self) -> Run:
        """Time the same decisions in OpenSpiel, keeping the earlier states."""
        states = [self.rolled() for _ in range(self.size)]

        def run() -> int:
            draw, decisions = self.rng.random, 0
            for rolled in states:
                state = rolled
                while not state.is_terminal():
                    calls = state.legal_actions()
                    state = state.child(calls[int(draw() * len(calls))])
                    decisions += 1
            return decisions

        return run

    def rolled(self) -> Any:
        """Return a round of OpenSpiel's with its dice on the table."""
        state = self.spiel.new_initial_state()
        while state.is_chance_node():
            state.apply_action(int(self.rng.random() * 6))
        return state

    def batch(self) -> int:
        """Whole games of two, 10,000 at once; a few times, for with one die they take but 3 ms."""
        rng = np.random.default_rng(7)
        return sum(int(play_random(self.rules, 2, 10_000, rng).decisions.sum()) for _ in range(5))


def rate(run: Run) -> float:
    """Rates in a second."""
    gc.collect()
    began = time.process_time()
    made = run()
    return made / (time.process_time() - began)


def race(turns: int, *runs: Callable[[], Run]) -> list[list[float]]:
    """Measure each competitor's rates in turn. The clock of a run starts after its preparation."""
    rates: list[list[float]] = [[] for _ in runs]
    for _ in range(turns):
        for of_one, prepare in zip(rates, runs, strict=True):
            of_one.append(rate(prepare()))
    return rates


def _rate_cell(rates: list[float]) -> str:
    return three_digits(median(rates))


def compare(what: str, options: argparse.Namespace, ours: Prepare, others: dict[str, Prepare]) -> None:
    """Print a table for two players with 1 to 5 dice: our rate, and each other's with our ratio to it."""
    head(what, "ours", *(cell for name in others for cell in (name, "ratio")))
    ratios: dict[str, list[float]] = {name: [] for name in others}
    for dice in range(1, 6):
        competitors = Competitors(dice, options.size)
        rates = race(options.turns, *(partial(prepare, competitors) for prepare in (ours, *others.values())))
        cells = []
        for name, theirs in zip(others, rates[1:], strict=True):
            ratios[name].append(ratio(rates[0], theirs))
            cells += [_rate_cell(theirs), f"{ratios[name][-1]:.2f}"]
        row(f"2 x {dice}", _rate_cell(rates[0]), *cells)
    row(
        "geometric mean",
        "",
        *(cell for each in ratios.values() for cell in ("", f"{statistics.geometric_mean(each):.2f}")),
    )


def decisions(options: argparse.Namespace) -> None:
    """Compare the engine with OpenSpiel."""
    others: dict[str, Prepare] = {
        "OpenSpiel, in place": lambda c: c.spiel_rounds,
        "OpenSpiel, `child`": lambda c: c.spiel_children,
    }
    compare("decisions/s, rolls included", options, lambda c: c.core_rounds, others)
    others = {
        "OpenSpiel, in place": Competitors.spiel_rolled,
        "OpenSpiel, `child`": Competitors.spiel_rolled_children,
    }
    compare("decisions/s, dice rolled before", options, Competitors.core_rolled, others)


def batches(options: argparse.Namespace) -> None:
    """Compare the batch with OpenSpiel and the engine."""
    others: dict[str, Prepare] = {
        "OpenSpiel, in place": lambda c: c.spiel_rounds,
        "our engine": lambda c: c.core_rounds,
    }
    compare("decisions/s of 10,000 games in a batch, rolls included", options, lambda c: c.batch, others)


def games(options: argparse.Namespace) -> None:
    """Measure what OpenSpiel lacks: more than two players, more than one round."""

    def batch() -> int:
        play_random(BOX, 4, 10_000, np.random.default_rng(7))
        return 10_000

    competitors = Competitors(5, max(1, options.size // 20))
    engine, arrays = race(options.turns, lambda: competitors.core_games, lambda: batch)
    head("games/s", "our engine", "batch of 10,000")
    row("4 x 5 by box_2009, to the end", _rate_cell(engine), _rate_cell(arrays))


def trips(options: argparse.Namespace) -> None:
    """Print the rates of storing a state and reading it again, and of reading a record."""
    size: int = options.size
    rng = random.Random(7)
    recorder = Recorder(new_game(BOX, 4, opener=0))
    while not recorder.state.is_terminal:
        state = recorder.state
        recorder.apply(sample_roll(state, rng) if state.turn is None else rng.choice(legal_calls(state)))
    record = recorder.record().to_json()
    competitors = Competitors(5, size)
    start = new_game(competitors.rules, 2, opener=0)
    middle, their = apply(start, sample_roll(start, rng)).state, competitors.rolled()
    for _ in range(4):
        middle = apply(middle, legal_calls(middle)[0]).state
        their.apply_action(their.legal_actions()[0])

    def our_state() -> int:
        for _ in range(size):
            load_state(json.loads(json.dumps(dump_state(middle))))
        return size

    def their_state() -> int:
        for _ in range(size):
            competitors.spiel.deserialize_state(their.serialize())
        return size

    def our_record() -> int:
        for _ in range(size // 10):
            replay(Record.from_json(record))
        return size // 10

    ours, theirs, records = race(options.turns, lambda: our_state, lambda: their_state, lambda: our_record)
    head("there and back, /s", "ours", "OpenSpiel", "ratio")
    row(
        "state of 2 x 5, 4 bids: JSON and proof; `serialize`",
        _rate_cell(ours),
        _rate_cell(theirs),
        f"{ratio(ours, theirs):.2f}",
    )
    row(f"record of a game of 4 x 5, {len(record):,} characters: read and replayed", _rate_cell(records), "", "")


def memory(size: int) -> None:
    """Measure one state in bytes, by the growth of the process while it keeps states with their dice and bids."""
    c = Competitors(5, size)

    def ours() -> list[Any]:
        kept: list[Any] = []
        start = new_game(c.rules, 2, opener=0)
        while len(kept) < 20 * size:
            state = apply(start, sample_roll(start, c.rng)).state
            while state.turn is not None:
                kept.append(state)
                calls = legal_calls(state)
                state = apply(state, calls[int(c.rng.random() * len(calls))]).state
        return kept

    def theirs() -> list[Any]:
        kept: list[Any] = []
        while len(kept) < 20 * size:
            state = c.rolled()
            while not state.is_terminal():
                kept.append(state)
                calls = state.legal_actions()
                state = state.child(calls[int(c.rng.random() * len(calls))])
        return kept

    head("bytes per state kept", "ours", "OpenSpiel")
    row("2 x 5, every state of random rounds", *(_growth(make) for make in (ours, theirs)))


def _growth(make: Callable[[], list[Any]]) -> int:
    """Measure in a new process, in which no freed memory is used again."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        before = _resident()
        kept = make()
        os.write(write, str((_resident() - before) // len(kept)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return int(os.read(read, 99))


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=15, help="how often each is measured")
    parser.add_argument("--size", type=int, default=1500, help="rounds in one measurement")
    options = parser.parse_args()
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {options.turns} turns of {options.size} rounds")
    memory(options.size)
    decisions(options)
    batches(options)
    games(options)
    trips(options)


if __name__ == "__main__":
    main()
