"""What a typed text can be parsed to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

CommandName: TypeAlias = Literal[
    "dice",
    "status",
    "rules",
    "help",
    "leave",
    "join",
    "new",
    "link",
    "unlink",
    "language",
    "quiet",
    "verbose",
    "go",
    "again",
    "back",
    "close",
    "book",
    "clock",
    "kick",
]
COMMANDS: Final[tuple[CommandName, ...]] = get_args(CommandName)


@dataclass(frozen=True, slots=True)
class ParsedBid:
    """So many dice of a face."""

    quantity: int
    face: int
    bare: bool = field(default=False, compare=False)
    """Two digits and nothing that tells which is the number: the other way round is easily meant."""


@dataclass(frozen=True, slots=True)
class ParsedDudo:
    """The last bid is doubted."""


@dataclass(frozen=True, slots=True)
class ParsedCalza:
    """The last bid is called exact."""


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A request that is no move; `rest` is what stands behind the word."""

    name: CommandName
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Nearly a call, or a call by one reading of several. Nothing is done; the player may send this text instead."""

    text: str


ParsedCall: TypeAlias = ParsedBid | ParsedDudo | ParsedCalza
Parsed: TypeAlias = ParsedCall | ParsedCommand | Suggestion


def canonical_text(said: Parsed) -> str:
    """The form that is always understood, in every language: "5x4", "dudo", "calza"."""
    match said:
        case ParsedBid(quantity, face):
            return f"{quantity}x{face}"
        case ParsedDudo():
            return "dudo"
        case ParsedCalza():
            return "calza"
        case ParsedCommand(name):
            return name
        case Suggestion(text):
            return text
