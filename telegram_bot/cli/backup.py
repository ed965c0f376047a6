"""Write the whole database into one file, while the bot runs or not."""

from argparse import ArgumentParser, Namespace

from telegram_bot.cli.base import add_config, file
from telegram_bot.operations import backup
from telegram_bot.settings import load_settings
from telegram_bot.storage.database import redacted_url


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument("file", type=file, metavar="FILE", help="a new file, or an earlier backup, which is replaced")
    parser.add_argument("--force", action="store_true", help="back up even a database that no bot has used for a day")


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    version = backup.backup(settings.database_url, options.file, force=options.force)

    size = options.file.stat().st_size / 2**20
    print(f"Database: {redacted_url(settings.database_url)}")
    print(f"{options.file} holds everything ({size:.1f} MiB, schema {version}). It also holds dice: keep it safe.")
