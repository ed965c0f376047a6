"""`perudo_core` beside itself as it was in version 0.1: the baseline, which stays the same for ever.

The baseline is taken from the commit below, and each version plays in a process of its own. The processes take turns.
"""

import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.core_tables import head, median, ratio, row, three_digits

__all__ = ["compare_with_baseline"]

COMMIT: Final = "721092f0988005ae93f108c1af4937caa2779477"
PROJECT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = "perudo_core/src"
FIRST_GAMES: Final = 75
WARM_UP_GAMES: Final = 750
SEATS: Final = (2, 4, 6, 10, 30)
SEATS_OF_A_TURN: Final = 120
"""A turn plays so many seats in all: 60 games of two, 4 games of thirty."""


class Played(NamedTuple):
    """What some games took."""

    games_per_second: float
    microseconds_per_decision: float


class Player:
    """A process that plays games with one version of the library."""

    def __init__(self, source: Path) -> None:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, str(PROJECT / "benchmarks" / "core_games.py")],
            env={"PYTHONPATH": str(source)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None, "a pipe"  # noqa: S101 - for the type checker
        assert process.stdout is not None, "a pipe"  # noqa: S101 - for the type checker
        self._process, self._input, self._output = process, process.stdin, process.stdout
        played = Path(self._output.readline().strip())
        if not played.is_relative_to(source.resolve()):
            sys.exit(f"{played} would be measured in place of {source}")

    def play(self, preset: str, seats: int, games: int) -> Played:
        """Play so many games."""
        print(preset, seats, games, file=self._input, flush=True)
        seconds, decisions = map(float, self._output.readline().split())
        return Played(games / seconds, 1e6 * seconds / decisions)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@contextmanager
def _players(*sources: Path) -> Iterator[list[Player]]:
    with ExitStack() as stack:
        players = [Player(source) for source in sources]
        for player in players:
            stack.callback(player.close)
        yield players


@contextmanager
def _baseline_source() -> Iterator[Path]:
    """A temporary folder with the baseline's source."""
    archive = subprocess.run(  # noqa: S603 - our own arguments
        ["git", "archive", COMMIT, SOURCE],  # noqa: S607 - whichever git there is
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    if archive.returncode:
        sys.exit(
            f"The baseline is commit {COMMIT[:7]}, and this clone does not have it: {archive.stderr.decode().strip()}\n"
            "A shallow clone gets it by `git fetch --unshallow`."
        )
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
        yield Path(folder) / SOURCE


def compare_with_baseline(turns: int) -> None:
    """Print the tables."""
    with _baseline_source() as baseline:
        sources = (PROJECT / SOURCE, baseline)
        _compare_games(turns, *sources)
        _compare_tables(turns, *sources)


def _compare_games(turns: int, *sources: Path) -> None:
    """Whole games by the box, as printed: in a process that has just begun, and in one that has played before."""
    head("games/s, 4 x 5 by box_2009, to the end", "0.2", "0.1 (baseline)", "ratio")
    first: list[list[Played]] = []
    for _ in range(turns):
        with _players(*sources) as players:
            first.append([player.play("box_2009", 4, FIRST_GAMES) for player in players])
    _row_of_games(f"the first {FIRST_GAMES} games of a process", first)
    with _players(*sources) as players:
        for player in players:
            player.play("box_2009", 4, WARM_UP_GAMES)
        warm = [[player.play("box_2009", 4, FIRST_GAMES) for player in players] for _ in range(turns)]
    _row_of_games(f"after {WARM_UP_GAMES} games", warm)


def _row_of_games(what: str, played: list[list[Played]]) -> None:
    ours, baseline = ([each.games_per_second for each in column] for column in zip(*played, strict=True))
    row(what, three_digits(median(ours)), three_digits(median(baseline)), f"{ratio(ours, baseline):.2f}")


def _compare_tables(turns: int, *sources: Path) -> None:
    """What a decision costs at tables of several sizes, in whole games."""
    head("us per decision, azteca, 5 dice each", "0.2", "of 2 seats' cost", "0.1 (baseline)", "of 2 seats' cost")
    of_two: list[float] = []
    for seats in SEATS:
        games = SEATS_OF_A_TURN // seats
        with _players(*sources) as players:
            for player in players:
                player.play("azteca", seats, 2 * games)
            played = [[player.play("azteca", seats, games) for player in players] for _ in range(turns)]
        costs = [median([each.microseconds_per_decision for each in column]) for column in zip(*played, strict=True)]
        of_two = of_two or costs
        cells = ((three_digits(cost), f"{cost / two:.2f}") for cost, two in zip(costs, of_two, strict=True))
        row(f"{seats} seats", *(cell for pair in cells for cell in pair))
