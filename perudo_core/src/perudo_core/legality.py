"""What is legal now, and why not: the one place that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, overload

from perudo_core.actions import (
    FACES,
    Action,
    Bid,
    Call,
    Calza,
    Dice,
    Dudo,
    Forfeit,
    OpenerDraw,
    OpeningRoll,
    Resign,
    Roll,
    Seat,
)
from perudo_core.bidding import Terms, cheapest, fault, raises
from perudo_core.errors import Reason
from perudo_core.rules import CalzaBy, Opener
from perudo_core.state import Phase, State

__all__ = ["LegalActions", "check", "legal_actions", "settle_claims", "smallest_raise"]


def check(state: State, action: Action) -> Reason | None:
    """Why the action is refused; None if it is legal."""
    checker = _CHECKERS.get(type(action))
    return Reason.ACTION_UNKNOWN if checker is None else checker(state, action)


class LegalActions(Sequence[Call]):
    """The legal calls: by seat in turn order the bids, by quantity and then by face; then the dudos, the calzas."""

    __slots__ = ("_calls", "_seats", "_state")

    def __init__(self, state: State, seats: frozenset[Seat]) -> None:
        self._state = state
        self._seats = seats
        self._calls: tuple[Call, ...] | None = None

    def _all(self) -> tuple[Call, ...]:
        if self._calls is None:
            self._calls = _legal_calls(self._state, self._seats)
        return self._calls

    def __contains__(self, call: object) -> bool:
        return isinstance(call, Bid | Dudo | Calza) and check(self._state, call) is None and call.seat in self._seats

    def __iter__(self) -> Iterator[Call]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | Sequence[Call]:
        return self._all()[index]

    def __repr__(self) -> str:
        return f"<LegalActions: {', '.join(map(repr, self._all()))}>"


def legal_actions(state: State, seat: Seat | None = None) -> LegalActions:
    """The rulebook calls that a seat, or anyone at all, may make now: none while the game waits for chance.

    `Forfeit` and `Resign` are the table's and are never listed.
    """
    return LegalActions(state, frozenset(range(len(state.seats)) if seat is None else (seat,)))


def smallest_raise(state: State) -> Bid | None:
    """The least bid the seat on turn can make; None where it can make none.

    Least in the order that the game ranks bids by (see `bidding.cheapest`): after 5 sixes it is 6 twos where any
    higher bid will do, else 6 sixes, and never 3 ones, which beat 6 sixes.
    """
    if state.turn is None:
        return None
    bid = cheapest(_terms(state, state.turn), _last(state))
    return None if bid is None else Bid(state.turn, *bid)


def settle_claims(state: State, claims: Iterable[Seat]) -> Seat | None:
    """Which of several calza claims made at once counts: the legal one nearest to the left of the bidder.

    None if none is legal. Claims made while the player on turn acted are void: apply his action and settle nothing.
    (box_2009, italian_box: two say calza at once; calza at the same moment as the player on turn acts.)
    """
    bid = state.current_bid
    if bid is None:
        return None
    legal = [seat for seat in claims if check(state, Calza(seat)) is None]
    return min(legal, key=lambda seat: (seat - bid.seat) % len(state.seats), default=None)


def _legal_calls(state: State, seats: frozenset[Seat]) -> tuple[Call, ...]:
    if state.turn is None:
        return ()
    size = len(state.seats)
    bids: tuple[Bid, ...] = ()
    if state.turn in seats:
        bids = _bids(_terms(state, state.turn), _last(state), state.turn)
    if not state.bids:
        return bids
    in_turn = [seat for step in range(size) if (seat := (state.turn + step) % size) in seats]
    dudos = tuple(dudo for seat in in_turn if _check_dudo(state, dudo := Dudo(seat)) is None)
    calzas = tuple(calza for seat in in_turn if _check_calza(state, calza := Calza(seat)) is None)
    return (*bids, *dudos, *calzas)


@lru_cache(maxsize=4096)
def _bids(terms: Terms, last: tuple[int, int] | None, seat: Seat) -> tuple[Bid, ...]:
    return tuple(Bid(seat, quantity, face) for quantity, face in raises(terms, last))


def _last(state: State) -> tuple[int, int] | None:
    return (state.bids[-1].quantity, state.bids[-1].face) if state.bids else None


def _terms(state: State, seat: Seat) -> Terms:
    """The terms on which this seat bids. azteca: palifico, another player with one die may change the face."""
    rules, palifico = state.rules, state.palifico
    free = palifico is None or (rules.palifico_face_change and seat != palifico and state.dice_counts[seat] == 1)
    return Terms(rules.plain_raise, state.ones_wild, rules.ones_may_open, not free, state.max_quantity)


def _check_seat(state: State, seat: Seat) -> Reason | None:
    if type(seat) is not int or not 0 <= seat < len(state.seats):
        return Reason.SEAT_UNKNOWN
    if state.phase is Phase.OVER:
        return Reason.GAME_OVER
    return None if state.dice_counts[seat] else Reason.SEAT_OUT


def _check_caller(state: State, seat: Seat) -> Reason | None:
    reason = _check_seat(state, seat)
    if reason is None and state.phase is not Phase.BIDDING:
        return Reason.NO_ROUND
    return reason


def _check_turn(state: State, action: Bid | Forfeit) -> Reason | None:
    reason = _check_caller(state, action.seat)
    if reason is None and action.seat != state.turn:
        return Reason.NOT_YOUR_TURN
    return reason


def _check_bid(state: State, bid: Bid) -> Reason | None:
    reason = _check_turn(state, bid)
    if reason is not None:
        return reason
    if type(bid.quantity) is not int or type(bid.face) is not int:
        return Reason.BID_MALFORMED
    return fault(_terms(state, bid.seat), _last(state), bid.quantity, bid.face)


def _check_doubt(state: State, seat: Seat) -> Reason | None:
    """What a dudo and a calza have in common: a bid, and not one's own."""
    reason = _check_caller(state, seat)
    if reason is not None:
        return reason
    if not state.bids:
        return Reason.NO_BID
    return Reason.OWN_BID if state.bids[-1].seat == seat else None


