"""Parse typed words to an intent."""

from __future__ import annotations

from typing import Final

from telegram_bot.service import intents as i
from telegram_bot.words.parsing.grammar import parse
from telegram_bot.words.parsing.parsed import CommandName, ParsedBid, ParsedCalza, ParsedCommand, ParsedDudo, Suggestion

_REQUESTS: Final[dict[CommandName, i.What]] = {
    "dice": i.SeeDice(),
    "status": i.SeeStatus(),
    "rules": i.SeeRules(),
    "help": i.SeeHelp(),
    "leave": i.Leave(),
}


def parse_text(
    text: str, language: str | None, table: str | None = None, total_dice: int | None = None
) -> i.What | None:
    """The wish behind a text; None if it is ordinary talk. See `grammar.parse`."""
    match parse(text, language, table=table, total_dice=total_dice):
        case ParsedBid(quantity, face, bare):
            return i.MakeBid(quantity, face, bare)
        case ParsedDudo():
            return i.CallDudo()
        case ParsedCalza():
            return i.CallCalza()
        case ParsedCommand(name):
            return _REQUESTS.get(name)
        case Suggestion(suggestion):
            return i.UnparsedText(suggestion)
        case _:
            return None
