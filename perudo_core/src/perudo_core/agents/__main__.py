"""`python -m perudo_core.agents arena PLAYER ...`: play a table of agents; `engine LEVEL`: be one of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from perudo_core._errors import RulesError
from perudo_core._notation_words import option_value
from perudo_core._output import cannot_print
from perudo_core._programs import CommandError
from perudo_core._record import dump_json
from perudo_core._rules import PRESETS, Rules
from perudo_core.agents._registry import Level
from perudo_core.agents._temperament import Character
from perudo_core.agents.arena._runner import PlayerResult, play
from perudo_core.agents.engines import SECONDS, agent_engine, serve

PLAYERS: Final = (
    f"a level ({', '.join(Level)}), with a character if you like, as regular:bold ({', '.join(Character)}); "
    "or engine:COMMAND, a program that speaks the protocol of docs/engine-protocol.md"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, 2 for what cannot be played or kept, or 1."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError as error:
        return cannot_print(error)
    except (RulesError, CommandError, ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m perudo_core.agents", description="Computer players of Perudo.")
    commands = parser.add_subparsers(required=True)
    arena = commands.add_parser("arena", help="let agents play each other", description=f"A player is {PLAYERS}.")
    arena.set_defaults(run=_arena)
    arena.add_argument("players", nargs="+", metavar="PLAYER")
    arena.add_argument("--games", type=int, default=200, help="the seats rotate with the same dice (default 200)")
    arena.add_argument("--seed", type=int, default=1)
    arena.add_argument("--preset", choices=PRESETS, default=PRESETS[0])
    arena.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="as calza=true; may be repeated"
    )
    arena.add_argument("--seconds", type=float, default=SECONDS, help="for each answer of a program (default 10)")
    arena.add_argument("--processes", type=int, default=1)
    arena.add_argument(
        "--games-to",
        type=Path,
        metavar="FILE.jsonl",
        help="write the record of each game, which python -m perudo_core replay reads",
    )
    arena.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    engine = commands.add_parser("engine", help="play one level over JSON lines, as any program of the arena does")
    engine.set_defaults(run=_engine)
    engine.add_argument("player", metavar="LEVEL[:CHARACTER]")
    return parser


def _rules(options: argparse.Namespace) -> Rules:
    values: dict[str, Any] = {}
    for text in options.option:
        name, _, value = text.partition("=")
        values[name] = option_value(value)
    return Rules.preset(options.preset).with_options(**values)


def _arena(options: argparse.Namespace) -> int:
    with options.games_to.open("w", encoding="utf-8") if options.games_to else nullcontext() as file:
        shown = play(
            options.players,
            _rules(options),
            games=options.games,
            seed=options.seed,
            processes=options.processes,
            seconds=options.seconds,
            progress=_progress,
            on_game=file and (lambda record: file.write(dump_json(record.to_dict()) + "\n")),
        )
    if options.json:
        # The rating of a player who won none of the games, or all, is infinite: JSON has null for it.
        values = json.loads(json.dumps(asdict(shown)), parse_constant=lambda _: None)
        sys.stdout.write(json.dumps(values, allow_nan=False) + "\n")
        return 0
    columns = "player | games | wins | 95 % | rating | 95 % | bluffs | doubts | right | jump | median | p99"
    columns += " | late | illegal | failures"
    sys.stdout.write(f"| {columns} |\n|{'---|' * (columns.count('|') + 1)}\n")
    for each in shown.players:
        sys.stdout.write(_line(each))
    sys.stdout.write(
        f"Calibration error of {shown.forecasts} forecasts: by dice alone {shown.calibration_error_by_dice:.3f}, "
        f"by the faces bid last {shown.calibration_error_by_bids:.3f}, "
        f"by all calls {shown.calibration_error_by_calls:.3f} ({shown.forecasts_by_calls} of the forecasts)\n"
    )
    return 0


def _line(each: PlayerResult) -> str:
    low, high = each.interval
    cells = [
        each.player,
        str(each.games),
        f"{100 * each.wins:.1f} %",
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{each.rating:+.0f}",
        "{:+.0f} to {:+.0f}".format(*each.rating_interval),
        *(f"{100 * share:.1f} %" for share in (each.bluffs, each.doubts, each.right)),
        f"{each.jump:.2f}",
        f"{each.median_ms:.1f} ms",
        f"{each.p99_ms:.1f} ms",
        *map(str, (each.late, each.illegal, each.failures)),
    ]
    return f"| {' | '.join(cells)} |\n"


def _engine(options: argparse.Namespace) -> int:
    serve(agent_engine(options.player), name=options.player, interrupts=True)
    return 0


def _progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
