"""Parse a text message to an intent, without knowledge of the game."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from perudo_core import PRESETS
from telegram_bot.service import intents as i
from telegram_bot.service.commands import Arguments, Scope, find_command
from telegram_bot.service.languages import ENGLISH
from telegram_bot.service.notices import PhoneMessage
from telegram_bot.service.records import CODE_LENGTH
from telegram_bot.tables.fair_dice import normalize_word
from telegram_bot.tables.lobby import CLOCK_CHOICES
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.parsing.grammar import (
    CommandName,
    ParsedCommand,
    command_meant,
    language_named,
    languages_of_command,
    parse,
    parse_command,
)
from telegram_bot.words.parsing.normalize import comparison_key, normalize

MAX_TEXT_LENGTH: Final = 1600
"""The length of ten messages; the rest of a longer text is ignored."""
MAX_NAME_LENGTH: Final = 32
MAX_WORD_LENGTH: Final = 64


class CarrierKeyword(StrEnum):
    """The keywords that telephone companies define, with the same meaning everywhere."""

    STOP = "stop"
    START = "start"
    YES = "yes"
    """Means START after a STOP; otherwise it is no keyword."""
    HELP = "help"


_CARRIER: Final[dict[str, CarrierKeyword]] = {
    **dict.fromkeys(
        ("stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke", "optout", "opt out", "arret"),
        CarrierKeyword.STOP,
    ),
    **dict.fromkeys(("start", "unstop"), CarrierKeyword.START),
    "yes": CarrierKeyword.YES,
    **dict.fromkeys(("help", "info"), CarrierKeyword.HELP),
}
_PLEASE_STOP: Final = re.compile(
    r"(please )?(stop|unsubscribe)"
    r"( (please|stop|me|all|it|text(s|ing)?|sms|messages?|messaging|send(ing)?|writing|now))*"
)


def carrier_keyword(text: str) -> CarrierKeyword | None:
    """The keyword that a whole text consists of; STOP also within a polite request."""
    if len(text) > MAX_WORD_LENGTH:
        return None
    phrase = comparison_key(normalize(text)).replace(" ,", "")
    return CarrierKeyword.STOP if _PLEASE_STOP.fullmatch(phrase) else _CARRIER.get(phrase)


@dataclass(frozen=True, slots=True)
class TextRequest:
    """An intent, and what the text says about the phone."""

    what: i.What
    name: str | None = None
    """The name that the owner gave."""
    language: str | None = None
    """The language that the owner chose."""
    speaks: str | None = None
    """The language of the command's word, if only one language has this word."""
    round: int | None = None
    """The round that the text names."""
    consents: bool = False
    """Whether the text asks for further texts, as a phone's first text must."""


ParsedMessage: TypeAlias = TextRequest | tuple[PhoneMessage, str]
"""A wish, or how to say it right, with what it concerns."""


def parse_message(text: str, language: str | None, zone: str) -> ParsedMessage:
    """The request in a text. `zone` is the phone's time zone, for its quiet hours."""
    words = " ".join(text[:MAX_TEXT_LENGTH].split())
    named = _ROUND.match(words)
    if named is None:
        return _parse(words, language, zone)
    meant = _parse(words[named.end() :], language, zone)
    return replace(meant, round=int(named[1])) if isinstance(meant, TextRequest) else meant


def _parse(words: str, language: str | None, zone: str) -> ParsedMessage:
    if carrier_keyword(words) is CarrierKeyword.HELP:
        return TextRequest(i.SeeHelp())
    said = _command(words, language)
    if said is None or isinstance(parse(words, language), i.MakeBid | i.CallDudo | i.CallCalza):
        # Also a complete call that begins with a command's words: "salgo a cinque assi".
        return TextRequest(i.TypedText(words, suggestion=_nearly(words, language)))
    meant = _request(said, zone)
    return replace(meant, speaks=_spoken(words)) if isinstance(meant, TextRequest) and meant.consents else meant


def _spoken(words: str) -> str | None:
    """The language that a command's word shows. English words show none: every text of the bot names them."""
    languages = languages_of_command(words)
    return languages[0] if len(languages) == 1 and languages != (ENGLISH,) else None


def _command(words: str, language: str | None) -> ParsedCommand | None:
    """A command; those that take no words end a table or begin a game only where they stand alone: not "go away"."""
    found = parse_command(words, language)
    if found is None or (_arguments(found) is Arguments.FORBIDDEN and comparison_key(normalize(found.rest))):
        return None
    return found


def _arguments(said: ParsedCommand) -> Arguments:
    command = find_command(said.name, Scope.TEXT)
    return Arguments.IGNORED if command is None else command.arguments


def _nearly(words: str, language: str | None) -> str | None:
    """The command that a slip of the finger stands for, with its code: "jion abc234", or "joinabc234", or the code."""
    if carrier_keyword(words) is not None:
        return None
    first, _, rest = words.partition(" ")
    code = _code(rest.partition(" ")[0])
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


# Commands


def _request(said: ParsedCommand, zone: str) -> ParsedMessage:
    parser = _ARGUMENT_PARSERS.get(said.name)
    if parser is not None:
        return parser(said.rest, zone)
    command = find_command(said.name, Scope.TEXT)
    return TextRequest(i.UnparsedText(None) if command is None or command.intent is None else command.intent)


def _join(rest: str, _zone: str) -> ParsedMessage:
    code, _, called = rest.partition(" ")
    if not _code(code):
        return PhoneMessage.NEEDS_CODE, _JOIN
    return TextRequest(i.Join(_code(code)), name=_name(called), consents=True)


def _new(rest: str, _zone: str) -> ParsedMessage:
    return TextRequest(i.OpenPrivateLobby(), name=_name(rest), consents=True)


