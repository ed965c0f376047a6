"""The events of a game, and the audience of each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._errors import abbreviated, expect_type
from perudo_core._outcome import Outcome
from perudo_core._public_names import Listed

__all__ = [
    "EVERYONE", "Audience", "BidMade", "CalzaCalled", "DiceLost", "DiceRolled", "DiceShown", "DieRegained",
    "DudoCalled", "Event", "GameOver", "OpenerChosen", "OpenerRolled", "Revealed", "RoundConceded", "RoundStarted",
    "RoundVoided", "SeatLeft", "SeatOut", "audience", "visible_events",
]  # fmt: skip

Audience: TypeAlias = frozenset[Seat] | None
"""The seats that may know an event, or `EVERYONE`: all seats and bystanders."""

EVERYONE: Final = None


@dataclass(frozen=True, slots=True)
class OpenerRolled(metaclass=Listed):
    """Chance rolled to find the opener; the `tied` seats roll again; `tied` is empty once the opener is found."""

    dice: Dice
    tied: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class OpenerChosen(metaclass=Listed):
    """A seat was chosen to open the game."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class RoundStarted(metaclass=Listed):
    """All players have rolled; `palifico` is the player whose palifico round it is, if it is one."""

    round: int
    opener: Seat
    palifico: Seat | None


@dataclass(frozen=True, slots=True)
class DiceRolled(metaclass=Listed):
    """A player's own hand after a roll, which no other seat may know; open dice come first."""

    seat: Seat
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DiceShown(metaclass=Listed):
    """A player showed these dice after their bid, for the rest of the round, and rolled the others again."""

    seat: Seat
    dice: tuple[int, ...]
    bid: Bid


@dataclass(frozen=True, slots=True)
class BidMade(metaclass=Listed):
    """A player made a bid."""

    bid: Bid


@dataclass(frozen=True, slots=True)
class DudoCalled(metaclass=Listed):
    """A player said dudo to the bid."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class CalzaCalled(metaclass=Listed):
    """A player said calza to the bid."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class Revealed(metaclass=Listed):
    """All dice were shown; `matching` is how many count for the bid, including ones if `ones_are_wild`."""

    dice: Dice
    bid: Bid
    matching: int
    ones_are_wild: bool
    holds: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class DiceLost(metaclass=Listed):
    """A player lost dice, and has `remaining` left; by `rules.hides_lost_dice` no interface shows the number."""

    seat: Seat
    amount: int
    remaining: int


@dataclass(frozen=True, slots=True)
class DieRegained(metaclass=Listed):
    """A player's calza was right; `amount` is 0 for a player who already had all their starting dice."""

    seat: Seat
    amount: int


@dataclass(frozen=True, slots=True)
class SeatOut(metaclass=Listed):
    """A player lost their last die; `place` is their final place, 2 for the runner-up."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class SeatLeft(metaclass=Listed):
    """A player left the game with all their dice; `place` is their final place."""

    seat: Seat
    place: int


@dataclass(frozen=True, slots=True)
class RoundVoided(metaclass=Listed):
    """A round does not count, because a player left while it was being bid."""

    round: int


@dataclass(frozen=True, slots=True)
class RoundConceded(metaclass=Listed):
    """The player whose turn it is gave the round up."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GameOver(metaclass=Listed):
    """One player remains, or has no dice and wins by `Rules.first_out_wins`; the game is over."""

    outcome: Outcome


PublicEvent: TypeAlias = (
    OpenerRolled
    | OpenerChosen
    | RoundStarted
    | DiceShown
    | BidMade
    | DudoCalled
    | CalzaCalled
    | Revealed
    | DiceLost
    | DieRegained
    | SeatOut
    | SeatLeft
    | RoundVoided
    | RoundConceded
    | GameOver
)
Event: TypeAlias = PublicEvent | DiceRolled

_PUBLIC: Final = frozenset(get_args(PublicEvent))


def audience(event: Event) -> Audience:
    """Return the seats that may know an event, or `EVERYONE`.

    The set is empty for a type that this module does not list as public or as one seat's own.

    >>> audience(DiceRolled(seat=1, dice=(2, 2, 5)))
    frozenset({1})
    """
    if type(event) in _PUBLIC:
        return EVERYONE
    return frozenset({event.seat}) if type(event) is DiceRolled else frozenset()


def expect_seats(event: Event, seats: int, fault: str) -> None:
    """Raise a `ValueError` with these words for an event of a seat that a table of so many seats does not have."""
    if not all(0 <= seat < seats for seat in _seats_of(event)):
        raise ValueError(f"{fault}: {abbreviated(event)}")


def _seats_of(event: Event) -> tuple[Seat, ...]:
    match event:
        case OpenerRolled(dice, tied):
            return (len(dice) - 1, *tied)
        case RoundStarted(_, opener, palifico):
            return (opener,) if palifico is None else (opener, palifico)
        case BidMade(bid):
            return (bid.seat,)
        case DudoCalled(seat, bid) | CalzaCalled(seat, bid) | DiceShown(seat, _, bid):
            return seat, bid.seat
        case Revealed(dice, bid):
            return len(dice) - 1, bid.seat
        case RoundVoided():
            return ()
        case GameOver(outcome):
            return len(outcome.placements) - 1, outcome.winner
        case _:
            return (event.seat,)


def visible_events(events: Iterable[Event], seat: Seat | None) -> tuple[Event, ...]:
    """Return the events that a seat, or a bystander (None), may know, in order.

    >>> visible_events([DiceRolled(0, (1, 6)), DiceRolled(1, (2, 2))], seat=1)
    (DiceRolled(seat=1, dice=(2, 2)),)
    """
    expect_type(events, Iterable, "events")
    expect_type(seat, int | None, "seat")
    return tuple(event for event in events if (seats := audience(event)) is EVERYONE or seat in seats)
