"""Replace the database with a backup. Stop all bots first."""

from argparse import ArgumentParser, Namespace

from telegram_bot.cli.base import add_config, file
from telegram_bot.operations import backup
from telegram_bot.settings import load_settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument("file", type=file, metavar="FILE", help="a file written by perudo-bot backup")
    parser.add_argument("--force", action="store_true", help="replace the games that are there")
    parser.add_argument("--check", action="store_true", help="open the backup, replace nothing, and say what is in it")


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    if options.check:
        print("\n".join(backup.check(options.file, settings.database_url)))
    else:
        version = backup.restore(options.file, settings.database_url, force=options.force)
        print(f"Everything is restored (schema {version}). Start the bot: it updates the schema if need be.")
