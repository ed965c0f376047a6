"""Delete a person: their data goes, and in other players' games they become Somebody."""

import asyncio
from argparse import ArgumentParser, Namespace

from telegram_bot.app import service_config
from telegram_bot.cli.base import add_config
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.service.service import Service
from telegram_bot.settings import load_settings
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database, require_existing


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument("user", metavar="USER", help="their id, such as 12345 or sms:7 (a phone), or their @name")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be deleted")
    parser.add_argument(
        "--leave", action="store_true", help="take them from the tables where they sit, as if they left"
    )


def execute(options: Namespace) -> None:
    """Execute the command."""
    settings = load_settings(options.config)
    install(FEATURES, settings.features)
    require_existing(settings.database_url)
    database = Database(settings.database_url)
    try:
        schema.require_current(database.engine)
        forgetting = PersonDeletion(Service(database, service_config(settings)))
        for line in asyncio.run(forgetting.all_of(options.user, dry_run=options.dry_run, leave=options.leave)):
            print(line)
    finally:
        database.close()
