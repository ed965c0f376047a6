"""The reason for a refused action in plain English, and its clause of the rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from perudo_core._errors import Reason, expect_type
from perudo_core._legality import smallest_raise
from perudo_core._rules import Rules, book_of
from perudo_core._state import State

__all__ = ["clause", "explain"]

_WORDS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.ACTION_UNKNOWN: "That is no action of this game.",
        Reason.GAME_OVER: "The game is over.",
        Reason.SEAT_UNKNOWN: "There is no such seat.",
        Reason.SEAT_OUT: "This player is out of the game.",
        Reason.NO_ROUND: "The dice are not on the table yet.",
        Reason.NOT_YOUR_TURN: "It is another player's turn.",
        Reason.NO_BID: "There is no bid yet.",
        Reason.OWN_BID: "Nobody doubts or confirms their own bid.",
        Reason.BID_MALFORMED: "A bid is two whole numbers: how many, and which face.",
        Reason.BID_FACE_UNKNOWN: "A die has the faces 1 to 6.",
        Reason.BID_QUANTITY_ZERO: "A bid is of one die at least.",
        Reason.BID_ABOVE_MAXIMUM: "There cannot be so many dice.",
        Reason.BID_ONES_MAY_NOT_OPEN: "Ones may not open a round.",
        Reason.BID_TOO_LOW: "A bid must be higher than the last one.",
        Reason.BID_FACE_LOWER: "With a higher quantity the face may not be lower.",
        Reason.BID_TWO_THINGS: "A raise changes one thing: the quantity or the face, not both.",
        Reason.BID_TOO_FEW_ONES: "From another face to ones it takes at least half the quantity, rounded up.",
        Reason.BID_TOO_FEW_AFTER_ONES: "From ones to another face it takes at least twice the quantity plus one.",
        Reason.BID_FACE_LOCKED: "In this palifico round the face stays: only the quantity rises.",
        Reason.CALZA_NOT_PLAYED: "Calza is not played at this table.",
        Reason.CALZA_ON_TURN: "The player on turn may not say calza.",
        Reason.CALZA_IN_PALIFICO: "Calza is not said in a palifico round.",
        Reason.CALZA_TWO_PLAYERS: "Calza is not said with two players left.",
        Reason.ROLL_NOT_NOW: "Nothing is rolled now.",
        Reason.ROLL_WRONG_KIND: "This table finds its opener another way.",
        Reason.ROLL_MALFORMED: "A roll is a tuple of faces for each seat.",
        Reason.ROLL_WRONG_SEATS: "A roll has one hand for each seat.",
        Reason.ROLL_WRONG_LENGTH: "A hand has as many dice as its player holds.",
        Reason.ROLL_FACE_UNKNOWN: "A die has the faces 1 to 6.",
    }
)

_OPTIONS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.BID_ABOVE_MAXIMUM: "lost_dice",
        Reason.BID_ONES_MAY_NOT_OPEN: "ones_may_open",
        Reason.BID_TOO_LOW: "plain_raise",
        Reason.BID_FACE_LOWER: "plain_raise",
        Reason.BID_TWO_THINGS: "plain_raise",
        Reason.BID_TOO_FEW_ONES: "wild_ones",
        Reason.BID_TOO_FEW_AFTER_ONES: "wild_ones",
        Reason.BID_FACE_LOCKED: "palifico_face_change",
        Reason.CALZA_NOT_PLAYED: "calza",
        Reason.CALZA_ON_TURN: "calza_by",
        Reason.CALZA_IN_PALIFICO: "calza_in_palifico",
        Reason.CALZA_TWO_PLAYERS: "calza_with_two_players",
        Reason.ROLL_WRONG_KIND: "opener",
    }
)


def explain(reason: Reason, state: State | None = None) -> str:
    """Return the reason in plain English; given the state, a refused bid's sentence adds the smallest legal raise.

    For other languages translate the reason itself: it is a stable code.

    >>> explain(Reason.NOT_YOUR_TURN)
    "It is another player's turn."
    """
    expect_type(reason, Reason, "reason")
    words = _WORDS[reason]
    if state is None:
        return words
    expect_type(state, State, "state")
    if not reason.startswith("bid/") or state.turn is None:
        return words
    least = smallest_raise(state)
    if least is None:
        return f"{words} No higher bid is left."
    return f"{words} The smallest {'raise' if state.bids else 'bid'} is {least}."


def clause(reason: Reason, rules: Rules) -> str | None:
    """Return the rulebook's clause for a reason, or the house's own option.

    None for a rule that all rulebooks share.

    >>> from perudo_core import PlainRaise
    >>> clause(Reason.CALZA_NOT_PLAYED, Rules())
    'box_2009: calza: an option of the book'
    >>> clause(Reason.BID_TOO_LOW, Rules(plain_raise=PlainRaise.ANY_HIGHER))
    'house: plain_raise = any_higher'
    """
    expect_type(reason, Reason, "reason")
    expect_type(rules, Rules, "rules")
    option = _OPTIONS.get(reason)
    if option is None:
        return None
    book, value = book_of(rules), rules.to_dict()[option]
    if book is not None and book.to_dict()[option] == value:
        return Rules.clauses(rules.book).get(option)
    return f"house: {option} = {str(value).lower()}"
