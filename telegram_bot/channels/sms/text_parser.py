"""Parse a text message to an intent, without knowledge of the game."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from perudo_core import PRESETS
from telegram_bot.channels.sms.text_patterns import OptOut, read_opt_out
from telegram_bot.service import intents as i
from telegram_bot.service.command import Arguments, Codes, Scope
from telegram_bot.service.commands import find_command
from telegram_bot.service.languages import ENGLISH
from telegram_bot.service.notices import PhoneMessage
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.lobby import CLOCK_CHOICES
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.house_rules import house_title
from telegram_bot.words.parsing.grammar import command_meant, language_named, languages_of_command, parse, parse_command
from telegram_bot.words.parsing.joining import name_in, split_code, without_courtesies
from telegram_bot.words.parsing.normalize import comparison_key, normalize
from telegram_bot.words.parsing.on_off import on_or_off
from telegram_bot.words.parsing.parsed import ParsedCommand

MAX_TEXT_LENGTH: Final = 1600
"""The length of ten messages; the rest of a longer text is ignored."""
MAX_WORD_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A request, and the text's facts about the phone."""

    request: i.AnyRequest
    language: str | None = None
    """The language that the owner chose."""
    speaks: str | None = None
    """The language of the command's word, if only one language has this word."""
    round: int | None = None
    """The round in the text."""
    consents: bool = False
    """Whether the text asks for further texts, which a phone's first text must do; its code must exist for that."""
    code: str | None = None
    """The code after the command."""
    codes: Codes | None = None
    """The codes of the command."""


ParsedMessage: TypeAlias = TextRequest | tuple[PhoneMessage, str]
"""A request, or the explanation of a mistake."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Facts that a command's parser needs besides the words: `zone` for quiet hours, `houses` for BOOK."""

    language: str | None
    zone: str
    houses: Sequence[HouseRules]


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
    """Return the keyword that is the whole text; STOP also in a person's own words."""
    if read_opt_out(text) is OptOut.YES:
        return CarrierKeyword.STOP
    return _CARRIER.get(comparison_key(normalize(text))) if len(text) <= MAX_WORD_LENGTH else None


def parse_message(text: str, language: str | None, zone: str, houses: Sequence[HouseRules] = ()) -> ParsedMessage:
    """Return the request in a text.

    `zone` is the phone's time zone; `houses` are the house rules that BOOK can name.
    """
    words, round_number = _without_round(text)
    meant = _parse(words, language, Asker(language, zone, houses))
    return replace(meant, round=round_number) if isinstance(meant, TextRequest) else meant


def command_of(text: str, language: str | None) -> ParsedCommand | None:
    """Return the command of a text, perhaps with its code after polite words, or None for calls and talk."""
    words, _ = _without_round(text)
    if carrier_keyword(words) is CarrierKeyword.HELP:
        return ParsedCommand("help")
    said = _command(words, language) or _polite_command(words, language) or _code_and_name(words)
    # A complete call may begin with a command's words too: "salgo a cinque assi".
    return None if isinstance(parse(words, language), i.MakeBid | i.CallDudo | i.CallCalza) else said


def _without_round(text: str) -> tuple[str, int | None]:
    """Return the words of a text, and the round at its beginning: "R4 5x4"."""
    words = " ".join(text[:MAX_TEXT_LENGTH].split())
    named = _ROUND.match(words)
    return (words, None) if named is None else (words[named.end() :], int(named[1]))


def _parse(words: str, language: str | None, asker: Asker) -> ParsedMessage:
    said = command_of(words, language)
    if said is None:
        return TextRequest(i.TypedText(words, suggestion=_nearly(words, language)))
    meant, code = _request_of(said, asker), split_code(said.rest)[0]
    command = find_command(said.name, Scope.TEXT)
    if isinstance(meant, TextRequest) and command is not None and command.arguments is Arguments.CODE and code:
        meant = replace(meant, consents=True, code=code, codes=command.codes)
    if isinstance(meant, TextRequest) and meant.consents:
        return replace(meant, speaks=_spoken(without_courtesies(words)))
    return meant


