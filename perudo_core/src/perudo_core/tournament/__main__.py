"""`python -m perudo_core.tournament`: how often does the best player win, by size of table and share that goes on?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final

from perudo_core._errors import expect_int
from perudo_core._rules import PRESETS, Rules
from perudo_core.agents import Character, create_agent
from perudo_core.agents.arena._intervals import wilson
from perudo_core.tournament import MOST_AT_A_TABLE
from perudo_core.tournament._simulation import play_tournament

MOST_PLAYERS: Final = 1000
MOST_TOURNAMENTS: Final = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, or 2 for a tournament that cannot be played."""
    parser = argparse.ArgumentParser(
        prog="python -m perudo_core.tournament",
        description="Simulate tournaments of one better player and others; a player is a level, such as regular:bold.",
    )
    parser.add_argument("--players", type=int, default=24)
    parser.add_argument("--best", default="regular", help="the better player (default regular)")
    parser.add_argument("--others", default="novice", help="all other players (default novice)")
    parser.add_argument("--tables", type=int, nargs="+", default=[*range(3, MOST_AT_A_TABLE + 1)], metavar="SIZE")
    parser.add_argument("--shares", type=Fraction, nargs="+", default=[Fraction(1, 2)], metavar="SHARE", help="as 1/2")
    parser.add_argument("--tournaments", type=int, default=100, help="in each row (default 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", choices=PRESETS, default=PRESETS[0])
    options = parser.parse_args(arguments)
    try:
        _print_table(options)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _print_table(options: argparse.Namespace) -> None:
    expect_int(options.players, "players", 2, MOST_PLAYERS)
    expect_int(options.tournaments, "tournaments", 1, MOST_TOURNAMENTS)
    best, other = (
        create_agent(level, character or Character.PLAIN)
        for level, _, character in (options.best.partition(":"), options.others.partition(":"))
    )
    agents, rules = [best, *[other] * (options.players - 1)], Rules.preset(options.preset)
    sys.stdout.write("| most at a table | share that goes on | games | the best player wins | 95 % |\n")
    sys.stdout.write("|---|---|---|---|---|\n")
    for size in options.tables:
        for share in options.shares:
            wins = games = 0
            for number in range(options.tournaments):
                rng = Random(f"{options.seed} {number}")  # noqa: S311 - a seed repeats a tournament
                winner, games = play_tournament(agents, rules, rng, most_at_a_table=size, share=share)
                wins += winner == 0
            low, high = wilson(wins, options.tournaments)
            sys.stdout.write(
                f"| {size} | {share} | {games} | {wins / options.tournaments:.1%} | {low:.1%} to {high:.1%} |\n"
            )


if __name__ == "__main__":
    sys.exit(main())
