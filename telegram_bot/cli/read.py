"""Show how the bot understands phrases: one a line on standard input, one line of JSON for each."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.operations.read import answers
from telegram_bot.words.language_files import GRAMMARS
from telegram_bot.words.languages import nearest_language

MOST_DICE: Final = 999


def language(text: str) -> str:
    """Return the code of one of the bot's languages."""
    found = nearest_language(text, GRAMMARS)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is none of the bot's languages: {', '.join(GRAMMARS)}")
    return found


def dice(text: str) -> int:
    """Return a number of dice in play."""
    if not text.isdecimal() or not 0 < int(text) <= MOST_DICE:
        raise ArgumentTypeError(f"{text!r} is no number of dice: 1 to {MOST_DICE}")
    return int(text)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--language", type=language, default="en", metavar="CODE", help="the language of the phrases, such as it (en)"
    )
    parser.add_argument(
        "--dice", type=dice, metavar="N", help="the dice in play, to tell 54 from 5x4 (otherwise unknown)"
    )


def execute(options: Namespace) -> None:
    """Execute the command."""
    install(FEATURES)
    for answer in answers(sys.stdin.buffer, options.language, options.dice):
        print(answer, flush=True)
