"""`python -m perudo_core replay FILE`: print a recorded game, or say where it goes wrong."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from perudo_core.actions import Bid, Calza, Dudo, Forfeit, Resign
from perudo_core.errors import PerudoError, RecordError
from perudo_core.events import DiceLost, DiceRolled, DieRegained, GameOver, Revealed, RoundStarted, SeatOut
from perudo_core.record import Record
from perudo_core.replay import replay_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perudo_core.actions import Action
    from perudo_core.events import Event

BIGGEST_FILE: Final = 16 * 1024 * 1024
_SAID: Final[dict[type, str]] = {Dudo: "dudo", Calza: "calza", Forfeit: "concedes the round", Resign: "leaves the game"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 1 when the record is bad."""
    parser = argparse.ArgumentParser(prog="python -m perudo_core", description="The rules of Perudo.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("replay", help="print a game record round by round")
    command.add_argument("file", type=Path, help="a game record (JSON)")
    path: Path = parser.parse_args(arguments).file
    try:
        for line in _lines(Record.from_json(_text(path))):
            _print(line, sys.stdout)
    except PerudoError as error:
        _print(f"{path}: {error}", sys.stderr)
        return 1
    return 0


def _print(line: str, stream: object) -> None:
    """Print what names and paths from outside make of a line, without their control characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    clean = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
    print(clean.encode(encoding, "backslashreplace").decode(encoding), file=stream)  # type: ignore[call-overload]


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(BIGGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > BIGGEST_FILE:
        raise RecordError("too large for a game record")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8, from byte {error.start} on") from None


def _lines(record: Record) -> Iterator[str]:
    def name(seat: int) -> str:
        return record.seats[seat] or f"Seat {seat + 1}"

    yield f"{record.rules.preset}: {', '.join(name(seat) for seat in range(len(record.seats)))}"
    for step in replay_steps(record):
        said = _said(step.action, name)
        if said:
            yield said
        for event in step.events:
            yield from _told(event, name)


def _said(action: Action, name: Callable[[int], str]) -> str | None:
    if isinstance(action, Bid):
        return f"  {name(action.seat)}: {action}"
    if isinstance(action, Dudo | Calza | Forfeit | Resign):
        return f"  {name(action.seat)}: {_SAID[type(action)]}"
    return None


def _told(event: Event, name: Callable[[int], str]) -> Iterator[str]:
    match event:
        case RoundStarted(number, opener, palifico):
            yield f"Round {number}, {name(opener)} opens{'' if palifico is None else ' a palifico round'}"
        case DiceRolled(seat, dice):
            yield f"  {name(seat)} rolls {' '.join(map(str, dice))}"
        case Revealed(_, bid, count, _, holds, exact):
            verdict = "exact" if exact else "it holds" if holds else "it does not hold"
            yield f"  {bid}: the table holds {count}, {verdict}"
        case DiceLost(seat, amount, _):
            yield f"  {name(seat)} loses {amount}"
        case DieRegained(seat, amount):
            yield f"  {name(seat)} regains {amount}"
        case SeatOut(seat, place):
            yield f"  {name(seat)} is out, place {place}"
        case GameOver(outcome):
            yield f"{name(outcome.winner)} wins"
        case _:
            return


if __name__ == "__main__":
    sys.exit(main())
