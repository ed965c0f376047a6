"""Events in plain English, for logs, terminals and first versions of an interface."""

from __future__ import annotations

from collections.abc import Sequence

from perudo_core._actions import Dice
from perudo_core._errors import expect_type
from perudo_core._events import (
    BidMade,
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DieRegained,
    DudoCalled,
    Event,
    OpenerChosen,
    OpenerRolled,
    Revealed,
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
    expect_seats,
)
from perudo_core._rules import CUSTOM, Rules, book_of

__all__ = ["describe"]


def describe(event: Event | Rules, names: Sequence[str] = (), *, hides_lost_dice: bool = False) -> str:
    """Return a sentence about an event, or the title of a rulebook and how these rules differ from it.

    `names` has a name for each seat, as `state.seats`; a seat with an empty name is called `Seat 1`, `Seat 2` and so
    on. The sentence reveals everything in the event: show a player only the events of `visible_events`, and give
    `hides_lost_dice=rules.hides_lost_dice` to leave out how many dice a player has left. Raises `TypeError` for another
    value, `ValueError` for an event of a seat without a name.

    >>> from perudo_core import Bid
    >>> describe(BidMade(Bid(0, 5, 3)), ["Ana", "Bo"])
    'Ana bids 5x3.'
    >>> describe(DiceLost(seat=1, amount=1, remaining=4), ["Ana", "Bo"])
    'Bo loses 1 die and has 4 left.'
    >>> describe(Rules.preset("aces").with_options(calza=True))
    'The English page "Peruvian Liar Dice". Calza may be said.'
    """
    if isinstance(event, Rules):
        return _rulebook(event)
    expect_type(names, Sequence, "names")
    if not isinstance(event, Event):
        raise TypeError(f"event must be an Event, not {type(event).__name__}")
    if hides_lost_dice and isinstance(event, DiceLost):
        event = event._replace(remaining=None)
    expect_seats(event, len(names), f"the event names a seat, but there are only {len(names)} names")
    return _sentence(event, [name or f"Seat {seat + 1}" for seat, name in enumerate(names)])


def _rulebook(rules: Rules) -> str:
    book = book_of(rules)
    if book is None:
        return "Rules of no book." if rules.book == CUSTOM else f"Rules of an unknown book, {rules.book}."
    return " ".join([f"{Rules.about(rules.book)['title']}.", *rules.differences(book)])


def _sentence(event: Event, names: list[str]) -> str:
    match event:
        case OpenerRolled(dice, ()):
            return f"To open: {_rolls(dice, names)}."
        case OpenerRolled(dice, tied):
            return f"To open: {_rolls(dice, names)}. {_listed([names[seat] for seat in tied])} roll again."
        case OpenerChosen(seat):
            return f"{names[seat]} opens the game."
        case RoundStarted(number, opener, None):
            return f"Round {number}: {names[opener]} opens."
        case RoundStarted(number, opener):
            return f"Round {number}: {names[opener]} opens a palifico round."
        case DiceRolled(seat, dice):
            return f"{names[seat]} rolls {_hand(dice)}."
        case BidMade(bid):
            return f"{names[bid.seat]} bids {bid}."
        case DudoCalled(seat, bid):
            return f"{names[seat]} says dudo to {bid} by {names[bid.seat]}."
        case CalzaCalled(seat, bid):
            return f"{names[seat]} says calza to {bid} by {names[bid.seat]}."
        case Revealed(dice, bid, matching, _, holds, exact):
            verdict = "exactly what was bid" if exact else "the bid holds" if holds else "the bid does not hold"
            return f"The dice: {_rolls(dice, names)}. {matching} of {bid}: {verdict}."
        case DiceLost(seat, amount, None):
            return f"{names[seat]} loses {_dice(amount)}."
        case DiceLost(seat, amount, remaining):
            return f"{names[seat]} loses {_dice(amount)} and has {remaining} left."
        case DieRegained(seat, 0):
            return f"{names[seat]} already holds all their dice."
        case DieRegained(seat, amount):
            return f"{names[seat]} regains {_dice(amount)}."
        case SeatOut(seat, place):
            return f"{names[seat]} is out, in place {place}."
        case SeatLeft(seat, place):
            return f"{names[seat]} leaves the game, in place {place}."
        case RoundVoided(number):
            return f"Round {number} is void and is rolled again."
        case RoundConceded(seat):
            return f"{names[seat]} concedes the round."
        case _:
            return f"{names[event.outcome.winner]} wins."


def _rolls(dice: Dice, names: Sequence[str]) -> str:
    return ", ".join(f"{names[seat]} {_hand(hand)}" for seat, hand in enumerate(dice) if hand)


def _hand(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, dice))


def _dice(amount: int) -> str:
    return "1 die" if amount == 1 else f"{amount} dice"


def _listed(names: Sequence[str]) -> str:
    return " and ".join((", ".join(names[:-1]), names[-1]))
