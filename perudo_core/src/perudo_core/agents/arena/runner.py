"""Play many games with several processes, and tell what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any, Final

from perudo_core.agents.arena.games import Played, Tally, play_games
from perudo_core.agents.arena.intervals import calibration_error, percentile, wilson
from perudo_core.rules import Rules

__all__ = ["play_table", "report", "rows"]

CHUNKS: Final = 20
"""In how many parts the games are played, with a line of progress after each."""


def play_table(
    names: Sequence[str],
    rules: Rules,
    games: int,
    seed: int,
    *,
    processes: int = 1,
    say: Callable[[str], object] = print,
) -> Played:
    """Play so many games; `say` is told how far it is. The same seed gives the same games, whatever the processes."""
    size = max(len(names), -(-games // (CHUNKS * len(names))) * len(names))  # all rotations of a deal in one part
    parts = [range(start, min(start + size, games)) for start in range(0, games, size)]
    total = Played([Tally() for _ in names])
    if processes == 1:
        results = map(play_games, repeat(names), repeat(rules), parts, repeat(seed))
        _gather(total, results, names, say)
    else:
        with ProcessPoolExecutor(processes) as pool:
            _gather(total, pool.map(play_games, repeat(names), repeat(rules), parts, repeat(seed)), names, say)
    return total


def _gather(total: Played, results: Any, names: Sequence[str], say: Callable[[str], object]) -> None:
    for part in results:
        for tally, more in zip(total.tallies, part.tallies, strict=True):
            tally.add(more)
        total.by_dice += part.by_dice
        total.by_bids += part.by_bids
        total.by_calls += part.by_calls
        first = total.tallies[0]
        say(f"{first.games} games, {names[0]} won {first.wins}")


def rows(names: Sequence[str], played: Played) -> list[dict[str, Any]]:
    """For each name what its players did, players of the same name taken together."""
    found: dict[str, Tally] = {}
    for name, tally in zip(names, played.tallies, strict=True):
        found.setdefault(name, Tally()).add(tally)
    return [_row(name, tally) for name, tally in found.items()]


def _row(name: str, tally: Tally) -> dict[str, Any]:
    low, high = wilson(tally.wins, tally.games)
    return {
        "player": name,
        "games": tally.games,
        "wins": _share(tally.wins, tally.games),
        "interval": [low, high],
        "bluffs": _share(tally.bluffs, tally.bids),
        "doubts": _share(tally.doubts, tally.answers),
        "right": _share(tally.right_doubts, tally.doubts),
        "jump": _share(tally.jumps, tally.raises),
        "median_ms": 1000 * percentile(tally.seconds, 0.5),
        "p99_ms": 1000 * percentile(tally.seconds, 0.99),
        "failures": tally.failures,
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def report(names: Sequence[str], played: Played) -> dict[str, Any]:
    """What the games show, as JSON values."""
    return {
        "players": rows(names, played),
        "forecasts": len(played.by_dice),
        "forecasts_by_calls": len(played.by_calls),
        "calibration_error_by_dice": calibration_error(played.by_dice),
        "calibration_error_by_bids": calibration_error(played.by_bids),
        "calibration_error_by_calls": calibration_error(played.by_calls),
    }
