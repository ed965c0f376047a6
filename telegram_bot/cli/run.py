"""Play: the bot itself, until it is stopped."""

from argparse import ArgumentParser, Namespace

from telegram_bot import app
from telegram_bot.cli.base import add_config, settings_of
from telegram_bot.confinement import hide_memory
from telegram_bot.observability import logging
from telegram_bot.operations.until_stopped import until_stopped


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = settings_of(options)
    settings.require_token()

    hide_memory()  # it contains the token, and programs of the same user read strangers' data
    logging.set_up(settings)
    until_stopped(app.run(settings))
