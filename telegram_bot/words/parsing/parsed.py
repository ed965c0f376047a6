"""What a text can mean."""

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
class SaidBid:
    """So many dice of a face."""

    quantity: int
    face: int
    bare: bool = field(default=False, compare=False)
    """Two digits and nothing that tells which is the number: the other way round is easily meant."""


@dataclass(frozen=True, slots=True)
class SaidDudo:
    """The last bid is doubted."""


@dataclass(frozen=True, slots=True)
class SaidCalza:
    """The last bid is called exact."""


@dataclass(frozen=True, slots=True)
class SaidCommand:
    """A request that is no move; `rest` is what stands behind the word."""

    name: CommandName
    rest: str = ""


@dataclass(frozen=True, slots=True)
class DidYouMean:
    """Nearly a call, or a call by one reading of several. Nothing is done; the player may send this text instead."""

    text: str


Call: TypeAlias = SaidBid | SaidDudo | SaidCalza
Said: TypeAlias = Call | SaidCommand | DidYouMean


def spell(said: Said) -> str:
    """The form that is always understood, in every language: "5x4", "dudo", "calza"."""
    match said:
        case SaidBid(quantity, face):
            return f"{quantity}x{face}"
        case SaidDudo():
            return "dudo"
        case SaidCalza():
            return "calza"
        case SaidCommand(name):
            return name
        case DidYouMean(text):
            return text
