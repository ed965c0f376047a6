"""Compute all statistics again from the stored games, while no bot runs; after an update or a repair."""

from argparse import ArgumentParser, Namespace
from functools import partial

from telegram_bot.cli.base import add_config
from telegram_bot.operations.recount import recount
from telegram_bot.settings import load_settings
from telegram_bot.storage.database import require_existing


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    require_existing(settings.database_url)
    done = recount(settings.database_url, tell=partial(print, flush=True))
    for line in done.lines():
        print(line)
