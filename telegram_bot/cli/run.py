"""Play: the bot itself, until it is stopped."""

from argparse import ArgumentParser, Namespace
from logging import getLogger

from telegram_bot import app
from telegram_bot.cli.base import add_config
from telegram_bot.confinement import hide_memory
from telegram_bot.observability import logging
from telegram_bot.operations.until_stopped import until_stopped
from telegram_bot.settings import advice_on_open_file, load_settings

log = getLogger(__name__)

log = getLogger(__name__)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    settings.require_token()

    hide_memory()  # it contains the token, and programs of the same user read strangers' data
    logging.set_up(settings)
    if advice := advice_on_open_file():
        log.warning("%s", advice)
    until_stopped(app.run(settings))
    log.info("stopped; the games continue when it starts again")
