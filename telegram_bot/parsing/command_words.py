"""Read the words after a command, by text message and in chats."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from perudo_core import PRESETS
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Command, Request
from telegram_bot.notices import PhoneMessage
from telegram_bot.parsing.grammar import language_named
from telegram_bot.parsing.joining import name_in, split_code
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.parsing.on_off import on_or_off
from telegram_bot.service.handlers.lobby_requests import AddComputers, AskOption, ChangeOption, Join, KickNamed
from telegram_bot.service.handlers.phone_requests import ChooseTable, LinkPhone, OpenPrivateLobby
from telegram_bot.service.handlers.queries import SeeRules, SeeStatus, UnparsedText
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.house_rule_words import house_title, single_options
from telegram_bot.words.language_files import in_every_language
from telegram_bot.words.phrases import LONGEST_SHOWN_NAME


@dataclass(frozen=True, slots=True)
class Asker:
    """Facts that a command's parser needs besides the words: `zone` for quiet hours, `houses` for BOOK."""

    language: str | None
    zone: str
    houses: Sequence[HouseRules]


Misuse: TypeAlias = tuple[PhoneMessage, str]
"""The explanation of a command for a text message, with its detail."""


def read_words(command: Command, rest: str, asker: Asker) -> i.AnyRequest | Misuse:
    """Return the request of a command with the words after it, or how the command is used."""
    if command.reader is not None:
        return command.reader(rest, asker.language)
    reader = _READERS.get(command.name)
    if reader is not None:
        return reader(rest, asker)
    return UnparsedText(None) if command.request is None else command.request


