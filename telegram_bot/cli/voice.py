"""Set up speech recognition for voice notes, or better voices: download or copy the files once, and check them."""

from argparse import ArgumentParser, Namespace

from telegram_bot.cli.base import file
from telegram_bot.voice import setup


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("action", choices=["setup"], help="what to do")
    parser.add_argument(
        "--model",
        choices=["small", "base"],
        default="small",
        help="base needs half the memory, understands less (small)",
    )
    parser.add_argument(
        "--from", dest="source", type=file, metavar="DIR", help="a folder with the files; nothing is downloaded"
    )
    parser.add_argument("--voices", action="store_true", help="Kokoro, better voices for some of the languages")


def execute(options: Namespace) -> None:
    """Execute the command."""
    if options.voices:
        folder, use = setup.set_up_kokoro(print, source=options.source), "speaks with it as voice.voices says"
    else:
        folder, use = setup.set_up(options.model, print, source=options.source), "hears with it"
    print(f"{folder} is ready. A bot that runs {use} after a restart.")
