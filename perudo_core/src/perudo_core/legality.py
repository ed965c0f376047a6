"""What is legal now, and why not: the one place that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, overload

from perudo_core._round import Standing
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
from perudo_core.bidding import Raises, cheapest, fault, raises
from perudo_core.errors import Reason, expect, expect_whole
from perudo_core.rules import Opener
from perudo_core.state import BIDDING, OPENING, OVER, ROLLING, State, standing_of

__all__ = ["LegalActions", "check", "legal_actions", "settle_claims", "smallest_raise"]

FEW: Final = 1000
"""Calls that may be kept in a list. No table of six comes near it."""
NO_RAISES: Final = Raises((range(0),) * len(FACES))


def check(state: State, action: Action) -> Reason | None:
    """Why the action is refused; None if it is legal."""
    if type(state) is not State:
        expect(state, State, "state")
    checker = _CHECKERS.get(type(action))
    return Reason.ACTION_UNKNOWN if checker is None else checker(state, action)


class LegalActions(Sequence[Call]):
    """The legal calls: by seat in turn order the bids, by quantity and then by face; then the dudos, the calzas.

    Counted and asked by `in` they are not listed; otherwise they are, once, where they are few.
    """

    __slots__ = ("_bids", "_few", "_reveals", "_size", "_turn")

    def __init__(self, turn: Seat, bids: Raises, reveals: tuple[Dudo | Calza, ...]) -> None:
        self._turn = turn
        self._bids = bids
        self._reveals = reveals
        self._size = len(bids) + len(reveals)
        self._few: tuple[Call, ...] | None = None

    def __contains__(self, call: object) -> bool:
        if type(call) is Bid:
            whole = type(call.seat) is type(call.quantity) is type(call.face) is int
            return whole and call.seat == self._turn and (call.quantity, call.face) in self._bids
        return isinstance(call, Dudo | Calza) and type(call.seat) is int and call in self._reveals

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Call]:
        return iter(self._listed() or self._one_by_one())

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | Sequence[Call]:
        few = self._few or self._listed()
        if few is not None:
            return few[index]
        at = range(self._size)[index]
        return tuple(map(self._call, at)) if isinstance(at, range) else self._call(at)

    def __repr__(self) -> str:
        return f"<LegalActions: {', '.join(map(repr, self))}>"

    def _listed(self) -> tuple[Call, ...] | None:
        if self._few is None and self._size <= FEW:
            self._few = tuple(self._one_by_one())
        return self._few

    def _one_by_one(self) -> Iterator[Call]:
        for quantity, face in self._bids:
            yield _one_bid(self._turn, quantity, face)
        yield from self._reveals

    def _call(self, index: int) -> Call:
        after = index - len(self._bids)
        return Bid(self._turn, *self._bids[index]) if after < 0 else self._reveals[after]


NOTHING: Final = LegalActions(0, NO_RAISES, ())


def legal_actions(state: State, seat: Seat | None = None) -> LegalActions:
    """The rulebook calls that a seat, or anyone at all, may make now: none while the game waits for chance.

    `Forfeit` and `Resign` are the table's and are never listed.
    """
    if type(state) is not State:
        expect(state, State, "state")
    if seat is not None:
        expect_whole(seat, "seat", 0, len(state.seats) - 1)
    return NOTHING if state.turn is None else _legal(standing_of(state), seat)


_one_bid = lru_cache(maxsize=4096)(Bid)
"""Of equal bids the same one: found again as the last bid of a round, without a comparison."""


@lru_cache(maxsize=4096)
def _legal(standing: Standing, seat: Seat | None) -> LegalActions:
    round_, turn, last = standing.round, standing.turn, standing.last_bid
    bids = raises(standing.terms, standing.last) if seat is None or seat == turn else NO_RAISES
    if last is None:
        return LegalActions(turn, bids, ())
    others = [other for other in round_.table.seats_in if other != last.seat and seat in {None, other}]
    others.sort(key=lambda other: (other - turn) % round_.table.size)
    dudos = tuple(Dudo(other) for other in others if round_.dudo_fault(other, turn) is None)
    calzas = tuple(Calza(other) for other in others if round_.calza_fault(other, turn) is None)
    return LegalActions(turn, bids, (*dudos, *calzas))


def smallest_raise(state: State) -> Bid | None:
    """The least bid the seat on turn can make; None where it can make none.

    Least in the order that the game ranks bids by (see `bidding.cheapest`): after 5 sixes it is 6 twos where any
    higher bid will do, else 6 sixes, and never 3 ones, which beat 6 sixes.
    """
    expect(state, State, "state")
    if state.turn is None:
        return None
    standing = standing_of(state)
    bid = cheapest(standing.terms, standing.last)
    return None if bid is None else Bid(state.turn, *bid)


def settle_claims(state: State, claims: Iterable[Seat]) -> Seat | None:
    """Which of several calza claims made at once counts: the legal one nearest to the left of the bidder.

    None if none is legal. Claims made while the player on turn acted are void: apply his action and settle nothing.
    (box_2009, italian_box: two say calza at once; calza at the same moment as the player on turn acts.)
    """
    expect(state, State, "state")
    if isinstance(claims, str | bytes):
        raise TypeError("claims must be seats, not a text")
    expect(claims, Iterable, "claims")
    bid = state.current_bid
    if bid is None:
        return None
    legal = [seat for seat in claims if check(state, Calza(seat)) is None]
    return min(legal, key=lambda seat: (seat - bid.seat) % len(state.seats), default=None)


def _check_seat(state: State, seat: Seat) -> Reason | None:
    if type(seat) is not int or not 0 <= seat < len(state.seats):
        return Reason.SEAT_UNKNOWN
    if state.phase is OVER:
        return Reason.GAME_OVER
    return None if state.dice_counts[seat] else Reason.SEAT_OUT


def _check_caller(state: State, seat: Seat) -> Reason | None:
    reason = _check_seat(state, seat)
    if reason is None and state.phase is not BIDDING:
        return Reason.NO_ROUND
    return reason


def _check_turn(state: State, action: Bid | Forfeit) -> Reason | None:
    reason = _check_caller(state, action.seat)
    if reason is None and action.seat != state.turn:
        return Reason.NOT_YOUR_TURN
    return reason


def _check_bid(state: State, bid: Bid) -> Reason | None:
    seat, quantity, face = bid.seat, bid.quantity, bid.face
    if type(seat) is not int or seat != state.turn:
        return _check_turn(state, bid)
    if type(quantity) is not int or type(face) is not int:
        return Reason.BID_MALFORMED
    standing = standing_of(state)
    return fault(standing.terms, standing.last, quantity, face)


def _check_doubt(state: State, seat: Seat) -> Reason | None:
    """What a dudo and a calza have in common: a bid, and not one's own."""
    reason = _check_caller(state, seat)
    if reason is not None:
        return reason
    if not state.bids:
        return Reason.NO_BID
    return Reason.OWN_BID if state.bids[-1].seat == seat else None


