"""Events, rules and refusals in plain English, for logs, terminals and first versions of an interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from perudo_core._actions import Dice
from perudo_core._engine import smallest_raise
from perudo_core._errors import Reason, expect_type
from perudo_core._events import (
    BidMade,
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DiceShown,
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
from perudo_core._public_names import publish
from perudo_core._rules import CUSTOM, OPTIONS, Rulebook, Rules, book_of, options_of
from perudo_core._state import State

__all__ = ["clause", "describe", "differences", "explain"]


def describe(
    event: Event | Rules, names: Sequence[str] = (), *, hides_lost_dice: bool = False, rulebook: Rulebook | None = None
) -> str:
    """Return a sentence about an event, or the title of a rulebook and how these rules differ from it.

    `rulebook` is the one that rules began with, if it is none of `PRESETS`.

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
        return _rules(event, rulebook or book_of(event))
    expect_type(names, Sequence, "names")
    if not isinstance(event, Event):
        raise TypeError(f"event must be an Event, not {type(event).__name__}")
    expect_seats(event, len(names), f"the event names a seat, but there are only {len(names)} names")
    shown = [name or f"Seat {seat + 1}" for seat, name in enumerate(names)]
    if hides_lost_dice and isinstance(event, DiceLost):
        return f"{shown[event.seat]} loses {_dice(event.amount)}."
    return _sentence(event, shown)


def explain(reason: Reason, state: State | None = None) -> str:
    """Return the reason in plain English; given the state, a refused bid's sentence adds the smallest legal raise.

    For other languages translate the reason itself: it is a stable code.

    >>> explain(Reason.NOT_YOUR_TURN)
    "It is another player's turn."
    """
    expect_type(reason, Reason, "reason")
    words = _REASON_WORDS[reason]
    if state is None:
        return words
    expect_type(state, State, "state")
    if not reason.startswith("bid/") or state.turn is None:
        return words
    least = smallest_raise(state)
    if least is None:
        return f"{words} No higher bid is left."
    return f"{words} The smallest {'raise' if state.bids else 'bid'} is {least}."


def clause(reason: Reason, rules: Rules, rulebook: Rulebook | None = None) -> str | None:
    """Return the rulebook's clause for a reason, or the house's own option.

    `rulebook` is as for `describe`. None for a rule that all rulebooks share.

    >>> from perudo_core import PlainRaise
    >>> clause(Reason.CALZA_NOT_PLAYED, Rules())
    'box_2009: calza: an option of the book'
    >>> clause(Reason.BID_TOO_LOW, Rules(plain_raise=PlainRaise.ANY_HIGHER))
    'house: plain_raise = any_higher'
    """
    expect_type(reason, Reason, "reason")
    expect_type(rules, Rules, "rules")
    option = _OPTION_OF.get(reason)
    if option is None:
        return None
    book, value = rulebook or book_of(rules), options_of(rules)[option]
    if book is not None and options_of(book.rules)[option] == value:
        return book.clauses.get(option)
    return f"house: {option} = {str(value).lower()}"


def differences(rules: Rules, other: Rules) -> tuple[str, ...]:
    """Return a sentence for each option that differs from the other rules, with its value in the first ones.

    >>> differences(Rules.preset("aces").with_options(calza=True), Rules.preset("aces"))
    ('Calza may be said.',)
    """
    expect_type(rules, Rules, "rules")
    expect_type(other, Rules, "other")
    return tuple(option_in_words(name, getattr(rules, name)) for name in _differing(rules, other))


def _differing(rules: Rules, other: Rules) -> list[str]:
    return [name for name in OPTIONS if getattr(rules, name) != getattr(other, name)]


def option_in_words(name: str, value: object) -> str:
    """Return one sentence about an option of `Rules` that has this value."""
    return OPTIONS[name].sentences[value]


