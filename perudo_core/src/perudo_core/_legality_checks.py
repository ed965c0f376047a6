"""Decides which actions are legal, and the reason for each illegal one; no other module does."""

from collections.abc import Callable
from typing import Final, TypeAlias

from perudo_core._actions import (
    Action,
    Bid,
    Calza,
    Concede,
    Dudo,
    Leave,
    OpenerDraw,
    OpeningRoll,
    Roll,
)
from perudo_core._bidding import smallest_next_bid, why_illegal_bid
from perudo_core._errors import Reason, Unchecked
from perudo_core._hands import are_shared
from perudo_core._phase import BIDDING, OPENING, OVER, ROLLING
from perudo_core._rules import CalzaBy, OpenerMethod
from perudo_core._state import State
from perudo_core._values import with_ints

GivenAction: TypeAlias = tuple[object, ...]
"""An action before its check: a field may hold anything, not only what its class declares."""

__all__ = [
    "GivenAction",
    "least_raise",
    "opening_counts",
    "reason_against",
    "reason_as_given",
    "why_no_calza_this_round",
]


def reason_against(state: State, action: Unchecked[Action]) -> Reason | None:
    """Return the reason why the action may not be taken now.

    None if it is legal, also with whole numbers other than `int`.
    """
    reason = reason_as_given(state, action)
    return reason_as_given(state, with_ints(action)) if reason in _BY_TYPE else reason


def reason_as_given(state: State, action: Unchecked[Action]) -> Reason | None:
    """Return the reason against an action whose whole numbers must be of the type `int`."""
    check = _CHECKS.get(type(action))
    return Reason.ACTION_UNKNOWN if check is None else check(state, action)


def least_raise(state: State) -> Bid | None:
    """Return the least bid that the player on turn can make, or None if there is none."""
    if state.turn is None:
        return None
    smallest = smallest_next_bid(state.bid_rules, _last(state), state.max_quantity)
    return None if smallest is None else Bid(state.turn, *smallest)


def opening_counts(state: State) -> tuple[int, ...]:
    """Return how many dice each seat rolls to find who opens the game."""
    each = 1 if state.rules.opener is OpenerMethod.HIGHEST_DIE else 2
    contenders = frozenset(state.contenders)
    return tuple(each if seat in contenders else 0 for seat in range(len(state.seats)))


def _last(state: State) -> tuple[int, int] | None:
    bid = state.current_bid
    return None if bid is None else (bid.quantity, bid.face)


def _why_not_in_game(state: State, seat: object) -> Reason | None:
    if type(seat) is not int or not 0 <= seat < len(state.seats):
        return Reason.SEAT_UNKNOWN
    if state.phase is OVER:
        return Reason.GAME_OVER
    return None if state.dice_counts[seat] else Reason.SEAT_OUT


def _why_no_call(state: State, seat: object) -> Reason | None:
    reason = _why_not_in_game(state, seat)
    if reason is None and state.phase is not BIDDING:
        return Reason.NO_ROUND
    return reason


def _why_not_on_turn(state: State, action: GivenAction) -> Reason | None:
    seat = action[0]
    reason = _why_no_call(state, seat)
    if reason is None and seat != state.turn:
        return Reason.NOT_YOUR_TURN
    return reason


def _why_no_bid(state: State, bid: GivenAction) -> Reason | None:
    reason = _why_not_on_turn(state, bid)
    if reason is not None:
        return reason
    _, quantity, face = bid
    if type(quantity) is not int or type(face) is not int:
        return Reason.BID_MALFORMED
    return why_illegal_bid(state.bid_rules, _last(state), quantity, face, state.max_quantity)


def _why_no_doubt(state: State, seat: object) -> Reason | None:
    """Return the checks that dudo and calza share: there is a bid, and it is another player's."""
    reason = _why_no_call(state, seat)
    if reason is not None:
        return reason
    if not state.bids:
        return Reason.NO_BID
    return Reason.OWN_BID if state.bids[-1].seat == seat else None


def _why_no_dudo(state: State, dudo: GivenAction) -> Reason | None:
    (seat,) = dudo
    if state.bids and type(seat) is int and seat == state.turn:
        return None
    reason = _why_no_doubt(state, seat)
    if reason is None and seat != state.turn and not state.rules.out_of_turn_dudo:
        return Reason.NOT_YOUR_TURN
    return reason


def _why_no_calza(state: State, calza: GivenAction) -> Reason | None:
    rules, (seat,) = state.rules, calza
    if not rules.calza:
        return _why_no_call(state, seat) or Reason.CALZA_NOT_PLAYED
    reason = _why_no_doubt(state, seat)
    if reason is not None:
        return reason
    if rules.calza_by is CalzaBy.BYSTANDERS and seat == state.turn:
        return Reason.CALZA_ON_TURN
    if rules.calza_by is CalzaBy.ON_TURN and seat != state.turn:
        return Reason.NOT_YOUR_TURN
    return why_no_calza_this_round(state)


def why_no_calza_this_round(state: State) -> Reason | None:
    """Return the reason why calza is not allowed in this round, in rules with calza, or None if it is allowed."""
    rules = state.rules
    if state.palifico is not None and not rules.calza_in_palifico:
        return Reason.CALZA_IN_PALIFICO
    if not rules.calza_with_two_players and len(state.seats) - len(state.eliminated) == 2:  # noqa: PLR2004 - the option's own words
        return Reason.CALZA_TWO_PLAYERS
    return None


def _why_no_leaving(state: State, leave: GivenAction) -> Reason | None:
    return _why_not_in_game(state, leave[0])


def _why_no_roll(state: State, roll: GivenAction) -> Reason | None:
    setup = state.setup
    if setup.phase is not ROLLING:
        return Reason.ROLL_NOT_NOW
    return _why_no_dice(roll[0], setup.dice_counts)


def _why_no_opening_roll(state: State, roll: GivenAction) -> Reason | None:
    if state.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is OpenerMethod.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _why_no_dice(roll[0], opening_counts(state))


def _why_no_draw(state: State, draw: GivenAction) -> Reason | None:
    if state.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is not OpenerMethod.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _why_not_in_game(state, draw[0])


def _why_no_dice(dice: object, counts: tuple[int, ...]) -> Reason | None:
    """Return the reason why these hands are not a roll of so many dice for each seat."""
    if type(dice) is not tuple:
        return Reason.ROLL_MALFORMED
    if are_shared(dice, counts):
        return None
    for hand in dice:
        if type(hand) is not tuple:
            return Reason.ROLL_MALFORMED
    if len(dice) != len(counts):
        return Reason.ROLL_WRONG_SEATS
    if tuple(map(len, dice)) != counts:
        return Reason.ROLL_WRONG_LENGTH
    faces = [die for hand in dice for die in hand]
    if not all(type(die) is int for die in faces):
        return Reason.ROLL_MALFORMED
    return None if all(1 <= die <= 6 for die in faces) else Reason.ROLL_FACE_UNKNOWN  # noqa: PLR2004 - a die's faces


_BY_TYPE: Final = frozenset({Reason.SEAT_UNKNOWN, Reason.BID_MALFORMED, Reason.ROLL_MALFORMED})
"""The reasons against a field that is not an `int`, among others."""
_CHECKS: Final[dict[type, Callable[[State, GivenAction], Reason | None]]] = {
    Bid: _why_no_bid,
    Dudo: _why_no_dudo,
    Calza: _why_no_calza,
    Concede: _why_not_on_turn,
    Leave: _why_no_leaving,
    Roll: _why_no_roll,
    OpeningRoll: _why_no_opening_roll,
    OpenerDraw: _why_no_draw,
}
