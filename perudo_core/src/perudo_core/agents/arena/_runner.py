"""Plays many games with several processes, and sums up each player's results."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final

from perudo_core._errors import expect_int, expect_type
from perudo_core._record import Record
from perudo_core._rules import Rules
from perudo_core.agents.arena._games import Played, Tally, play_games
from perudo_core.agents.arena._intervals import calibration_error, percentile, rating_difference, wilson
from perudo_core.agents.arena._players import Player, name_of
from perudo_core.agents.engines import SECONDS

__all__ = ["ArenaResult", "PlayerResult", "play"]

MOST_GAMES: Final = 1_000_000_000
MOST_PROCESSES: Final = 1024
CHUNKS: Final = 20
"""The number of parts in which the games are played, with a line of progress after each."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The results of a player. Shares are from 0 to 1. Equality ignores the times that decisions took."""

    player: str
    """The player's name; equal names have numbers."""
    games: int
    wins: float
    """The share of games won."""
    interval: tuple[float, float]
    """The interval of that share, with a confidence of 95 % (Wilson)."""
    rating: float
    """The difference from the mean of the others on Elo's scale, which follows from the share of games won."""
    rating_interval: tuple[float, float]
    """The interval of that difference. Mirrored dice make chance smaller than it assumes, so it is rather too wide."""
    bluffs: float
    """The share of bids whose bidder had less than an even share of the bid."""
    doubts: float
    """The share of dudos and calzas among the answers to a bid."""
    right: float
    """The share of right dudos among all dudos and calzas."""
    jump: float
    """The dice by which a raise exceeds the least legal quantity of its face, on average."""
    median_ms: float = field(compare=False)
    """Processor time for a decision; for a program's, time of the clock."""
    p99_ms: float = field(compare=False)
    failures: int
    """The number of exceptions and illegal calls; on their turn the player concedes the round for each."""
    first_failure: str = field(compare=False)
    """The traceback of the first exception, or the reason against the first illegal call; empty without a failure."""
    late: int = 0
    """The failures of a program that did not answer in time."""
    illegal: int = 0
    """The failures that were an answer, but no legal call."""


@dataclass(frozen=True, slots=True)
class ArenaResult:
    """The results of some games. A calibration error is the expected one over ten bins, see `benchmarks/agents.md`."""

    players: tuple[PlayerResult, ...]
    """One result for each player, in the order of the arguments."""
    forecasts: int
    forecasts_by_calls: int
    calibration_error_by_dice: float
    calibration_error_by_bids: float
    calibration_error_by_calls: float


def play(
    players: Sequence[Player],
    rules: Rules | None = None,
    *,
    games: int = 200,
    seed: int = 1,
    processes: int = 1,
    strict: bool = False,
    seconds: float = SECONDS,
    progress: Callable[[str], object] | None = None,
    on_game: Callable[[Record], object] | None = None,
) -> ArenaResult:
    """Let players play each other; each plays every seat, with the same dice.

    A player is a name such as `expert`, `regular:bold` or `engine:COMMAND`, an `Agent`, or a class or function
    that makes one. The result has a row for each player, named by the agent's `name`, else by its class; equal names
    get numbers. An agent that raises an exception, or makes an illegal call, concedes the round; out of turn its call
    is ignored. Failures are counted, and a `RuntimeWarning` shows the first one; with `strict` the first one is raised.
    `rules` are by default those of box_2009. The same seed gives the same games, whatever the number of processes; with
    more than one process, agents must be picklable. A program may take so many `seconds` for an answer. `progress` is
    called with a line of text after each part, and `on_game` with the record of each game, in the same order each time.

    Raises `ValueError` for an unknown name and for fewer than two players, and `TypeError` for a value that is not a
    player.

    >>> class Doubter:
    ...     def choose(self, observation, memory, rng):
    ...         return observation.legal_calls[-1]
    ...     def interrupt(self, observation, memory, rng):
    ...         return None
    >>> [(each.player, each.failures) for each in play([Doubter(), "regular", "regular"], games=3).players]
    [('Doubter', 0), ('regular 1', 0), ('regular 2', 0)]
    """
    if isinstance(players, str):
        raise TypeError("players must be a sequence of players, not str")
    expect_type(players, Sequence, "players")
    if len(players) < 2:  # noqa: PLR2004 - the fewest who can play
        raise ValueError(f"players must be at least two, not {len(players)}")
    expect_int(games, "games", 0, MOST_GAMES)
    expect_int(processes, "processes", 1, MOST_PROCESSES)
    rules = Rules() if rules is None else rules
    expect_type(rules, Rules, "rules")
    names = _numbered([name_of(each) for each in players])
    size = max(len(players), -(-games // (CHUNKS * len(players) or 1)) * len(players))  # all rotations in one part
    parts = [range(start, min(start + size, games)) for start in range(0, games, size or 1)]
    told = progress or str, on_game or str
    kept = names if on_game else ()
    work = (
        play_games, repeat(players), repeat(rules), parts, repeat(seed), repeat(strict), repeat(seconds), repeat(kept),
    )  # fmt: skip
    if processes == 1:
        played = _gathered(map(*work), names, *told)
    else:
        with ProcessPoolExecutor(processes) as pool:
            played = _gathered(pool.map(*work), names, *told)
    for name, tally in zip(names, played.tallies, strict=True):
        if tally.failures:
            warnings.warn(
                f"{name} failed {tally.failures} times, first so: {tally.first_failure}", RuntimeWarning, stacklevel=2
            )
    return _result(names, played)


def _numbered(names: Sequence[str]) -> list[str]:
    """Return the names; equal ones get numbers from 1."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} {seen[name]}" if names.count(name) > 1 else name)
    return numbered


def _gathered(
    parts: Iterable[Played], names: Sequence[str], told: Callable[[str], object], on_game: Callable[[Record], object]
) -> Played:
    total = Played([Tally() for _ in names])
    for part in parts:
        for tally, more in zip(total.tallies, part.tallies, strict=True):
            tally.add(more)
        total.by_dice += part.by_dice
        total.by_bids += part.by_bids
        total.by_calls += part.by_calls
        first = total.tallies[0]
        for record in part.records:
            on_game(record)
        told(f"{first.games} games, {names[0]} won {first.wins}")
    return total


def _result(names: Sequence[str], played: Played) -> ArenaResult:
    return ArenaResult(
        players=tuple(
            _player_result(name, tally, len(names)) for name, tally in zip(names, played.tallies, strict=True)
        ),
        forecasts=len(played.by_dice),
        forecasts_by_calls=len(played.by_calls),
        calibration_error_by_dice=calibration_error(played.by_dice),
        calibration_error_by_bids=calibration_error(played.by_bids),
        calibration_error_by_calls=calibration_error(played.by_calls),
    )


def _player_result(name: str, tally: Tally, players: int) -> PlayerResult:
    low, high = wilson(tally.wins, tally.games)
    return PlayerResult(
        player=name,
        games=tally.games,
        wins=_share(tally.wins, tally.games),
        interval=(low, high),
        rating=rating_difference(_share(tally.wins, tally.games), players),
        rating_interval=(rating_difference(low, players), rating_difference(high, players)),
        bluffs=_share(tally.bluffs, tally.bids),
        doubts=_share(tally.doubts, tally.answers),
        right=_share(tally.right_doubts, tally.doubts),
        jump=_share(tally.jumps, tally.raises),
        median_ms=1000 * percentile(tally.seconds, 0.5),
        p99_ms=1000 * percentile(tally.seconds, 0.99),
        failures=tally.failures,
        first_failure=tally.first_failure,
        late=tally.late,
        illegal=tally.illegal,
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
