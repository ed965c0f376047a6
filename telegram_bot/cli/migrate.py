"""Bring the database up to date with this version of the bot."""

from argparse import ArgumentParser, Namespace
from functools import partial

from telegram_bot.cli.base import add_config
from telegram_bot.settings import load_settings
from telegram_bot.storage import schema


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument(
        "--recount", action="store_true", help="compute all statistics again from the stored games, while no bot runs"
    )


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    schema.migrate(settings.database_url)
    print("The database is up to date.")
    if options.recount:
        from telegram_bot.operations.recount import recount  # noqa: PLC0415 - it imports most of the bot

        for line in recount(settings.database_url, tell=partial(print, flush=True)).lines():
            print(line)
