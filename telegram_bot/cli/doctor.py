"""Check that everything is in place for the bot to run, and explain how to fix the rest."""

import sys
from argparse import ArgumentParser, Namespace

from telegram_bot.cli import FAILED, FINE, INTERRUPTED
from telegram_bot.cli.base import add_config, as_called
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.operations import doctor
from telegram_bot.operations.until_stopped import until_stopped
from telegram_bot.settings import load_settings, removed_settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="for programs to read")
    parser.add_argument("--remove-webhook", action="store_true", help="remove a webhook that prevents polling")


def execute(options: Namespace) -> int:
    """Execute the command, and return its exit status."""
    settings = load_settings(options.config)
    install(FEATURES, settings.features)
    removed = removed_settings(options.config)
    findings = until_stopped(doctor.examine(settings, remove_webhook=options.remove_webhook, removed=removed))
    if findings is None:
        return INTERRUPTED
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal without ✓ shows ?
    print(as_called(doctor.as_json(findings) if options.json else doctor.as_text(findings)))
    return FAILED if any(finding.ok is False for finding in findings) else FINE
