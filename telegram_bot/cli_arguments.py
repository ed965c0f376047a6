"""What the arguments of the command line may be."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

MOST_DICE: Final = 999


def port(text: str) -> int:
    """A port; 0 for any free one."""
    highest = 65535
    if not text.isdecimal() or int(text) > highest:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 (any free one) to {highest}")
    return int(text)


def language(text: str) -> str:
    """The code of one of the bot's languages."""
    from telegram_bot.service.languages import nearest_language  # noqa: PLC0415
    from telegram_bot.words.parsing.vocabulary import GRAMMARS  # noqa: PLC0415

    found = nearest_language(text, GRAMMARS)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of the bot's languages: {', '.join(GRAMMARS)}")
    return found


def dice(text: str) -> int:
    """A number of dice in play."""
    if not text.isdecimal() or not 0 < int(text) <= MOST_DICE:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of dice: 1 to {MOST_DICE}")
    return int(text)


def database_url(text: str) -> str:
    """The URL of a database; an error never repeats it."""
    from telegram_bot.settings import Settings  # noqa: PLC0415

    try:
        return Settings(database_url=text).database_url
    except ValueError:  # what was written is not repeated: it may hold a password
        words = "no database: sqlite:///perudo.db or postgresql://user:password@host/database"
        raise argparse.ArgumentTypeError(words) from None


class Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version, and exit."""
        from importlib.metadata import version  # noqa: PLC0415

        print(f"perudo-bot {version('perudo-bot')}")  # noqa: T201
        parser.exit()
