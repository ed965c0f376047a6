"""`python -m perudo_core replay FILE`, `analyse FILE`, `verify FILE`: print, explain or prove a recorded game."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from perudo_core._errors import PerudoError, RecordError
from perudo_core._events import GameOver, RoundStarted
from perudo_core._output import cannot_print
from perudo_core._record import Record
from perudo_core._replay import replay_steps
from perudo_core._version import installed_version
from perudo_core.english import describe
from perudo_core.fair import seal_digits
from perudo_core.fair_record import FairRecord, read_record

MAX_FILE_BYTES: Final = 16 * 1024 * 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, or 1 for a bad record."""
    parser = argparse.ArgumentParser(prog="python -m perudo_core", description="The rules of Perudo.")
    parser.add_argument("--version", action="version", version=f"perudo_core {installed_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    telling = commands.add_parser("replay", help="print a game record round by round")
    telling.add_argument(
        "file", type=Path, help="a game record (JSON), with fair dice or without; - reads standard input"
    )
    judging = commands.add_parser("analyse", help="what each call of a finished game was worth, and what was luck")
    judging.add_argument(
        "file", type=Path, help="a game record (JSON), with fair dice or without; - reads standard input"
    )
    judging.add_argument("--seed", type=int, default=0, help="of the imagined dice (0)")
    proving = commands.add_parser("verify", help="compute the fair dice of a game record again")
    proving.add_argument(
        "file",
        type=Path,
        help="a game record with fair dice (JSON), or several (JSON lines, .jsonl); - reads standard input",
    )
    proving.add_argument("--commitment", help="the one that you were shown before the game, in hex")
    options = parser.parse_args(arguments)
    failed = False
    path: Path = options.file
    try:
        documents = _documents(path)
        if len(documents) > 1 and getattr(options, "commitment", None) is not None:
            raise RecordError("--commitment is for a file with one game; compare the commitments that are printed")
        for place, document in documents.items():
            try:
                for line in _told(read_record(document), options):
                    _print(line, sys.stdout)
            except PerudoError as error:
                _print(f"{place}: {error}", sys.stderr)
                failed = True
    except PerudoError as error:
        _print(f"{path}: {error}", sys.stderr)
        return 1
    except OSError as error:
        return cannot_print(error)
    return int(failed)


def _print(line: str, stream: object) -> None:
    """Print a line without the control characters that names and paths from outside may contain."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    clean = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
    print(clean.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)  # type: ignore[call-overload]


def _documents(path: Path) -> dict[str, str]:
    """Return the records of a file by their places in it; a file of JSON lines has one game in each line."""
    text = _text(path)
    if path.suffix != ".jsonl":
        return {str(path): text}
    games = {f"{path}, line {number}": line for number, line in enumerate(text.split("\n"), 1) if line.strip()}
    if not games:
        raise RecordError("no game record")
    return games


def _text(path: Path) -> str:
    try:
        with path.open("rb") if str(path) != "-" else nullcontext(sys.stdin.buffer) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise RecordError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MAX_FILE_BYTES:
        raise RecordError("too large for a game record")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8, from byte {error.start} on") from None


def _told(record: Record | FairRecord, options: argparse.Namespace) -> Iterator[str]:
    match options.command:
        case "replay":
            return _lines(record)
        case "analyse":
            from perudo_core.analysis import analyse, analysis_lines  # noqa: PLC0415 - only this command needs it

            return analysis_lines(analyse(record, seed=options.seed))
        case _:
            return _proof(record, options.commitment)


def _proof(record: Record | FairRecord, commitment: str | None) -> Iterator[str]:
    if isinstance(record, Record):
        raise RecordError(f"{record.schema} does not say where its dice came from")
    yield f"commitment {record.commitment}"
    yield f"seal {seal_digits(record.commitment)}"
    yield f"table {record.table!r}"
    yield f"salt {record.salt!r}"
    rolls, computer_calls = record.verify(None if commitment is None else commitment.strip().lower())
    yield from _stirred(record)
    yield "Secret, table and rules fit the commitment."
    yield f"Who opened and {rolls} of {rolls} rolls follow from the secret and the salt."
    if computer_calls is None:
        yield f"Computers' calls were decided by perudo_core {record.version}; this is another version, so not checked."
    elif computer_calls:
        yield f"{computer_calls} of {computer_calls} computers' calls follow from them too."
    if commitment is None:
        yield "Compare the commitment with the one that you were shown before the game."


def _stirred(record: FairRecord) -> Iterator[str]:
    """Yield sentences that list the stirs and explain the trust that remains."""
    if not record.stirs:
        yield "Nobody stirred: these dice rest on the host's word."
        return
    yield f"Stirred, in this order: {', '.join(record.stirs)}."
    yield "Compare them, and the order of the seats, with what you were shown before the game."
    yield "Whoever stirred last, joined or left after that could have chosen among dice, if in league with the host."


def _lines(record: Record | FairRecord) -> Iterator[str]:
    if isinstance(record, FairRecord):
        record = record.record
    names = [name or f"Seat {number}" for number, name in enumerate(record.seats, 1)]
    yield describe(record.rules)
    yield f"Players: {', '.join(names)}"
    for step in replay_steps(record):
        for event in step.events:
            indent = "" if isinstance(event, RoundStarted | GameOver) else "  "
            yield indent + describe(event, names, hides_lost_dice=record.rules.hides_lost_dice)


if __name__ == "__main__":
    sys.exit(main())
