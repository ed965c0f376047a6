"""Decides which actions are legal, and the reason for each illegal one; no other module does.

An action comes here before its check: a field may hold anything, not only what its class declares.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, SupportsIndex, TypeAlias

from perudo_core._actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._bid_lists import SeatBids
from perudo_core._bidding import ONE, BidRules, smallest_next_bid, why_illegal_bid
from perudo_core._errors import IllegalActionError, Reason, expect_type, whole_number, with_ints
from perudo_core._hands import are_shared
from perudo_core._legal_calls import NO_CALLS, LegalCalls
from perudo_core._round_setup import BIDDING, OPENING, OVER, ROLLING, StateFields, in_turn_order, open_dice
from perudo_core._rules import MAX_SEATS, CalzaBy, OpenerMethod
from perudo_core._state import State

__all__ = [
    "CHECKS", "DUDOS", "Check", "calls_of", "dice_to_reroll", "least_raise", "opening_counts", "reason_against",
    "supporting_dice",
]  # fmt: skip

Check: TypeAlias = Callable[[StateFields, Any], Reason | None]


def reason_against(state: StateFields, action: Action) -> Reason | None:
    """Return the reason why the action may not be taken now.

    None if it is legal, also with whole numbers other than `int`.
    """
    reason = _reason_as_given(state, action)
    return _reason_as_given(state, with_ints(action)) if reason in _BY_TYPE else reason


def _reason_as_given(state: StateFields, action: Action) -> Reason | None:
    """Return the reason against an action whose whole numbers must be of the type `int`."""
    check = CHECKS.get(type(action))
    return Reason.ACTION_UNKNOWN if check is None else check(state, action)


def least_raise(state: StateFields) -> Bid | None:
    """Return the least bid that the player whose turn it is can make, or None if there is none."""
    if state._turn is None:
        return None
    smallest = smallest_next_bid(_bid_rules(state, state._turn), _last(state), state._setup.standing.max_quantity)
    return None if smallest is None else Bid(state._turn, *smallest)


def calls_of(state: Any, seat: SupportsIndex | None = None) -> LegalCalls:
    """Return the calls that a seat may make now, or all seats if `seat` is None; `legal_calls` documents the rest."""
    if type(state) is not _STATE:
        expect_type(state, State, "state")
    now: StateFields = state
    if seat is None:
        kept = now._next_bids.calls.get(now._setup.standing.calls_key)
        if kept is not None:
            return kept
    else:
        seat = whole_number(seat, "seat", 0, len(now._setup.seats) - 1)
    setup, turn, next_bids = now._setup, now._turn, now._next_bids
    may_bid = seat is None or seat == turn
    if turn is None:
        return NO_CALLS
    standing = setup.standing
    if standing.options.only_turn_calls or not now._bids:
        if not may_bid:
            return NO_CALLS
        calls = _plain_calls(next_bids, turn, standing.max_quantity, bool(now._bids))
        if standing.calls_key:
            next_bids.calls[standing.calls_key] = calls
        return calls
    rules = setup.rules
    doubts: list[Dudo | Calza] = [DUDOS[turn]]
    if rules.out_of_turn_dudo:
        doubts = [DUDOS[each] for each in _all_but_bidder(now, turn)]
    if rules.calza:
        doubts += [_CALZAS[each] for each in _calza_seats(now, turn)]
    if seat is not None:
        doubts = [each for each in doubts if each.seat == seat]
    bids = _plain_calls(next_bids, turn, standing.max_quantity, False) if may_bid else NO_CALLS
    return _CALLS((*bids, *doubts))


@lru_cache(4096)
def _plain_calls(bids: SeatBids, turn: Seat, max_quantity: int, may_doubt: bool) -> LegalCalls:
    """Return the bids of the player whose turn it is up to this quantity, and their dudo."""
    made, listed = bids.bids, bids.listed
    numbers = listed.numbers[: listed.counts[max_quantity]]
    return _CALLS((*(made[number] for number in numbers), *DUDOS[turn : turn + may_doubt]))


def _calza_seats(state: StateFields, turn: Seat) -> tuple[Seat, ...]:
    """Return the seats that may say calza, once there is a bid, in rules with calza."""
    rules = state._setup.rules
    if _why_no_calza_this_round(state):
        return ()
    if rules.calza_by is CalzaBy.ON_TURN:
        return (turn,)
    seats = tuple(_all_but_bidder(state, turn))
    return seats[1:] if rules.calza_by is CalzaBy.BYSTANDERS else seats


def _all_but_bidder(state: StateFields, turn: Seat) -> Iterator[Seat]:
    """Yield the active seats in turn order from the player whose turn it is, without the last bidder."""
    bidder, counts = state._bids[-1].seat, state._setup.dice_counts
    for seat in in_turn_order(turn, len(counts), state._setup.direction):
        if counts[seat] and seat != bidder:
            yield seat


def opening_counts(state: StateFields) -> tuple[int, ...]:
    """Return how many dice each seat rolls to find who opens the game."""
    each = 1 if state._setup.rules.opener is OpenerMethod.HIGHEST_DIE else 2
    contenders = frozenset(state._setup.contenders)
    return tuple(each if seat in contenders else 0 for seat in range(len(state._setup.seats)))


def supporting_dice(state: StateFields, seat: Seat | None) -> tuple[int, ...]:
    """Return the hidden dice that a seat may show now, in order; empty if it may not roll the others again."""
    if seat is None or not state._setup.rules.reroll_after_bid or _why_no_reroll_now(state, seat) is not None:
        return ()
    hidden = _hidden_dice(state, seat)
    return tuple(die for die in sorted(hidden) if _supports(state, die)) if len(hidden) > 1 else ()


def dice_to_reroll(state: StateFields, seat: object, shown: Any) -> int:
    """Return how many dice a seat rolls again if it shows these; raises `IllegalActionError` if it may not.

    The arguments come from callers: the compiled function would refuse a wrong type without naming the argument.
    """
    seat = whole_number(seat, "seat", 0, len(state._setup.seats) - 1)
    expect_type(shown, tuple, "shown")
    reroll = with_ints(Reroll(seat, shown, ()))
    reason = _why_not_shown(state, reroll)
    if reason is not None:
        raise IllegalActionError(reason, reroll)
    return len(_hidden_dice(state, seat)) - len(shown)


def _hidden_dice(state: StateFields, seat: Seat) -> tuple[int, ...]:
    return state._setup.dice[seat][len(open_dice(state._setup.shown, seat)) :]


def _supports(state: StateFields, die: int) -> bool:
    bid = state._bids[-1]
    return die == bid.face or (die == ONE and state._setup.ones_are_wild)


def _bid_rules(state: StateFields, turn: Seat) -> BidRules:
    return state._setup.standing.bid_lists_of(turn, state._setup.palifico).rules


def _last(state: StateFields) -> tuple[int, int] | None:
    return (state._bids[-1].quantity, state._bids[-1].face) if state._bids else None


def _why_not_in_game(state: StateFields, seat: object) -> Reason | None:
    if type(seat) is not int or not 0 <= seat < len(state._setup.seats):
        return Reason.SEAT_UNKNOWN
    if state._setup.phase is OVER:
        return Reason.GAME_OVER
    return None if state._setup.dice_counts[seat] else Reason.SEAT_OUT


def _why_no_call(state: StateFields, seat: object) -> Reason | None:
    reason = _why_not_in_game(state, seat)
    if reason is None and state._setup.phase is not BIDDING:
        return Reason.NO_ROUND
    return reason


def _why_not_on_turn(state: StateFields, action: Any) -> Reason | None:
    seat: object = action.seat
    reason = _why_no_call(state, seat)
    if reason is None and seat != state._turn:
        return Reason.NOT_YOUR_TURN
    return reason


def _why_no_bid(state: StateFields, bid: Any) -> Reason | None:
    reason = _why_not_on_turn(state, bid)
    if reason is not None:
        return reason
    quantity: object = bid.quantity
    face: object = bid.face
    if type(quantity) is not int or type(face) is not int:
        return Reason.BID_MALFORMED
    rules = _bid_rules(state, bid.seat)
    return why_illegal_bid(rules, _last(state), quantity, face, state._setup.standing.max_quantity)


def _why_no_doubt(state: StateFields, seat: object) -> Reason | None:
    """Return the checks that dudo and calza share: there is a bid, and it is another player's."""
    reason = _why_no_call(state, seat)
    if reason is not None:
        return reason
    if not state._bids:
        return Reason.NO_BID
    return Reason.OWN_BID if state._bids[-1].seat == seat else None


