"""`python -m test_support.heads_up train`: make the shipped tables again; `exploitability`: judge them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from perudo_core.agents import _headup
from perudo_core.agents._headup_tree import RoundKind
from test_support.heads_up.evaluation import exploitabilities
from test_support.heads_up.tables import train


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m test_support.heads_up", description=__doc__)
    commands = parser.add_subparsers(required=True)
    again = commands.add_parser("train", help="make the heads-up tables again")
    again.set_defaults(run=_train)
    again.add_argument("--folder", type=Path, default=Path(_headup.__file__).parent / _headup.TABLES_FOLDER)
    again.add_argument("--most-dice", type=int, default=10, help="only rounds with so few dice in play (default 10)")
    again.add_argument("--iterations", type=int, help="instead of those that the shipped tables have")
    best = commands.add_parser("exploitability", help="what a perfect opponent wins heads-up against the tables")
    best.set_defaults(run=_exploitability)
    best.add_argument("--most-dice", type=int, default=4, help="only pairs with so few dice in play (default 4)")
    options = parser.parse_args(arguments)
    options.run(options)


def _progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _train(options: argparse.Namespace) -> None:
    train(options.folder, _progress, most=options.most_dice, iterations=options.iterations)


def _exploitability(options: argparse.Namespace) -> None:
    sys.stdout.write("| raise | own dice | other dice | matches won above an even share |\n|---|---|---|---|\n")
    for kind in (RoundKind.ONE_THING, RoundKind.NO_DECREASE):
        for (own, other), share in exploitabilities(kind, options.most_dice, _progress).items():
            sys.stdout.write(f"| {kind.value} | {own} | {other} | {share:.4f} |\n")


if __name__ == "__main__":
    main()
