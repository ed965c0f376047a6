"""Print the commented settings to start from: perudo-bot config > my-bot.toml."""

import sys
from argparse import ArgumentParser, Namespace

from telegram_bot.settings import default_config


def add_arguments(_: ArgumentParser) -> None:
    """Add no option: the command has none."""


def execute(_options: Namespace) -> None:
    """Execute the command."""
    sys.stdout.write(default_config())