def _spoken(words: str) -> str | None:
    """Return the language of a command's word. English words show none: every text of the bot names them."""
    languages = languages_of_command(words)
    return languages[0] if len(languages) == 1 and languages != (ENGLISH,) else None


def _command(words: str, language: str | None) -> ParsedCommand | None:
    """Return a command. Commands without words that end a table or begin a game count only alone: not "go away".

    NEW takes a name, and nothing else: not "New phone, who dis?"; TABLE takes a code: not "table for six".
    """
    found = parse_command(words, language)
    if found is None:
        return None
    behind = comparison_key(normalize(found.rest))
    is_theirs = {"new": name_in(found.rest, short=True), "status": split_code(found.rest)[0]}.get(found.name, behind)
    if behind and (_arguments(found) is Arguments.FORBIDDEN or not is_theirs):
        return None
    return found


def _polite_command(words: str, language: str | None) -> ParsedCommand | None:
    """Return a command with its code after polite words: "please join ABC234", "Hello Ana! JOIN ABC234"."""
    for sentence in (words, *(words[end.end() :] for end in _SENTENCE_ENDS.finditer(words))):
        found = parse_command(without_courtesies(sentence), language)
        if found is not None and _arguments(found) is Arguments.CODE and split_code(found.rest)[0]:
            return found
    return None


def _code_and_name(words: str) -> ParsedCommand | None:
    """Return a table's code in one word and a name, without a command: "ABC234 Rita"."""
    first, _, behind = words.partition(" ")
    shown_as_a_code = first.isupper() or any(map(str.isdigit, first))
    is_code = shown_as_a_code and split_code(first)[0]
    return ParsedCommand("join", words) if is_code and name_in(behind, short=True) else None


def _arguments(said: ParsedCommand) -> Arguments:
    command = find_command(said.name, Scope.TEXT)
    return Arguments.IGNORED if command is None else command.arguments


def _nearly(words: str, language: str | None) -> str | None:
    """Return the likely command of a text with a typing error and a code: "jion abc234", "joinabc234"."""
    if carrier_keyword(words) is not None:
        return None
    first, _, rest = words.partition(" ")
    code, _ = split_code(rest)
    meant = command_meant(first, language)
    if meant is not None and (code if _arguments(meant) is Arguments.CODE else not comparison_key(normalize(rest))):
        return f"{meant.rest} {code}".strip()
    glued = _GLUED.fullmatch(comparison_key(normalize(first)).replace(" ", ""))
    if glued is not None and not rest:
        return " ".join(("JOIN", glued[1].upper()))
    return None


_SENTENCE_ENDS: Final = re.compile(r"[.!?,;] ")
_GLUED: Final = re.compile(r"(?:join)?((?=[a-z]*\d)[a-z\d]{6})")
"""A table's code without a command, or directly after it; without a digit it could be any word."""
_ROUND: Final = re.compile(r"r(\d{1,4})\b[\s:.,]*(?=\S)", re.IGNORECASE)
"""The bot's texts begin with the round, and so may an answer: "R4 5x4"."""


# Words after a command


