"""Try it out: a chat in your browser, with the bot in it. Needs no account and no network."""

import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from telegram_bot import sandbox_launcher
from telegram_bot.cli.base import add_config, port
from telegram_bot.operations.until_stopped import until_stopped


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on; 0.0.0.0 for other machines (127.0.0.1)"
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a host name that other machines may use"
    )
    parser.add_argument("--port", type=port, metavar="N", help="the page's port (8080, or the next free one)")
    parser.add_argument(
        "--no-flood-limits", dest="flood_limits", action="store_false", help="let the bot write as fast as it likes"
    )
    parser.add_argument(
        "--judge",
        action="store_true",
        help="check each call of the bot with the models of aiogram; the page counts them",
    )


def execute(options: Namespace) -> int | None:
    """Execute the command, and return its exit status."""
    with tempfile.TemporaryDirectory(prefix="perudo-sandbox-", ignore_cleanup_errors=True) as scratch:
        database = Path(scratch, "perudo.db")
        room = sandbox_launcher.run(
            options.host,
            options.port,
            database,
            options.config,
            flood_limits=options.flood_limits,
            judge=options.judge,
            allowed_hosts=tuple(options.allow_host),
        )
        return until_stopped(room)