def _why_no_dudo(state: StateFields, dudo: Any) -> Reason | None:
    seat: object = dudo.seat
    if state._bids and type(seat) is int and seat == state._turn:
        return None
    reason = _why_no_doubt(state, seat)
    if reason is None and seat != state._turn and not state._setup.rules.out_of_turn_dudo:
        return Reason.NOT_YOUR_TURN
    return reason


def _why_no_calza(state: StateFields, calza: Any) -> Reason | None:
    rules = state._setup.rules
    seat: object = calza.seat
    if not rules.calza:
        return _why_no_call(state, seat) or Reason.CALZA_NOT_PLAYED
    reason = _why_no_doubt(state, seat)
    if reason is not None:
        return reason
    if rules.calza_by is CalzaBy.BYSTANDERS and seat == state._turn:
        return Reason.CALZA_ON_TURN
    if rules.calza_by is CalzaBy.ON_TURN and seat != state._turn:
        return Reason.NOT_YOUR_TURN
    return _why_no_calza_this_round(state)


def _why_no_reroll(state: StateFields, reroll: Any) -> Reason | None:
    reason = _why_not_shown(state, reroll)
    if reason is not None:
        return reason
    left = len(_hidden_dice(state, reroll.seat)) - len(reroll.shown)
    return _why_no_dice((reroll.rolled,), (left,))


