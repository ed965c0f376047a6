"""OpenSpiel's own CFR+ and exploitability on one round of Perudo, with two dice each unless told otherwise.

    python -m benchmarks.openspiel_cfr [--dice N] [--options OPTIONS] [--checks ITERATIONS ...]

Only the rules are this library's: OpenSpiel keeps the tree (`cached_tree`), learns (`CFRPlusSolver`), and tells what a
perfect opponent would win a round (`exploitability`). Ones are not wild by default: wild ones make 154 million nodes of
3.5 million. Times are processor times. Two dice each take 10 GB.
"""

import argparse
import gc
import resource
import time

import pyspiel

import perudo_core.openspiel  # noqa: F401 - registers the game
from benchmarks.core_tables import head, row

KILOBYTES_OF_A_GIGABYTE = 1_000_000  # Linux counts the most memory in kilobytes


def seconds_since(start: float) -> str:
    """Processor time."""
    return f"{time.process_time() - start:.0f} s"


def main() -> None:
    """Learn, and print a row at each check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--options", default="wild_ones:false")
    parser.add_argument("--checks", type=int, nargs="+", default=[1, 10, 30], metavar="ITERATIONS")
    arguments = parser.parse_args()
    parameters = f"dice={arguments.dice},options={arguments.options}"
    gc.disable()  # the tree only grows: to look for garbage in it again and again would take longer than to make it
    begun = time.process_time()
    game = pyspiel.convert_to_cached_tree(pyspiel.load_game(f"python_perudo({parameters})"))
    solver = pyspiel.CFRPlusSolver(game)
    print(f"{parameters}: the tree takes {seconds_since(begun)}")
    head("iterations", "they took", "exploitability", "it took", "seat 0 wins", "most memory so far")
    done = 0
    for check in sorted(arguments.checks):
        start = time.process_time()
        for _ in range(check - done):
            solver.evaluate_and_update_policy()
        learnt, policy = seconds_since(start), solver.average_policy()
        start = time.process_time()
        exploitability = pyspiel.exploitability(game, policy)
        took = seconds_since(start)
        wins = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0]
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KILOBYTES_OF_A_GIGABYTE
        row(check, learnt, f"{exploitability:.4f}", took, f"{wins:+.4f}", f"{most:.1f} GB")
        done = check


if __name__ == "__main__":
    main()
