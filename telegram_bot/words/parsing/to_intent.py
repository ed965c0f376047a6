"""What people type, as the wishes that channels pass on."""

from __future__ import annotations

from typing import Final

from telegram_bot.service import intents as i
from telegram_bot.words.parsing.grammar import understand
from telegram_bot.words.parsing.parsed import CommandName, DidYouMean, SaidBid, SaidCalza, SaidCommand, SaidDudo

_REQUESTS: Final[dict[CommandName, i.What]] = {
    "dice": i.SeeDice(),
    "status": i.SeeStatus(),
    "rules": i.SeeRules(),
    "help": i.SeeHelp(),
    "leave": i.Leave(),
}


def hear(text: str, language: str | None, table: str | None = None, total_dice: int | None = None) -> i.What | None:
    """The wish behind a text; None if it is ordinary talk. See `grammar.understand`."""
    match understand(text, language, table=table, total_dice=total_dice):
        case SaidBid(quantity, face, bare):
            return i.MakeBid(quantity, face, bare)
        case SaidDudo():
            return i.SayDudo()
        case SaidCalza():
            return i.SayCalza()
        case SaidCommand(name):
            return _REQUESTS.get(name)
        case DidYouMean(suggestion):
            return i.Misread(suggestion)
        case _:
            return None