def _check_dudo(state: State, dudo: Dudo) -> Reason | None:
    if state.bids and type(dudo.seat) is int and dudo.seat == state.turn:
        return None
    reason = _check_doubt(state, dudo.seat)
    return standing_of(state).round.dudo_fault(dudo.seat, state.turn) if reason is None else reason


def _check_calza(state: State, calza: Calza) -> Reason | None:
    if not state.rules.calza:
        return _check_caller(state, calza.seat) or Reason.CALZA_NOT_PLAYED
    reason = _check_doubt(state, calza.seat)
    return standing_of(state).round.calza_fault(calza.seat, state.turn) if reason is None else reason


def _check_resign(state: State, resign: Resign) -> Reason | None:
    return _check_seat(state, resign.seat)


def _check_roll(state: State, roll: Roll) -> Reason | None:
    if state.phase is not ROLLING:
        return Reason.ROLL_NOT_NOW
    return _check_dice(roll.dice, state.dice_counts)


def _check_opening_roll(state: State, roll: OpeningRoll) -> Reason | None:
    if state.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is Opener.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _check_dice(roll.dice, opening_counts(state))


def _check_draw(state: State, draw: OpenerDraw) -> Reason | None:
    if state.phase is not OPENING:
        return Reason.ROLL_NOT_NOW
    if state.rules.opener is not Opener.RANDOM:
        return Reason.ROLL_WRONG_KIND
    return _check_seat(state, draw.seat)


def opening_counts(state: State) -> tuple[int, ...]:
    """How many dice each seat rolls in the contest for who opens."""
    each = 1 if state.rules.opener is Opener.HIGHEST_DIE else 2
    contenders = frozenset(state.contenders)
    return tuple(each if seat in contenders else 0 for seat in range(len(state.seats)))


def _check_dice(dice: Dice, counts: tuple[int, ...]) -> Reason | None:
    if type(dice) is not tuple:
        return Reason.ROLL_MALFORMED
    for hand in dice:
        if type(hand) is not tuple:
            return Reason.ROLL_MALFORMED
    if len(dice) != len(counts):
        return Reason.ROLL_WRONG_SEATS
    if tuple(map(len, dice)) != counts:
        return Reason.ROLL_WRONG_LENGTH
    known = True
    for hand in dice:
        for die in hand:
            if type(die) is not int:
                return Reason.ROLL_MALFORMED
            known = known and 1 <= die <= 6  # noqa: PLR2004 - the faces of a die
    return None if known else Reason.ROLL_FACE_UNKNOWN


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
