"""How long `perudo_core.analysis` takes: `python -m benchmarks.analysis`.

Whole games of computer players of all levels, each analysed in this process: wall and CPU seconds, on one core.
"""

import argparse
import time
from random import Random

from perudo_core import PRESETS, Action, Record, Rules, apply, new_game, observe, record_of, sample_roll
from perudo_core.agents import create_agent, new_memory, remember_all
from perudo_core.analysis import analyse

LEVELS = ("expert", "strong", "regular", "novice", "strong", "regular")


def played(rules: Rules, players: int, seed: int) -> Record:
    """Return a game of computer players."""
    rng, state, actions = Random(seed), new_game(rules, players, opener=0), list[Action]()
    agents, memory = [create_agent(level) for level in LEVELS[:players]], new_memory(rules, players)
    while not state.is_terminal:
        turn = state.turn
        actions.append(
            sample_roll(state, rng) if turn is None else agents[turn].choose(observe(state, turn), memory, rng)
        )
        state, events = apply(state, actions[-1])
        memory = remember_all(memory, events)
    return record_of(rules, state.seats, actions, opener=0)


def main() -> None:
    """Analyse some games, and print what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2, help="of each rulebook and number of players (2)")
    options = parser.parse_args()
    print("| rulebook | players | calls | seconds | CPU seconds |")
    print("|---|---|---|---|---|")
    for preset in PRESETS:
        for players in (2, 4, 6):
            for seed in range(options.games):
                record = played(Rules.preset(preset).with_options(calza=True), players, seed)
                wall, cpu = time.perf_counter(), time.process_time()
                calls = sum(1 for _ in analyse(record).decisions)
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                print(f"| {preset} | {players} | {calls} | {wall:.1f} | {cpu:.1f} |", flush=True)


if __name__ == "__main__":
    main()