def _join(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    code, behind = split_code(rest)
    return Join(code, name=name_in(behind)) if code else (PhoneMessage.NEEDS_CODE, "JOIN")


def _link(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    code, _behind = split_code(rest)
    return LinkPhone(code) if code else (PhoneMessage.NEEDS_CODE, "LINK")


def _language(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    chosen = language_named(rest)
    return (PhoneMessage.LANGUAGES, "LANGUAGE") if chosen is None else Choose("chosen_language", chosen)


def _status(rest: str, _: Asker) -> i.AnyRequest:
    code, behind = split_code(rest)
    if behind:
        return i.TypedText(behind, table_code=code)
    return ChooseTable(code) if code else SeeStatus()


def _rules(rest: str, asker: Asker) -> i.AnyRequest | Misuse:
    """Read a rulebook, or an option with a value: "calza off"; other words ask for the rules."""
    found = _books_called(rest, asker)
    return found[0] if len(found) == 1 else option_called(rest) or SeeRules()


def option_called(text: str) -> Request | None:
    """Return the option whose name a text begins with, set to the value that follows; or the values that it has."""
    words = _book_key(text)
    every = ((_book_key(each.title), each) for language in LANGUAGES for each in single_options(catalogue(language)))
    named = [(title, option) for title, option in every if words.startswith(title)]
    longest = max((len(title) for title, _ in named), default=len(words))
    value = words[longest:].strip("_:=?.!")
    if not value:
        return None
    options = [option for title, option in named if len(title) == longest]
    if options[0].name == "clock" and (clock := _clock_called(value.replace("_", " "))) is not None:
        return clock
    for option in options:
        for key, label in option.values.items():
            if value in (_book_key(key), _book_key(label)):
                return ChangeOption(option.name, key)
    return AskOption(options[0].name)


def _book(rest: str, asker: Asker) -> i.AnyRequest | Misuse:
    found = _books_called(rest, asker)
    titles = (*(house.title for house in asker.houses), *(book.replace("_", " ") for book in PRESETS))
    return found[0] if len(found) == 1 else (PhoneMessage.BOOK_HOW, ", ".join(titles))


def _kick(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    named = " ".join(rest.split())[:LONGEST_SHOWN_NAME].strip(_SIGNS_AROUND)
    return KickNamed(named) if named else (PhoneMessage.KICK_HOW, "")


def _bots(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    count = rest.strip(_SIGNS_AROUND)
    return AddComputers(int(count)) if _COUNT.fullmatch(count) and int(count) else (PhoneMessage.BOTS_HOW, "")


_SIGNS_AROUND: Final = " .,;:!"
_COUNT: Final = re.compile(r"\d{1,2}")


def _quiet(rest: str, asker: Asker) -> i.AnyRequest | Misuse:
    asked = normalize(rest).strip()
    if on_or_off(asked) is False:
        return Choose("quiet", None)
    found = _two_hours().fullmatch(" ".join(asked.split()))
    start, end = (None, None) if found is None else (_minutes(*found.group(1, 2, 3)), _minutes(*found.group(4, 5, 6)))
    if found is None or start is None or end is None or (start == end and found[1] != found[4]):
        return PhoneMessage.QUIET_HOW, ""  # also for "0-24": a person who wants no text at any hour texts STOP
    return Choose("quiet", None if start == end else QuietHours(start, end, asker.zone))


@cache
def _two_hours() -> re.Pattern[str]:
    """Return the pattern of two hours of a day: "22-8", "10pm to 7.30am", "dalle 22 alle 8", "van 22 tot 8 uur"."""
    hour = rf"(\d{{1,2}})(?:[:.h]?(\d{{2}}))? ?({'|'.join(in_every_language('time', 'oclock'))})?"
    return re.compile(rf"(?:[a-z]{{1,8}} )?{hour}(?: ?[-/] ?| [a-z]{{1,5}} | ){hour}")


_MAX_HOURS, _MAX_MINUTES, _NOON = 24, 60, 12


def _minutes(hours: str, minutes: str | None, half: str | None) -> int | None:
    hour, minute = int(hours), int(minutes or 0)
    if half in ("am", "pm") and 0 < hour <= _NOON:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    if hour > _MAX_HOURS or minute >= _MAX_MINUTES:
        return None
    return (hour * 60 + minute) % (24 * 60)


def _books_called(rest: str, asker: Asker) -> list[Request]:
    """Return the rulebooks with this name, otherwise all whose name begins with the words."""
    named = _book_key(rest)
    books = list(_books(asker))
    found = [asked for name, asked in books if name == named] or [
        asked for name, asked in books if name.startswith(named)
    ]
    return list(dict.fromkeys(found)) if named else []


def _books(asker: Asker) -> Iterator[tuple[str, Request]]:
    """Yield every name of house rules and of a rulebook.

    Classic has its name in each language, as on the lobby's button. Unlike the button, BOOK leaves the turn clock
    unchanged: two minutes are too short by text.
    """
    for house in asker.houses:
        titles = {house_title(house, catalogue(language)) for language in LANGUAGES}
        yield from ((_book_key(name), ChangeOption("house", house.key)) for name in (house.key, house.title, *titles))
    yield from ((book, ChangeOption("rulebook", book)) for book in PRESETS)


def _book_key(name: str) -> str:
    return comparison_key(normalize(name)).replace(" ", "_")


_CLOCK: Final = re.compile(r"(\d{1,4})([a-z]*)")
_SECONDS: Final = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}


def _seconds_in(unit: str) -> int:
    """Return the seconds of a unit of time by its first letters, the longest known ones; 0: no unit begins so."""
    if not unit:
        return _SECONDS["minutes"]
    begins = [(start, seconds) for name, seconds in _SECONDS.items() for start in in_every_language("time", name)]
    return max(((len(start), seconds) for start, seconds in begins if unit.startswith(start)), default=(0, 0))[1]


def _clock(rest: str, _: Asker) -> i.AnyRequest | Misuse:
    return _clock_called(rest) or (PhoneMessage.CLOCK_HOW, "")


def _clock_called(rest: str) -> Request | None:
    asked = comparison_key(normalize(rest)).replace(" ", "")
    if on_or_off(asked) is False:
        return ChangeOption("clock", "0")
    found = _CLOCK.fullmatch(asked)
    seconds = int(found[1]) * _seconds_in(found[2]) if found else 0
    if seconds and seconds in CLOCK_CHOICES:
        return ChangeOption("clock", str(seconds))
    return None


_READERS: Final[Mapping[str, Callable[[str, Asker], i.AnyRequest | Misuse]]] = {
    "join": _join,
    "link": _link,
    "new": lambda rest, _: OpenPrivateLobby(name=name_in(rest, short=True)),
    "name": lambda rest, _: Choose("name", name_in(rest) or ""),
    "language": _language,
    "hide": lambda rest, _: Choose("hidden", on_or_off(rest) is not False),
    "quiet": _quiet,
    "status": _status,
    "rules": _rules,
    "book": _book,
    "clock": _clock,
    "kick": _kick,
    "bots": _bots,
    "bid": lambda rest, _: i.TypedText(rest),
}
"""The readers of the commands of the base game; a feature's command brings its own."""
