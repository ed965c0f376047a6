"""Plays random games with the `perudo_core` that Python finds, and tells how long they took.

`core_baseline` runs this program once for each version that it compares. The first line of output tells where the
library lies. A line of input names a preset, a number of seats and a number of games; the line of output that answers
tells the seconds of processor time and the number of decisions.
"""

import gc
import random
import sys
import time
from pathlib import Path

import perudo_core
from perudo_core import Rules, apply, legal_actions, new_game, sample_roll


def play(rules: Rules, seats: int, games: int, rng: random.Random) -> int:
    """Play games to the end, as `Competitors.core_games` does; returns the number of decisions."""
    decisions = 0
    for _ in range(games):
        state = new_game(rules, seats)
        while not state.is_terminal:
            if state.turn is None:
                state = apply(state, sample_roll(state, rng)).state
            else:
                calls = legal_actions(state)
                state = apply(state, calls[int(rng.random() * len(calls))]).state
                decisions += 1
    return decisions


def main() -> None:
    """Answer line by line."""
    print(Path(perudo_core.__file__).resolve(), flush=True)
    rng = random.Random(7)
    for line in sys.stdin:
        preset, seats, games = line.split()
        rules = Rules.preset(preset)
        gc.collect()
        began = time.process_time()
        decisions = play(rules, int(seats), int(games), rng)
        print(time.process_time() - began, decisions, flush=True)


if __name__ == "__main__":
    main()
