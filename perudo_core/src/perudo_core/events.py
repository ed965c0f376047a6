"""What happened, each with who may know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from perudo_core.actions import Bid, Dice, Seat

if TYPE_CHECKING:
    from perudo_core.outcome import Outcome

__all__ = [
    "EVERYONE",
    "Audience",
    "BidMade",
    "CalzaCalled",
    "DiceLost",
    "DiceRolled",
    "DieRegained",
    "DudoCalled",
    "Event",
    "GameOver",
    "OpenerChosen",
    "OpenerRolled",
    "Revealed",
    "RoundForfeited",
    "RoundStarted",
    "RoundVoided",
    "SeatOut",
    "SeatResigned",
]

Audience: TypeAlias = frozenset[Seat] | None
"""The seats that may know; None is everyone, bystanders too."""

EVERYONE: Final = None


class Event:
    """Something that happened. Nobody may know an event that does not say who may."""

    __slots__ = ()
    audience: ClassVar[Audience] = frozenset()

    @property
    def known_to(self) -> Audience:
        """The seats that may know it, or `EVERYONE`."""
        return self.audience

    def known_by(self, seat: Seat | None) -> bool:
        """Whether this seat (None: a bystander) may know it."""
        audience = self.known_to
        return audience is EVERYONE or seat in audience


class _Public(Event):
    __slots__ = ()
    audience: ClassVar[Audience] = EVERYONE


@dataclass(frozen=True, slots=True)
class OpenerRolled(_Public):
    """The opener's contest; `tied` seats roll again, none when it is decided."""

    dice: Dice
    tied: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class OpenerChosen(_Public):
    """This seat opens the game."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class RoundStarted(_Public):
    """All have rolled. `palifico`: the player whose palifico round it is."""

    round: int
    opener: Seat
    palifico: Seat | None


@dataclass(frozen=True, slots=True)
class DiceRolled(Event):
    """A player's own dice, which only he may look at."""

    seat: Seat
    dice: tuple[int, ...]

    @property
    def known_to(self) -> Audience:
        """The player himself."""
        return frozenset((self.seat,))


@dataclass(frozen=True, slots=True)
class BidMade(_Public):
    """A bid stands."""

    bid: Bid


@dataclass(frozen=True, slots=True)
class DudoCalled(_Public):
    """`seat` doubts the bid."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class CalzaCalled(_Public):
    """`seat` says that the bid is exact."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class Revealed(_Public):
    """All dice are shown and counted. `count` includes the ones where `ones_wild`."""

    dice: Dice
    bid: Bid
    count: int
    ones_wild: bool
    holds: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class DiceLost(_Public):
    """Who lost how many dice; `left` only where lost dice are visible."""

    seat: Seat
    amount: int
    left: int | None


@dataclass(frozen=True, slots=True)
class DieRegained(_Public):
    """A right calza; `amount` is 0 for a player who already holds all his dice."""

    seat: Seat
    amount: int


@dataclass(frozen=True, slots=True)
class SeatOut(_Public):
    """A player lost his last die."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class SeatResigned(_Public):
    """A player left the game and took his dice with him."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class RoundVoided(_Public):
    """The round does not count: somebody left whose dice were bid on."""

    round: int


@dataclass(frozen=True, slots=True)
class RoundForfeited(_Public):
    """The player on turn conceded the round."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GameOver(_Public):
    """One player is left."""

    outcome: Outcome
