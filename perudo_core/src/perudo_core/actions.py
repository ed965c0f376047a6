"""What can happen in a game: the players' calls, the table's decisions and chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "FACES",
    "Action",
    "Bid",
    "Call",
    "Calza",
    "ChanceAction",
    "Dice",
    "Dudo",
    "Forfeit",
    "OpenerDraw",
    "OpeningRoll",
    "PlayerAction",
    "Resign",
    "Roll",
    "Seat",
]

Seat: TypeAlias = int
"""An index in turn order: the next one sits to the left."""

Dice: TypeAlias = tuple[tuple[int, ...], ...]
"""One tuple of faces per seat."""

FACES = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Bid:
    """At least `quantity` dice of `face` lie on the table."""

    seat: Seat
    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


@dataclass(frozen=True, slots=True)
class Dudo:
    """The last bid does not hold."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Calza:
    """The last bid is exact."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The player on turn concedes the round. The table's, not the books': for a turn clock."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Resign:
    """A player leaves the game, at any time. The table's: the books do not say."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Roll:
    """The dice of a round; `()` for a seat that is out."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class OpeningRoll:
    """The contest for who opens the game; `()` for a seat that does not contend."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class OpenerDraw:
    """Lots were drawn: this seat opens the game."""

    seat: Seat


Call: TypeAlias = Bid | Dudo | Calza
PlayerAction: TypeAlias = Bid | Dudo | Calza | Forfeit | Resign
ChanceAction: TypeAlias = Roll | OpeningRoll | OpenerDraw
Action: TypeAlias = PlayerAction | ChanceAction
