"""Print the table of solved rounds: their values, and the exploitability of the library's players and of other solvers.

python -m benchmarks.solved_games
"""

import argparse
from fractions import Fraction

import pyspiel

from perudo_core import Rules
from perudo_core.agents import create_agent
from perudo_core.solving import agent_policy, exploitability, solve, uniform_policy

BOX = Rules()
DUDO = Rules(plain_raise="any_higher", ones_rank="highest", ones_may_open=True)
"""Any higher bid, one wild face that ranks highest: Dudo as Neller and Hnath play it, OpenSpiel's and ReBeL's game."""
PLAIN = Rules(plain_raise="any_higher", wild_ones=False)
PALIFICO = "a palifico round (`box_2009`)"
ROUNDS = (
    ("one thing, ones wild (`box_2009`)", BOX, (1, 1), 6, None),
    ("the same", BOX, (2, 1), 6, None),
    ("the same", BOX, (1, 2), 6, None),
    ("any higher bid, one face wild and highest", DUDO, (1, 1), 6, Fraction(-7, 258)),
    ("the same", DUDO, (1, 1), 5, None),
    ("the same", DUDO, (1, 1), 4, None),
    ("the same", DUDO, (2, 2), 3, None),
    ("any higher bid, no wild face", PLAIN, (1, 1), 6, Fraction(-1, 9)),
    ("the same", PLAIN, (1, 1), 4, Fraction(-1, 8)),
    ("the same", PLAIN, (2, 1), 4, Fraction(345, 1696)),
    ("the same", PLAIN, (1, 2), 4, Fraction(-1, 8)),
    (PALIFICO, BOX, (1, 1), 6, None),
    (PALIFICO, BOX, (1, 2), 6, None),
    (PALIFICO, BOX, (1, 3), 6, None),
)
"""The published values are from Neller and Hnath 2012 for Dudo, else from the linear programs of thomasahle/snyd."""


def openspiel(dice: int, faces: int, iterations: int) -> float:
    """Return the exploitability of OpenSpiel's CFR+ on its own game."""
    game = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces})")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return float(pyspiel.exploitability(game, solver.average_policy()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=100)
    options = parser.parse_args()
    print("| bids | dice | faces | value | published | `solve` | OpenSpiel's CFR+ | `uniform_policy` |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for name, rules, dice, faces, published in ROUNDS:
        palifico = name == PALIFICO
        solved = solve(rules, dice, faces=faces, palifico=palifico, iterations=options.iterations)
        theirs = f"{openspiel(dice[0], faces, options.iterations):.5f}" if rules == DUDO else ""
        uniform = f"{exploitability(uniform_policy, rules, dice, palifico=palifico):.3f}" if faces == 6 else ""  # noqa: PLR2004 - real dice
        known = "" if published is None else f"{published} = {float(published):.4f}"
        cells = f"{solved.value:.4f} | {known} | {solved.exploitability:.5f} | {theirs} | {uniform}"
        print(f"| {name} | {dice[0]} and {dice[1]} | {faces} | {cells} |", flush=True)
    print()
    for level in ("novice", "regular", "strong", "expert"):
        policy = agent_policy(create_agent(level), samples=options.samples)
        of_both = (f"{exploitability(policy, BOX, (1, 1), palifico=kind):.3f}" for kind in (False, True))
        print(f"| `{level}` | {' | '.join(of_both)} |", flush=True)
