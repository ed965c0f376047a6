"""The command line, `perudo-bot`: one module for each command, whose docstring is the command's summary.

A module is imported when its command is given, so that `--help` is quick and Ctrl-C works from the start.
"""

import argparse
import ast
import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

from telegram_bot.errors import MisconfiguredError, OperatorError

COMMANDS: Final = {
    "run": (),
    "sandbox": ("try",),
    "party": (),
    "doctor": (),
    "migrate": (),
    "backup": (),
    "restore": (),
    "forget": (),
    "init": (),
    "voice": (),
}
"""The commands, in the order of the help, and other names for them."""
GONE: Final = {
    "config": "perudo-bot init FOLDER",
    "copy-database": "set DATABASE_URL to the new database, then: perudo-bot restore URL_OF_THE_OLD_ONE",
    "recount": "perudo-bot migrate --recount",
}
"""Commands of earlier versions, and what to type instead."""
FINE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
"""MISUSED is for wrong settings too: the units in config/deploy do not restart the bot after it."""
OBJECTS_BEFORE_COLLECTION: Final = 50_000
"""With Python's 700, the garbage collector takes a quarter of the time of a start."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    if arguments is None:  # a process of its own, most of whose objects are modules, which stay
        gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
        atexit.register(gc.freeze)  # the end of the process visits none of them
        arguments = sys.argv[1:]
        if named := os.environ.get("PERUDO_ENV_FILE"):
            from dotenv import load_dotenv  # noqa: PLC0415

            with suppress(OSError, ValueError):  # the settings name what is wrong with the file
                load_dotenv(named)  # systemd gives a service these variables, such as a proxy
    os.umask(0o077)  # dice are in the bot's files
    if {"run", "sandbox", "try"}.intersection(arguments[:1]):
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, _leave)
    if instead := GONE.get("".join(arguments[:1])):
        _complain(f"{arguments[0]} is no command any more: {instead}")
        return MISUSED
    try:
        options = parser_for(arguments).parse_args(arguments)
        status: int | None = options.execute(options)
        print(end="", flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # a reader such as `head` has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at its end
        return FAILED
    except Exception as error:
        if words := _explanation(error):
            _complain(*words.split("\n"))
            return MISUSED if isinstance(error, MisconfiguredError) else FAILED
        raise
    return status or FINE


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser that knows all commands, and the options of the one that these arguments name."""
    parser = argparse.ArgumentParser(
        prog="perudo-bot", description="Play Perudo with the people you know, in the chat you already share."
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, aliases in COMMANDS.items():
        module = name.replace("-", "_")
        source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
        summary = ast.get_docstring(ast.parse(source))
        command = commands.add_parser(name, aliases=aliases, help=summary, description=summary)
        if {name, *aliases}.intersection(arguments[:1]):
            given = import_module(f"{__name__}.{module}")
            given.add_arguments(command)
            command.set_defaults(execute=given.execute)
    return parser


def _leave(_signal: int, _frame: object) -> NoReturn:
    """Exit during the start, when there is no connection to close."""
    sys.exit(FINE)


def _complain(*lines: str) -> None:
    from telegram_bot.cli.base import as_called  # noqa: PLC0415 - it reads this module

    for line in lines:
        print(f"perudo-bot: {as_called(line)}", file=sys.stderr)


class _Version(argparse.Action):
    """Looks up the version only if it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version, and exit."""
        from importlib.metadata import version  # noqa: PLC0415

        print(f"perudo-bot {version('perudo-bot')}")
        parser.exit()


def _explanation(error: Exception) -> str | None:
    """Return the cure of a failure that is no bug, or None for a bug, which needs a traceback."""
    if isinstance(error, OperatorError):
        return str(error)
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415

    match error:
        case OSError(filename=str(name), strerror=str(why)):
            return f"{name} cannot be used ({why})"
        case DBAPIError():
            return f"the database does not work ({str(error.orig).splitlines()[0]}): try perudo-bot doctor"
        case ModuleNotFoundError(name="psycopg"):
            return "PostgreSQL needs psycopg, of the bot's extra postgresql: make install and make run have it"
        case ModuleNotFoundError(name="telegram_sandbox"):
            return "The sandbox is missing: pip install 'perudo-bot[sandbox]' (or, in the repository, make play)"
    return None