def _check_dudo(state: State, dudo: Dudo) -> Reason | None:
    reason = _check_doubt(state, dudo.seat)
    if reason is None and dudo.seat != state.turn and not state.rules.out_of_turn_dudo:
        return Reason.NOT_YOUR_TURN
    return reason


def _check_calza(state: State, calza: Calza) -> Reason | None:  # noqa: PLR0911 - a return for each fault
    rules = state.rules
    if not rules.calza:
        return _check_caller(state, calza.seat) or Reason.CALZA_NOT_PLAYED
    reason = _check_doubt(state, calza.seat)
    if reason is not None:
        return reason
    if rules.calza_by is CalzaBy.BYSTANDERS and calza.seat == state.turn:
        return Reason.CALZA_ON_TURN
    if rules.calza_by is CalzaBy.ON_TURN and calza.seat != state.turn:
        return Reason.NOT_YOUR_TURN
    if state.palifico is not None and not rules.calza_in_palifico:
        return Reason.CALZA_IN_PALIFICO
    if not rules.calza_with_two_players and len(state.seats_in) == 2:  # noqa: PLR2004 - the option's own words
        return Reason.CALZA_TWO_PLAYERS
    return None


def _check_resign(state: State, resign: Resign) -> Reason | None:
    return _check_seat(state, resign.seat)


def _check_roll(state: State, roll: Roll) -> Reason | None:
    if state.phase is not Phase.ROLLING:
        return Reason.ROLL_NOT_NOW
    return _check_dice(roll.dice, state.dice_counts)


def _check_opening_roll(state: State, roll: OpeningRoll) -> Reason | None:
    if state.phase is not Phase.OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is Opener.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _check_dice(roll.dice, opening_counts(state))


def _check_draw(state: State, draw: OpenerDraw) -> Reason | None:
    if state.phase is not Phase.OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is not Opener.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _check_seat(state, draw.seat)


def opening_counts(state: State) -> tuple[int, ...]:
    """How many dice each seat rolls in the contest for who opens."""
    each = 1 if state.rules.opener is Opener.HIGHEST_DIE else 2
    contenders = frozenset(state.contenders)
    return tuple(each if seat in contenders else 0 for seat in range(len(state.seats)))


def _check_dice(dice: Dice, counts: Sequence[int]) -> Reason | None:
    if type(dice) is not tuple or not all(type(hand) is tuple for hand in dice):
        return Reason.ROLL_MALFORMED
    if len(dice) != len(counts):
        return Reason.ROLL_WRONG_SEATS
    for hand, count in zip(dice, counts, strict=True):
        if len(hand) != count:
            return Reason.ROLL_WRONG_LENGTH
        for face in hand:
            if type(face) is not int:
                return Reason.ROLL_MALFORMED
            if face not in FACES:
                return Reason.ROLL_FACE_UNKNOWN
    return None


_CHECKERS: Final[dict[type, Callable[[State, Any], Reason | None]]] = {
    Bid: _check_bid,
    Dudo: _check_dudo,
    Calza: _check_calza,
    Forfeit: _check_turn,
    Resign: _check_resign,
    Roll: _check_roll,
    OpeningRoll: _check_opening_roll,
    OpenerDraw: _check_draw,
}
