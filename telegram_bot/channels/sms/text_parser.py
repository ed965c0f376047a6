"""Parse a text message to an intent, without knowledge of the game."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from telegram_bot.channels.sms.text_patterns import OptOut, read_opt_out
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Arguments, Codes, Scope
from telegram_bot.notices import PhoneMessage
from telegram_bot.parsing.command_words import Asker, Misuse, read_words
from telegram_bot.parsing.grammar import command_meant, languages_of_command, parse, parse_command
from telegram_bot.parsing.joining import name_in, split_code, without_courtesies
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.parsing.parsed import ParsedCommand
from telegram_bot.service.commands import find_command
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.words.languages import ENGLISH

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


ParsedMessage: TypeAlias = TextRequest | Misuse
"""A request, or the explanation of a mistake."""


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
    return None if isinstance(parse(words, language), MakeBid | CallDudo | CallCalza) else said


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


def _request_of(said: ParsedCommand, asker: Asker) -> ParsedMessage:
    """Return the request of a command, or the explanation of a mistake."""
    command = find_command(said.name, Scope.TEXT)
    if command is None:
        return TextRequest(UnparsedText(None))
    match read_words(command, said.rest, asker):
        case Choose("name", ""):
            return PhoneMessage.NAME_HOW, ""
        case Choose("chosen_language", str(language)) as chosen:
            return TextRequest(chosen, language=language)
        case tuple() as misuse:
            return misuse
        case request:
            return TextRequest(request, consents=said.name == "new")
