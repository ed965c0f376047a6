"""Write a server's files into a folder: commented settings, systemd units, files for proxies and Prometheus."""

from argparse import ArgumentParser, Namespace
from typing import Final

from telegram_bot.cli.base import file
from telegram_bot.errors import OperatorError
from telegram_bot.settings import default_config, packaged

SERVER_FILES: Final = (
    "backup-perudo.service",
    "backup-perudo.timer",
    "Caddyfile",
    "nginx.conf",
    "one-bot.Caddyfile",
    "perudo",
    "perudo.env.example",
    "perudo.service",
    "perudo@.service",
    "prometheus.yml",
)
"""The files of `config/deploy` that `init` writes; the wheel lists them by name, so no other file gets into it."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("folder", type=file, metavar="DIR", help="a folder; created if it does not exist")


def execute(options: Namespace) -> None:
    """Execute the command."""
    files = {"bot.toml": default_config()} | {
        name: (packaged("deploy") / name).read_text(encoding="utf-8") for name in SERVER_FILES
    }
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(files):
            path = options.folder / name
            if path.exists():
                raise OperatorError(f"{path} is there already: nothing is replaced")
            path.write_text(files[name], encoding="utf-8")
    except OSError as error:
        raise OperatorError(
            f"cannot write into {options.folder} ({error.strerror}): name a folder that you may write to"
        ) from error
    for name in sorted(files):
        print(options.folder / name)
