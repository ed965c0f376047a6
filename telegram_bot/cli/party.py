"""Play at home this evening: pages for phones and the television in your network, without an account."""

import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from telegram_bot import app
from telegram_bot.cli.base import add_config, port
from telegram_bot.confinement import hide_memory
from telegram_bot.observability import logging
from telegram_bot.operations.evening_file import write_evening
from telegram_bot.operations.until_stopped import until_stopped
from telegram_bot.party import invitation, party_settings
from telegram_bot.settings import Settings, advice_on_open_file, load_settings
from telegram_bot.tunnel import open_tunnel


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument("--host", metavar="ADDRESS", help="this machine's address in your network, if guessed wrong")
    parser.add_argument(
        "--share", action="store_true", help="invite friends elsewhere, by cloudflared or tailscale if installed"
    )
    parser.add_argument(
        "--texts", action="store_true", help="friends may also play by text message, with your settings' gateway"
    )
    parser.add_argument("--port", type=port, default=8088, metavar="N", help="the pages' port (8088)")
    parser.add_argument("--database", type=Path, metavar="FILE", help="keep the games here (otherwise nothing is kept)")


def execute(options: Namespace) -> None:
    """Execute the command."""
    with (
        tempfile.TemporaryDirectory(prefix="perudo-party-", ignore_cleanup_errors=True) as scratch,
        open_tunnel(options.port) if options.share else nullcontext() as tunnel,
    ):
        database = options.database or Path(scratch, "perudo.db")
        settings = party_settings(
            load_settings(options.config), options.host, options.port, database, tunnel, texts=options.texts
        )
        hide_memory()  # it may contain a gateway's passwords
        logging.set_up(settings)
        if advice := advice_on_open_file():
            print(advice)
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal without blocks shows ?
        is_terminal = sys.stdout.isatty()
        began = time.time()
        invite = partial(print, invitation(settings, coloured=is_terminal), flush=True)
        until_stopped(app.run(settings, invite, is_party=True))
        _keep_evening(settings, began)


def _keep_evening(settings: Settings, began: float) -> None:
    """Write the evening into the folder where the host has started the party, and tell them its name."""
    try:
        kept = write_evening(settings.database_url, app.service_config(settings), began, Path.cwd())
    except OSError as error:
        print(f"The evening could not be written here: {error.strerror}")
        return
    if kept is not None:
        print(f"Take the evening home: {kept.name} has every finished round, and opens in any browser.")
