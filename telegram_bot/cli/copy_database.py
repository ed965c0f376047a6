"""Move to another database: copy all games from one that no bot runs on to one that is empty."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial

from telegram_bot.settings import Settings
from telegram_bot.storage.copy_database import copy_database


def database_url(text: str) -> str:
    """Return the URL of a database; an error never repeats it."""
    try:
        return Settings(database_url=text).database_url
    except ValueError:  # the input is not repeated: it may contain a password
        words = "no database: sqlite:///perudo.db or postgresql://user:password@host/database"
        raise ArgumentTypeError(words) from None


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("source", type=database_url, metavar="FROM", help="such as sqlite:///perudo.db")
    parser.add_argument(
        "target", type=database_url, metavar="TO", help="such as postgresql://user:password@host/database"
    )


def execute(options: Namespace) -> None:
    """Execute the command."""
    rows = copy_database(options.source, options.target, tell=partial(print, flush=True))
    print(f"All {rows} rows are there. Now set DATABASE_URL to the new one, and start the bot.")
