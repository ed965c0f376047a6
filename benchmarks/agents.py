"""The evidence of benchmarks/agents.md on how strong the agents of `perudo_core.agents` are, as one table.

    python -m benchmarks.agents [--games N] [--processes N] [--rows NAME ...]
    python -m benchmarks.agents --habits [NAME ...] [--levels LEVEL ...] [--presets NAME ...] [--games 400]

Each row is a table of four: the first player is measured, at all seats by turns and with the same dice at each. An
interval holds the share of games won with a confidence of 95 % (Wilson). A row of 2,000 games of the expert takes a
quarter of an hour of a core; run it under `nice`. With `--habits` each level plays three of each odd habit at each
rulebook: a row is a habit, a cell the share of games won with its interval.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import Final

from benchmarks.core_tables import head, row
from benchmarks.odd_players import HELD_OUT, ODD_PLAYERS
from perudo_core import PRESETS, Rules
from perudo_core.agents import Level
from perudo_core.agents.arena import ArenaResult, play


@dataclass(frozen=True)
class Row:
    """A table of players, and the share that the interval's lower end is to reach."""

    players: tuple[str, str, str, str]
    goal: float
    preset: str = "box_2009"
    palifico: bool = False


BAYES: Final = ("expert", "bayes", "bayes", "bayes")
ROWS: Final = {
    "bayes": Row(BAYES, 0.4),
    "binomial": Row(("expert", "binomial", "binomial", "binomial"), 0.6),
    "minimum": Row(("expert", "minimum", "minimum", "minimum"), 0.7),
    "pool": Row(("expert", "parrot", "maniac", "rock"), 0.25),
    "mixed": Row(("expert", "strong", "regular", "novice"), 0.3),
    "expert over strong": Row(("expert", "strong", "strong", "strong"), 0.3),
    "strong over regular": Row(("strong", "regular", "regular", "regular"), 0.3),
    "regular over novice": Row(("regular", "novice", "novice", "novice"), 0.3),
} | {preset: Row(BAYES, 0.27, preset, palifico=True) for preset in PRESETS}

HABIT_GOALS: Final = {Level.REGULAR: 0.2, Level.STRONG: 0.3, Level.EXPERT: 0.4}
"""The share of games that each level is to win against three of any habit."""


def main() -> None:
    """Play the rows or the habits that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--habits", nargs="*", choices=ODD_PLAYERS, metavar="NAME")
    parser.add_argument("--levels", nargs="+", choices=list(HABIT_GOALS), default=list(HABIT_GOALS), type=Level)
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=list(PRESETS))
    options = parser.parse_args()
    if options.habits is None:
        print_rows(options)
    else:
        print_habits(options)


def print_rows(options: argparse.Namespace) -> None:
    """Play the rows, and print one line for each."""
    head("row", "players", "games", "wins", "95 %", "goal", "reached", "median", "p99", "calibration error")
    for name in options.rows:
        wanted = ROWS[name]
        rules = Rules.preset(wanted.preset)
        if not wanted.palifico:
            rules = rules.with_options(palifico=False)
        shown = play(
            [ODD_PLAYERS.get(each, each) for each in wanted.players],
            rules,
            games=options.games,
            seed=options.seed,
            processes=options.processes,
            progress=_progress,
        )
        print_row(name, wanted, shown)


def print_habits(options: argparse.Namespace) -> None:
    """Play each level against three of each habit at each rulebook, and print one line for each level and habit."""
    for level in options.levels:
        lowest: list[tuple[float, str]] = []
        head("level", "three of", "chosen with", *options.presets, "median", "p99")
        for habit in options.habits or ODD_PLAYERS:
            first = []
            for preset in options.presets:
                shown = play(
                    (level.value, *[ODD_PLAYERS[habit]] * 3),
                    Rules.preset(preset),
                    games=options.games,
                    seed=options.seed,
                    processes=options.processes,
                )
                first.append(shown.players[0])
                lowest.append((first[-1].wins, f"{habit} at {preset}"))
            row(
                level.value,
                habit,
                "no" if habit in HELD_OUT else "yes",
                *(
                    f"{100 * each.wins:.0f} % ({100 * each.interval[0]:.0f}-{100 * each.interval[1]:.0f})"
                    for each in first
                ),
                f"{max(each.median_ms for each in first):.1f} ms",
                f"{max(each.p99_ms for each in first):.1f} ms",
            )
        share, where = min(lowest)
        print(
            f"\nWorst of {level.value}: {100 * share:.1f} % ({where}), goal {100 * HABIT_GOALS[level]:.0f} %",
            flush=True,
        )


def print_row(name: str, wanted: Row, shown: ArenaResult) -> None:
    """Return the result of a table's first player."""
    first = shown.players[0]
    low, high = first.interval
    row(
        name,
        " ".join(wanted.players),
        first.games,
        f"{100 * first.wins:.1f} %",
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{100 * wanted.goal:.0f} %",
        "yes" if low >= wanted.goal else "no",
        f"{first.median_ms:.1f} ms",
        f"{first.p99_ms:.1f} ms",
        f"{shown.calibration_error_by_calls:.3f}",
    )


def _progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
