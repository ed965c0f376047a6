"""`python -m perudo_conformance`: check an engine, or this library itself, against the published data files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from perudo_conformance._conformance import check_engine
from perudo_conformance._data_files import folder
from perudo_conformance._differences import ConformanceError
from perudo_conformance._json_lines import CommandEngine
from perudo_conformance._json_lines_protocol import PROTOCOL_TEXT
from perudo_core._output import cannot_print
from perudo_core._programs import CommandError
from perudo_core._rules import PRESETS

DESCRIPTION: Final = """\
Check an engine against the published data files. Exit status 0: it conforms. 1: it differs, and the message tells
the place, what was wanted and what the engine gave. 2: it cannot be run. Without --engine this library is checked,
and the folder of the data files is printed.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 the engine conforms, 1 it differs, 2 it cannot be run."""
    options = _parser().parse_args(arguments)
    presets = options.preset or PRESETS
    try:
        if options.protocol:
            sys.stdout.write(PROTOCOL_TEXT)
            sys.stdout.flush()
            return 0
        if options.engine is None:
            report = check_engine(presets=presets)
        else:
            with CommandEngine(options.engine, timeout=options.timeout) as engine:
                report = check_engine(engine, presets=presets)
        found = f"{folder()}\n" if options.engine is None else ""
        sys.stdout.write(f"The engine conforms. {report}\n{found}")
        sys.stdout.flush()
    except ConformanceError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except (CommandError, ValueError) as error:
        sys.stderr.write(f"The engine cannot be run: {error}\n")
        return 2
    except BrokenPipeError as error:
        return cannot_print(error)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m perudo_conformance",
        description=DESCRIPTION,
        epilog=f"{'-' * 78}\n{PROTOCOL_TEXT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--engine", metavar="COMMAND", help="a command that answers by the protocol below")
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=10.0, help="for each answer of the command (default 10)"
    )
    parser.add_argument(
        "--preset", action="append", choices=PRESETS, help="only what begins with this rulebook; may be given again"
    )
    parser.add_argument("--protocol", action="store_true", help="print the protocol and end")
    return parser


if __name__ == "__main__":
    sys.exit(main())