def _request_of(said: ParsedCommand, asker: Asker) -> ParsedMessage:
    """Return the request of a command, or the explanation of a mistake."""
    rest = said.rest
    code, behind = split_code(rest)
    on = on_or_off(rest)
    match said.name:
        case "join" if code:
            return TextRequest(i.Join(code, name=name_in(behind)))
        case "link" if code:
            return TextRequest(i.LinkPhone(code))
        case "join" | "link":
            return PhoneMessage.NEEDS_CODE, said.name.upper()
        case "new":
            return TextRequest(i.OpenPrivateLobby(name=name_in(rest, short=True)), consents=True)
        case "name":
            name = name_in(rest)
            return (PhoneMessage.NAME_HOW, "") if name is None else TextRequest(i.Choose("name", name))
        case "language":
            chosen = language_named(rest)
            if chosen is None:
                return PhoneMessage.LANGUAGES, "LANGUAGE"
            return TextRequest(i.Choose("chosen_language", chosen), language=chosen)
        case "hide":
            return TextRequest(i.Choose("hidden", on is not False))
        case "quiet":
            return _quiet(rest, asker.zone)
        case "status":  # "table" with a code chooses that table
            return TextRequest(i.ChooseTable(code) if code else i.SeeStatus())
        case "book" | "rules":
            found = _books_called(rest, asker)
            if len(found) == 1:
                return TextRequest(found[0])
            titles = (*(house.title for house in asker.houses), *(book.replace("_", " ") for book in PRESETS))
            return (PhoneMessage.BOOK_HOW, ", ".join(titles)) if said.name == "book" else TextRequest(i.SeeRules())
        case "clock":
            return _clock(rest)
        case "kick":
            named = " ".join(rest.split())[: i.LONGEST_SHOWN_NAME].strip(_SIGNS_AROUND)
            return TextRequest(i.KickNamed(named)) if named else (PhoneMessage.KICK_HOW, "")
        case "bots":
            count = rest.strip(_SIGNS_AROUND)
            if _COUNT.fullmatch(count) and int(count):
                return TextRequest(i.AddComputers(int(count)))
            return PhoneMessage.BOTS_HOW, ""
    command = find_command(said.name, Scope.TEXT)
    if command is not None and command.reader is not None:
        return TextRequest(command.reader(rest, asker.language))
    return TextRequest(i.UnparsedText(None) if command is None or command.intent is None else command.intent)


_SIGNS_AROUND: Final = " .,;:!"
_COUNT: Final = re.compile(r"\d{1,2}")


def _quiet(rest: str, zone: str) -> ParsedMessage:
    asked = normalize(rest).strip()
    if on_or_off(asked) is False:
        return TextRequest(i.Choose("quiet", None))
    found = _QUIET.fullmatch(" ".join(asked.split()))
    start, end = (None, None) if found is None else (_minutes(*found.group(1, 2, 3)), _minutes(*found.group(4, 5, 6)))
    if found is None or start is None or end is None or (start == end and found[1] != found[4]):
        return PhoneMessage.QUIET_HOW, ""  # also for "0-24": a person who wants no text at any hour texts STOP
    return TextRequest(i.Choose("quiet", None if start == end else QuietHours(start, end, zone)))


def _books_called(rest: str, asker: Asker) -> list[i.PersonRequest]:
    """Return the rulebooks with this name, otherwise all whose name begins with the words."""
    named = _book_key(rest)
    books = list(_books(asker))
    found = [asked for name, asked in books if name == named] or [
        asked for name, asked in books if name.startswith(named)
    ]
    return list(dict.fromkeys(found)) if named else []


def _books(asker: Asker) -> Iterator[tuple[str, i.PersonRequest]]:
    """Yield every name of house rules and of a rulebook.

    Classic has its name in each language, as on the lobby's button. Unlike the button, BOOK leaves the turn clock
    unchanged: two minutes are too short by text.
    """
    for house in asker.houses:
        titles = {house_title(house, catalogue(language)) for language in LANGUAGES}
        yield from ((_book_key(name), i.ChangeOption("house", house.key)) for name in (house.key, house.title, *titles))
    yield from ((book, i.ChangeOption("rulebook", book)) for book in PRESETS)


def _book_key(name: str) -> str:
    return comparison_key(normalize(name)).replace(" ", "_")


_CLOCK: Final = re.compile(r"(\d{1,4})(s|m|h|o|u|d|g|j)?[a-z]*")
_SECONDS: Final = {"s": 1, "m": 60, **dict.fromkeys("hou", 3600), **dict.fromkeys("dgj", 86400)}
"""The units by their first letters: seconds, minutes; hours, ore, uur; days, giorni, jours."""


def _clock(rest: str) -> ParsedMessage:
    asked = comparison_key(normalize(rest)).replace(" ", "")
    if on_or_off(asked) is False:
        return TextRequest(i.ChangeOption("clock", "0"))
    found = _CLOCK.fullmatch(asked)
    seconds = int(found[1]) * _SECONDS[found[2] or "m"] if found else 0
    if seconds and seconds in CLOCK_CHOICES:
        return TextRequest(i.ChangeOption("clock", str(seconds)))
    return PhoneMessage.CLOCK_HOW, ""


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
