"""Parse a text message to an intent, without knowledge of the game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from telegram_bot.channels.sms.opt_out import OptOut, read_opt_out
from telegram_bot.channels.sms.text_commands import Asker, ParsedMessage, TextRequest, request_of
from telegram_bot.service import intents as i
from telegram_bot.service.commands import Arguments, Scope, find_command
from telegram_bot.service.languages import ENGLISH
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.words.parsing.grammar import (
    ParsedCommand,
    command_meant,
    languages_of_command,
    parse,
    parse_command,
)
from telegram_bot.words.parsing.joining import name_in, split_code, without_courtesies
from telegram_bot.words.parsing.normalize import comparison_key, normalize

MAX_TEXT_LENGTH: Final = 1600
"""The length of ten messages; the rest of a longer text is ignored."""
MAX_WORD_LENGTH: Final = 64

__all__ = ["CarrierKeyword", "ParsedMessage", "TextRequest", "carrier_keyword", "parse_message"]


class CarrierKeyword(StrEnum):
    """The keywords that telephone companies define, with the same meaning everywhere."""

    STOP = "stop"
    START = "start"
    YES = "yes"
    """Means START after a STOP; otherwise it is no keyword."""
    HELP = "help"


_CARRIER: Final[dict[str, CarrierKeyword]] = {
    **dict.fromkeys(("start", "unstop"), CarrierKeyword.START),
    "yes": CarrierKeyword.YES,
    **dict.fromkeys(("help", "info"), CarrierKeyword.HELP),
}


def carrier_keyword(text: str) -> CarrierKeyword | None:
    """The keyword that a whole text consists of; STOP also in a person's own words."""
    if read_opt_out(text) is OptOut.YES:
        return CarrierKeyword.STOP
    return _CARRIER.get(comparison_key(normalize(text))) if len(text) <= MAX_WORD_LENGTH else None


def parse_message(text: str, language: str | None, zone: str, houses: Sequence[HouseRules] = ()) -> ParsedMessage:
    """The request in a text. `zone` is the phone's time zone; `houses` are the house rules that BOOK can name."""
    words, round_number = _without_round(text)
    meant = _parse(words, language, Asker(zone, houses))
    return replace(meant, round=round_number) if isinstance(meant, TextRequest) else meant


def command_of(text: str, language: str | None) -> ParsedCommand | None:
    """The command of a text, perhaps with its code behind polite words; None for calls and talk."""
    words, _ = _without_round(text)
    if carrier_keyword(words) is CarrierKeyword.HELP:
        return ParsedCommand("help")
    said = _command(words, language) or _polite_command(words, language)
    # Also a complete call may begin with a command's words: "salgo a cinque assi".
    return None if isinstance(parse(words, language), i.MakeBid | i.CallDudo | i.CallCalza) else said


def _without_round(text: str) -> tuple[str, int | None]:
    """The words of a text, and the round that it names: "R4 5x4"."""
    words = " ".join(text[:MAX_TEXT_LENGTH].split())
    named = _ROUND.match(words)
    return (words, None) if named is None else (words[named.end() :], int(named[1]))


def _parse(words: str, language: str | None, asker: Asker) -> ParsedMessage:
    said = command_of(words, language)
    if said is None:
        return TextRequest(i.TypedText(words, suggestion=_nearly(words, language)))
    meant = request_of(said, asker)
    if isinstance(meant, TextRequest) and meant.consents:
        return replace(meant, speaks=_spoken(without_courtesies(words)))
    return meant


def _spoken(words: str) -> str | None:
    """The language that a command's word shows. English words show none: every text of the bot names them."""
    languages = languages_of_command(words)
    return languages[0] if len(languages) == 1 and languages != (ENGLISH,) else None


def _command(words: str, language: str | None) -> ParsedCommand | None:
    """A command; those that take no words end a table or begin a game only where they stand alone: not "go away".

    NEW takes a name, and nothing else: not "New phone, who dis?".
    """
    found = parse_command(words, language)
    if found is None:
        return None
    behind = comparison_key(normalize(found.rest))
    if behind and (
        _arguments(found) is Arguments.FORBIDDEN or (found.name == "new" and not name_in(found.rest, short=True))
    ):
        return None
    return found


def _polite_command(words: str, language: str | None) -> ParsedCommand | None:
    """A command with its code behind polite words: "please join ABC234"."""
    found = parse_command(without_courtesies(words), language)
    asks = found is not None and _arguments(found) is Arguments.CODE and split_code(found.rest)[0]
    return found if asks else None


def _arguments(said: ParsedCommand) -> Arguments:
    command = find_command(said.name, Scope.TEXT)
    return Arguments.IGNORED if command is None else command.arguments


def _nearly(words: str, language: str | None) -> str | None:
    """The command that a slip of the finger stands for, with its code: "jion abc234", or "joinabc234", or the code."""
    if carrier_keyword(words) is not None:
        return None
    first, _, rest = words.partition(" ")
    code, _ = split_code(rest)
    meant = command_meant(first, language)
    if meant is not None and (code if _arguments(meant) is Arguments.CODE else not comparison_key(normalize(rest))):
        return f"{meant.rest} {code}".strip()
    glued = _GLUED.fullmatch(comparison_key(normalize(first)).replace(" ", ""))
    if glued is not None and not rest:
        return " ".join((_JOIN, glued[1].upper()))
    return None


_JOIN: Final = "JOIN"
_GLUED: Final = re.compile(r"(?:join)?((?=[a-z]*\d)[a-z\d]{6})")
"""A table's code without a command, or directly behind it; without a digit it could be any word."""
_ROUND: Final = re.compile(r"r(\d{1,4})\b[\s:.,]*(?=\S)", re.IGNORECASE)
"""The bot's texts begin with the round, and so may an answer: "R4 5x4"."""
