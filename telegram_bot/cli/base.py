"""Options that several commands have."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path


def add_config(parser: ArgumentParser) -> None:
    """Add the option that names the settings."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="your settings (else PERUDO_CONFIG, else config/bot.toml)"
    )


def port(text: str) -> int:
    """Return a port; 0 for any free one."""
    highest = 65535
    if not text.isdecimal() or int(text) > highest:
        raise ArgumentTypeError(f"{text!r} is no port: 0 (any free one) to {highest}")
    return int(text)
