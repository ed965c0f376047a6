"""Read phrases as the bot reads a text message, and print each meaning as JSON, one line for each line.

`python -m telegram_bot.cli.read --language it --dice 30`
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import BinaryIO, Final

from telegram_bot.channels.sms.text_parser import TextRequest, command_of, parse_message
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents.intents import TypedText
from telegram_bot.notices import PhoneMessage
from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.parsed import ParsedCommand, canonical_text
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.words.language_files import GRAMMARS

LONGEST_LINE: Final = 65_536
"""In bytes. The rest of a longer line is dropped."""

Meaning = dict[str, str]


def meaning_of(
    phrase: str, language: str, dice: int | None, standing: tuple[int, int] | None = None, *, private: bool = False
) -> Meaning:
    """Return `call` or `ask` with a call, `command` with its name, or an empty dictionary for talk.

    Args:
        phrase: a player's words.
        language: the player's.
        dice: the dice in play; with fewer than 54, "54" means 5x4.
        standing: the bid to beat, needed for "one more".
        private: whether only the bot reads it: then a call among any other words becomes a question.
    """
    request = parse_message(phrase, language, "UTC")
    match request:
        case TextRequest(request=TypedText(text=words)):
            said = parse(words, language, total_dice=dice, standing=standing, private=private)
        case (PhoneMessage.NEEDS_CODE, _):
            said = None
        case _:
            said = command_of(phrase, language)
    match said:
        case MakeBid() | CallDudo() | CallCalza():
            return {"call": canonical_text(said)}
        case UnparsedText(suggestion=str(suggestion)):
            return {"ask": suggestion}
        case ParsedCommand(name):
            return {"command": name}
    return {}


def answers(phrases: BinaryIO, language: str, dice: int | None) -> Iterator[str]:
    """Yield one line of JSON for each line as it arrives; invalid UTF-8 becomes unknown characters."""
    while line := phrases.readline(LONGEST_LINE):
        ended = line.endswith(b"\n")
        while not ended and (rest := phrases.readline(LONGEST_LINE)):
            ended = rest.endswith(b"\n")
        yield json.dumps(meaning_of(line.decode("utf-8", "replace").rstrip("\r\n"), language, dice))


def main() -> None:
    """Answer the phrases on standard input."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--language", choices=GRAMMARS, default="en", help="the language of the phrases (en)")
    parser.add_argument("--dice", type=int, metavar="N", help="the dice in play, to tell 54 from 5x4")
    options = parser.parse_args()
    install(FEATURES)
    for answer in answers(sys.stdin.buffer, options.language, options.dice):
        print(answer, flush=True)


if __name__ == "__main__":
    main()