def _link(rest: str, _zone: str) -> ParsedMessage:
    return TextRequest(i.LinkPhone(_code(rest)), consents=True) if _code(rest) else (PhoneMessage.NEEDS_CODE, "LINK")


def _language(rest: str, _zone: str) -> ParsedMessage:
    chosen = language_named(rest)
    return (
        (PhoneMessage.LANGUAGES, "LANGUAGE")
        if chosen is None
        else TextRequest(i.ChooseLanguage(chosen), language=chosen)
    )


def _verbose(rest: str, _zone: str) -> ParsedMessage:
    on = _on(rest)
    return (PhoneMessage.VERBOSE_HOW, "") if on is None else TextRequest(i.ChooseVerbose(on))


def _quiet(rest: str, zone: str) -> ParsedMessage:
    asked = normalize(rest).strip()
    if _on(asked) is False:
        return TextRequest(i.ChooseQuiet(None))
    found = _QUIET.fullmatch(" ".join(asked.split()))
    start, end = (None, None) if found is None else (_minutes(*found.group(1, 2, 3)), _minutes(*found.group(4, 5, 6)))
    if found is None or start is None or end is None or (start == end and found[1] != found[4]):
        return PhoneMessage.QUIET_HOW, ""  # also for "0-24": a person who wants no text at any hour texts STOP
    return TextRequest(i.ChooseQuiet(None if start == end else QuietHours(start, end, zone)))


def _status(rest: str, _zone: str) -> ParsedMessage:
    """The table's status; "table" with a code chooses that table."""
    return TextRequest(i.ChooseTable(_code(rest))) if _code(rest) else TextRequest(i.SeeStatus())


def _book(rest: str, _zone: str) -> ParsedMessage:
    found = _books_called(rest)
    return TextRequest(i.ChooseRulebook(found[0])) if len(found) == 1 else (PhoneMessage.BOOK_HOW, ", ".join(PRESETS))


def _rules(rest: str, _zone: str) -> ParsedMessage:
    """The table's rules; with a rulebook's name, the request to choose that rulebook."""
    found = _books_called(rest)
    return TextRequest(i.ChooseRulebook(found[0])) if len(found) == 1 else TextRequest(i.SeeRules())


def _books_called(rest: str) -> list[str]:
    named = comparison_key(normalize(rest)).replace(" ", "_")
    return [book for book in PRESETS if named and (book == named or book.startswith(named))]


_CLOCK: Final = re.compile(r"(\d{1,4})(s|m|h|o|u|d|g|j)?[a-z]*")
_SECONDS: Final = {"s": 1, "m": 60, **dict.fromkeys("hou", 3600), **dict.fromkeys("dgj", 86400)}
"""The units by their first letters: seconds, minutes; hours, ore, uur; days, giorni, jours."""


def _clock(rest: str, _zone: str) -> ParsedMessage:
    asked = comparison_key(normalize(rest)).replace(" ", "")
    if _on(asked) is False:
        return TextRequest(i.ChooseClock(0))
    found = _CLOCK.fullmatch(asked)
    seconds = int(found[1]) * _SECONDS[found[2] or "m"] if found else 0
    return TextRequest(i.ChooseClock(seconds)) if seconds and seconds in CLOCK_CHOICES else (PhoneMessage.CLOCK_HOW, "")


def _kick(rest: str, _zone: str) -> ParsedMessage:
    named = _name(rest)
    return (PhoneMessage.KICK_HOW, "") if named is None else TextRequest(i.KickNamed(named))


def _stir(rest: str, _zone: str) -> ParsedMessage:
    return TextRequest(i.StirDice(rest)) if normalize_word(rest) else (PhoneMessage.STIR_HOW, "")


_ARGUMENT_PARSERS: Final[dict[CommandName, Callable[[str, str], ParsedMessage]]] = {
    "join": _join,
    "new": _new,
    "link": _link,
    "language": _language,
    "verbose": _verbose,
    "quiet": _quiet,
    "status": _status,
    "rules": _rules,
    "book": _book,
    "clock": _clock,
    "kick": _kick,
    "stir": _stir,
}
"""The parsers of the words behind a command, by the command's name."""


# Parts of texts

_HOUR: Final = r"(\d{1,2})(?:[:.h]?(\d{2}))? ?(am|pm|h|u|uur|heures)?"
_QUIET: Final = re.compile(rf"(?:[a-z]{{1,8}} )?{_HOUR}(?: ?[-/] ?| [a-z]{{1,5}} | ){_HOUR}")
"""Two hours of a day, as in "22-8", "10pm to 7.30am", "dalle 22 alle 8", "van 22 tot 8 uur"."""
_MAX_HOURS, _MAX_MINUTES, _NOON = 24, 60, 12


def _minutes(hours: str, minutes: str | None, half: str | None) -> int | None:
    hour, minute = int(hours), int(minutes or 0)
    if half in ("am", "pm") and 0 < hour <= _NOON:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    if hour > _MAX_HOURS or minute >= _MAX_MINUTES:
        return None
    return (hour * 60 + minute) % (24 * 60)


_ON: Final = frozenset({"on", "1", "si", "oui", "aan", "ja"})
_OFF: Final = frozenset({"off", "0", "no", "non", "uit", "nee"})


def _on(rest: str) -> bool | None:
    word = comparison_key(normalize(rest))
    return True if word in _ON else False if word in _OFF else None


def _code(word: str) -> str:
    """A table's or a link's code, normalized; empty if the word cannot be one."""
    bare = re.sub(r"[^A-Z0-9]", "", word[:MAX_NAME_LENGTH].upper())
    return bare if len(bare) == CODE_LENGTH else ""


def _name(called: str) -> str | None:
    name = " ".join(called.split())[:MAX_NAME_LENGTH].strip(" .,;:!")
    return name or None
