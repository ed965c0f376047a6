"""`python -m test_support.tournament_shares`: how often the best player wins, by table size and share that goes on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final

from perudo_core import PRESETS, Action, Rules, apply, new_game, observe, sample_roll
from perudo_core._errors import expect_int
from perudo_core.agents import Agent, Character, create_agent, new_memory, remember_all
from perudo_core.agents.arena._intervals import wilson
from telegram_bot.features.tournament.draw import MOST_AT_A_TABLE, draw_tables, going_on, ranking

MOST_PLAYERS: Final = 1000
MOST_TOURNAMENTS: Final = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, or 2 for a tournament that cannot be played."""
    parser = argparse.ArgumentParser(
        prog="python -m test_support.tournament_shares",
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
                rng = Random(f"{options.seed} {number}")
                winner, games = play_tournament(agents, rules, rng, most_at_a_table=size, share=share)
                wins += winner == 0
            low, high = wilson(wins, options.tournaments)
            sys.stdout.write(
                f"| {size} | {share} | {games} | {wins / options.tournaments:.1%} | {low:.1%} to {high:.1%} |\n"
            )


def play_tournament(
    agents: Sequence[Agent], rules: Rules, rng: Random, *, most_at_a_table: int, share: Fraction
) -> tuple[int, int]:
    """Play every stage and the final; return the winner's index and the number of games."""
    left, games = list(range(len(agents))), 0
    while len(left) > 1:
        is_final = len(left) <= MOST_AT_A_TABLE
        tables = draw_tables(left, rng, most_at_a_table=MOST_AT_A_TABLE if is_final else most_at_a_table)
        games += len(tables)
        left = []
        for table in tables:
            wanted = 1 if is_final else going_on(len(table), share)
            best = _played([agents[player] for player in table], rules, rng, wanted)
            left += [table[seat] for seat in best]
    return left[0], games


def _played(agents: Sequence[Agent], rules: Rules, rng: Random, wanted: int) -> tuple[int, ...]:
    """Return the best seats of one table, which stops as soon as they are decided."""
    state, memory = new_game(rules, len(agents)), new_memory(rules, len(agents))
    while len(state.active_seats) > wanted:
        action: Action
        if state.turn is None:
            action = sample_roll(state, rng)
        else:
            action = agents[state.turn].choose(observe(state, state.turn), memory, rng)
        state, events = apply(state, action)
        memory = remember_all(memory, events)
    return ranking(state)[:wanted]


if __name__ == "__main__":
    sys.exit(main())
