"""The actions of a game: the players' calls, other acts of players, and the rolls and draws of chance."""

from dataclasses import dataclass, field
from typing import TypeAlias

from perudo_core._public_names import Listed

__all__ = [
    "FACES", "Action", "Bid", "Call", "Calza", "ChanceAction", "Concede", "Dice", "Dudo", "Leave", "OpenerDraw",
    "OpeningRoll", "PlayerAction", "Reroll", "Roll", "Seat",
]  # fmt: skip

Seat: TypeAlias = int
"""An index in turn order, from 0: the next seat sits to the left."""

Dice: TypeAlias = tuple[tuple[int, ...], ...]
"""One tuple of faces for each seat."""

FACES = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Bid(metaclass=Listed):
    """A player bids that at least `quantity` dice on the table show `face`.

    >>> print(Bid(seat=0, quantity=5, face=3))
    5x3
    """

    seat: Seat
    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


@dataclass(frozen=True, slots=True)
class Dudo(metaclass=Listed):
    """A player says that the last bid does not hold."""

    seat: Seat

    def __str__(self) -> str:
        return "dudo"


@dataclass(frozen=True, slots=True)
class Calza(metaclass=Listed):
    """A player says that the last bid is exact."""

    seat: Seat

    def __str__(self) -> str:
        return "calza"


@dataclass(frozen=True, slots=True)
class Concede(metaclass=Listed):
    """The player to call gives up the round, for example because a turn clock ran out. No rulebook has this action."""

    seat: Seat

    def __str__(self) -> str:
        return "concede"


@dataclass(frozen=True, slots=True)
class Leave(metaclass=Listed):
    """A player leaves the game, at any time. No rulebook has this action."""

    seat: Seat

    def __str__(self) -> str:
        return "leave"


@dataclass(frozen=True, slots=True)
class Reroll(metaclass=Listed):
    """After their own bid a player shows some dice and rolls the others again: `Rules.reroll_after_bid`.

    The player chooses `shown`, and chance rolls the rest: `sample_reroll` and `FairDice.reroll` return the action.
    """

    seat: Seat
    shown: tuple[int, ...]
    rolled: tuple[int, ...] = field(repr=False)
    """The new faces of the other hidden dice, which no other player may know."""

    def __str__(self) -> str:
        return f"shows {''.join(map(str, self.shown))}"


@dataclass(frozen=True, slots=True)
class Roll(metaclass=Listed):
    """Chance rolls the dice of a round: a hand for each seat, `()` for a seat that is out."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class OpeningRoll(metaclass=Listed):
    """Chance rolls to find the opener of the game: a hand for each contender, `()` for every other seat."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class OpenerDraw(metaclass=Listed):
    """Chance draws the seat that opens the game."""

    seat: Seat


Call: TypeAlias = Bid | Dudo | Calza
PlayerAction: TypeAlias = Bid | Dudo | Calza | Concede | Leave | Reroll
ChanceAction: TypeAlias = Roll | OpeningRoll | OpenerDraw
Action: TypeAlias = PlayerAction | ChanceAction
