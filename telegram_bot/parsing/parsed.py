"""The results of parsing a text: the intents of a call, or a command of the registry with the words after it."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText

CommandName: TypeAlias = str


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command; `rest` is the text after its word."""

    name: CommandName
    rest: str = ""


ParsedCall: TypeAlias = MakeBid | CallDudo | CallCalza
Parsed: TypeAlias = ParsedCall | ParsedCommand | UnparsedText


def canonical_text(said: Parsed) -> str:
    """Return the form of a call that every language understands: "5x4", "dudo", "calza"."""
    match said:
        case MakeBid(quantity, face):
            return f"{quantity}x{face}"
        case CallDudo():
            return "dudo"
        case CallCalza():
            return "calza"
        case ParsedCommand(name):
            return name
        case UnparsedText(suggestion):
            return suggestion or ""


def call_named(form: str) -> ParsedCall:
    """Return the call of a canonical form."""
    if form in _NAMED:
        return _NAMED[form]
    quantity, face = form.split("x")
    return MakeBid(int(quantity), int(face))


_NAMED: Final[dict[str, ParsedCall]] = {"dudo": CallDudo(), "calza": CallCalza()}