def _rules(rules: Rules, book: Rulebook | None) -> str:
    if book is None:
        return "Rules of no book." if rules.book == CUSTOM else f"Rules of an unknown book, {rules.book}."
    told = [name for name in _differing(rules, book.rules) if OPTIONS[name].has_effect(rules)]
    return " ".join([f"{book.title}.", *(option_in_words(name, getattr(rules, name)) for name in told)])


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
        case DiceShown(seat, dice):
            return f"{names[seat]} shows {_hand(dice)} and rolls the other dice again."
        case BidMade(bid):
            return f"{names[bid.seat]} bids {bid}."
        case DudoCalled(seat, bid):
            return f"{names[seat]} says dudo to {bid} by {names[bid.seat]}."
        case CalzaCalled(seat, bid):
            return f"{names[seat]} says calza to {bid} by {names[bid.seat]}."
        case Revealed(dice, bid, matching, _, holds, exact):
            verdict = "exactly what was bid" if exact else "the bid holds" if holds else "the bid does not hold"
            return f"The dice: {_rolls(dice, names)}. {matching} of {bid}: {verdict}."
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


_REASON_WORDS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.ACTION_UNKNOWN: "That is no action of this game.",
        Reason.GAME_OVER: "The game is over.",
        Reason.SEAT_UNKNOWN: "There is no such seat.",
        Reason.SEAT_OUT: "This player is out of the game.",
        Reason.NO_ROUND: "The dice are not on the table yet.",
        Reason.NOT_YOUR_TURN: "It is another player's turn.",
        Reason.NO_BID: "There is no bid yet.",
        Reason.OWN_BID: "No one doubts or confirms their own bid.",
        Reason.BID_MALFORMED: "A bid is two whole numbers: how many, and which face.",
        Reason.BID_FACE_UNKNOWN: "A die has the faces 1 to 6.",
        Reason.BID_QUANTITY_ZERO: "A bid is at least one die.",
        Reason.BID_ABOVE_MAXIMUM: "There cannot be that many dice.",
        Reason.BID_ONES_MAY_NOT_OPEN: "Ones may not open a round.",
        Reason.BID_TOO_LOW: "A bid must be higher than the last one.",
        Reason.BID_FACE_LOWER: "With a higher quantity the face may not be lower.",
        Reason.BID_TWO_THINGS: "A raise changes one thing: the quantity or the face, not both.",
        Reason.BID_TOO_FEW_ONES: "From another face to ones it takes at least half the quantity, rounded up.",
        Reason.BID_TOO_FEW_AFTER_ONES: "From ones to another face it takes at least twice the quantity plus one.",
        Reason.BID_FACE_LOCKED: "In this palifico round the face stays: only the quantity rises.",
        Reason.CALZA_NOT_PLAYED: "Calza is not played at this table.",
        Reason.CALZA_ON_TURN: "You may not say calza on your own turn.",
        Reason.CALZA_IN_PALIFICO: "Calza is not said in a palifico round.",
        Reason.CALZA_TWO_PLAYERS: "Calza is not said with two players left.",
        Reason.REROLL_NOT_PLAYED: "No one rolls again after a bid at this table.",
        Reason.REROLL_NOT_NOW: "Only the last bidder may show dice and roll the others, once, before the next call.",
        Reason.REROLL_NOT_HELD: "A player shows dice that they hold and have not shown yet.",
        Reason.REROLL_NO_SUPPORT: "All dice that are shown count for the bid.",
        Reason.REROLL_NONE_SHOWN: "At least one die is shown before the others are rolled again.",
        Reason.REROLL_NONE_LEFT: "At least one die is not shown, and is rolled again.",
        Reason.ROLL_NOT_NOW: "This is not the time to roll.",
        Reason.ROLL_WRONG_KIND: "This table finds its opener another way.",
        Reason.ROLL_MALFORMED: "A roll is a tuple of faces for each seat.",
        Reason.ROLL_WRONG_SEATS: "A roll has one hand for each seat.",
        Reason.ROLL_WRONG_LENGTH: "A hand has as many dice as its player holds.",
        Reason.ROLL_FACE_UNKNOWN: "A die has the faces 1 to 6.",
    }
)
_OPTION_OF: Final[Mapping[Reason, str]] = MappingProxyType(
    {reason: name for name, row in OPTIONS.items() for reason in row.refusals}
)


publish(globals())
