"""`python -m test_support.tournament_shares`: how often a `regular` wins against 23 `novice`, by table size."""

import argparse
from collections.abc import Sequence
from fractions import Fraction
from random import Random

from perudo_core import Recorder, Rules, State, new_game, observe, sample_roll
from perudo_core.agents import Agent, create_agent, new_memory, remember_all
from perudo_core.agents.arena._intervals import wilson
from telegram_bot.features.tournament.draw import MOST_AT_A_TABLE, draw_tables, going_on, ranking


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m test_support.tournament_shares", description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[*range(3, MOST_AT_A_TABLE + 1)], metavar="SIZE")
    parser.add_argument("--shares", type=Fraction, nargs="+", default=[Fraction(1, 2)], metavar="SHARE", help="as 1/2")
    parser.add_argument("--tournaments", type=int, default=100, help="in each row (default 100)")
    options = parser.parse_args(arguments)
    agents, rules = [create_agent("regular"), *[create_agent("novice")] * 23], Rules()
    print("| most at a table | share that goes on | games | the best player wins | 95 % |")  # noqa: T201
    print("|---|---|---|---|---|")  # noqa: T201
    for size in options.tables:
        for share in options.shares:
            wins = games = 0
            for number in range(options.tournaments):
                rng = Random(f"1 {number}")
                winner, games = play_tournament(agents, rules, rng, most_at_a_table=size, share=share)
                wins += winner == 0
            low, high = wilson(wins, options.tournaments)
            print(f"| {size} | {share} | {games} | {wins / options.tournaments:.1%} | {low:.1%} to {high:.1%} |")  # noqa: T201


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
            game = played([agents[player] for player in table], new_game(rules, len(table)), rng, wanted)
            left += [table[seat] for seat in ranking(game.state)[:wanted]]
    return left[0], games


def played(agents: Sequence[Agent], start: State, rng: Random, wanted: int = 1) -> Recorder:
    """Let agents play a game until so many of them are left."""
    game, memory = Recorder(start), new_memory(start.rules, len(agents))
    while len(game.state.active_seats) > wanted:
        state, turn = game.state, game.state.turn
        action = sample_roll(state, rng) if turn is None else agents[turn].choose(observe(state, turn), memory, rng)
        memory = remember_all(memory, game.apply(action))
    return game


if __name__ == "__main__":
    main()
