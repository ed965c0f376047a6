"""Replace the database with a backup, or fill an empty one from another database. Stop all bots first."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from pathlib import Path

from telegram_bot.cli.base import add_config, file
from telegram_bot.errors import OperatorError
from telegram_bot.operations import backup
from telegram_bot.settings import Settings, load_settings
from telegram_bot.storage.copy_database import copy_database


def source(text: str) -> Path | str:
    """Return a backup's file, or the URL of a database; an error never repeats a URL."""
    if "://" not in text:
        return file(text)
    try:
        return Settings(database_url=text).database_url
    except ValueError:  # the input is not repeated: it may contain a password
        words = "no database: sqlite:///perudo.db or postgresql://user:password@host/database"
        raise ArgumentTypeError(words) from None


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument(
        "source", type=source, metavar="FROM", help="a file written by perudo-bot backup, or a database's URL"
    )
    parser.add_argument("--force", action="store_true", help="replace the games that are there")
    parser.add_argument("--check", action="store_true", help="open the backup, replace nothing, and say what is in it")


def execute(options: Namespace) -> None:
    """Execute the command."""
    url = load_settings(options.config).database_url
    if isinstance(options.source, str):
        if options.check or options.force:
            raise OperatorError("--check and --force are for a backup: a database is copied into an empty one alone")
        rows = copy_database(options.source, url, tell=partial(print, flush=True))
        print(f"All {rows} rows are there. Start the bot.")
    elif options.check:
        print("\n".join(backup.check(options.source, url)))
    else:
        version = backup.restore(options.source, url, force=options.force)
        print(f"Everything is restored (schema {version}). Start the bot: it updates the schema if need be.")