def _why_not_shown(state: StateFields, reroll: Any) -> Reason | None:
    """Return the reason why a seat may not show these dice now."""
    seat: object = reroll.seat
    shown: object = reroll.shown
    reason = _why_no_reroll_now(state, seat)
    if reason is not None:
        return reason
    if type(shown) is not tuple or not all(type(die) is int for die in shown):
        return Reason.ROLL_MALFORMED
    if not shown:
        return Reason.REROLL_NONE_SHOWN
    hidden = _hidden_dice(state, reroll.seat)
    if any(shown.count(die) > hidden.count(die) for die in shown):
        return Reason.REROLL_NOT_HELD
    if not all(_supports(state, die) for die in shown):
        return Reason.REROLL_NO_SUPPORT
    return Reason.REROLL_NONE_LEFT if len(shown) == len(hidden) else None


def _why_no_reroll_now(state: StateFields, seat: object) -> Reason | None:
    """Return the reason why a seat may not roll again now, whatever its dice are."""
    setup, bids = state._setup, state._bids
    reason = _why_no_call(state, seat)
    if reason is not None:
        return reason
    if not setup.rules.reroll_after_bid:
        return Reason.REROLL_NOT_PLAYED
    if not bids or bids[-1].seat != seat or (setup.shown and setup.shown[-1].bid == bids[-1]):
        return Reason.REROLL_NOT_NOW
    return None


def _why_no_calza_this_round(state: StateFields) -> Reason | None:
    """Return the reason why calza is not allowed in this round, in rules with calza, or None if it is allowed."""
    rules = state._setup.rules
    if state._setup.palifico is not None and not rules.calza_in_palifico:
        return Reason.CALZA_IN_PALIFICO
    if not rules.calza_with_two_players and len(state._setup.seats) - len(state._setup.eliminated) == 2:  # noqa: PLR2004 - the option's own words
        return Reason.CALZA_TWO_PLAYERS
    return None


def _why_no_leaving(state: StateFields, leave: Any) -> Reason | None:
    return _why_not_in_game(state, leave.seat)


def _why_no_roll(state: StateFields, roll: Any) -> Reason | None:
    setup = state._setup
    if setup.phase is not ROLLING:
        return Reason.ROLL_NOT_NOW
    return _why_no_dice(roll.dice, setup.dice_counts)


def _why_no_opening_roll(state: StateFields, roll: Any) -> Reason | None:
    if state._setup.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state._setup.rules.opener is OpenerMethod.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _why_no_dice(roll.dice, opening_counts(state))


def _why_no_draw(state: StateFields, draw: Any) -> Reason | None:
    if state._setup.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state._setup.rules.opener is not OpenerMethod.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _why_not_in_game(state, draw.seat)


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


_STATE: Final = State
_CALLS: Final = LegalCalls
DUDOS: Final = tuple(map(Dudo, range(MAX_SEATS)))
_CALZAS: Final = tuple(map(Calza, range(MAX_SEATS)))
_BY_TYPE: Final = frozenset({Reason.SEAT_UNKNOWN, Reason.BID_MALFORMED, Reason.ROLL_MALFORMED})
"""The reasons against a field that is not an `int`, among others."""
CHECKS: Final[dict[type, Check]] = {
    Bid: _why_no_bid,
    Dudo: _why_no_dudo,
    Calza: _why_no_calza,
    Concede: _why_not_on_turn,
    Leave: _why_no_leaving,
    Reroll: _why_no_reroll,
    Roll: _why_no_roll,
    OpeningRoll: _why_no_opening_roll,
    OpenerDraw: _why_no_draw,
}
