"""Options and words that several commands have. config/deploy/perudo sets the variables for a service."""

import os
import re
import shlex
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Final

from telegram_bot.cli import COMMANDS

COMMAND_VARIABLE: Final = "PERUDO_COMMAND"
"""The words that the operator types in place of `perudo-bot`."""
FOLDER_VARIABLE: Final = "PERUDO_FOLDER"
"""The operator's folder, where the bot does not run in it."""
_ADVICE: Final = re.compile(rf"(?<!/)\bperudo-bot (?=(?:{'|'.join(COMMANDS)})\b)")


def as_called(text: str) -> str:
    """Return a text in which each command `perudo-bot …` begins as the operator has begun this one."""
    called = Path(sys.argv[0])
    here = called.name == "perudo-bot" and shutil.which(called.name) != str(called)
    command = os.environ.get(COMMAND_VARIABLE) or (shlex.quote(sys.argv[0]) if here else "perudo-bot")
    return _ADVICE.sub(lambda _: f"{command} ", text)


def file(text: str) -> Path:
    """Return the path of a file or a folder that the operator names."""
    return Path(os.environ.get(FOLDER_VARIABLE, ""), text)


def add_config(parser: ArgumentParser) -> None:
    """Add the option that names the settings."""
    parser.add_argument(
        "--config", type=file, metavar="FILE", help="your settings (else PERUDO_CONFIG, else config/bot.toml)"
    )


def port(text: str) -> int:
    """Return a port; 0 for any free one."""
    highest = 65535
    if not text.isdecimal() or int(text) > highest:
        raise ArgumentTypeError(f"{text!r} is no port: 0 (any free one) to {highest}")
    return int(text)
