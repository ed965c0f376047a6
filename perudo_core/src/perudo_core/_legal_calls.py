"""The legal calls of a state, as a sequence."""

from collections.abc import Iterator, Sequence
from typing import Final, overload

from perudo_core._actions import Bid, Call, Calza, Dudo, Seat
from perudo_core._bid_lists import NO_BIDS, BidList
from perudo_core._bid_numbers import quantity_and_face
from perudo_core._legality_checks import GivenAction, why_no_calza_this_round
from perudo_core._round_setup import make
from perudo_core._rules import CalzaBy
from perudo_core._state import State
from perudo_core._values import with_ints

__all__ = ["NO_CALLS", "LegalCalls", "calls_of"]


class LegalCalls:
    """The legal calls: the bids of the player on turn by quantity and then by face, then the dudos, then the calzas.

    Dudos and calzas are in turn order and begin with the player on turn. A call is made when it is asked for, so
    counting calls, choosing one and `in` cost the same at every table. Equal to another `LegalCalls` with the same
    calls. It is a registered `Sequence`: a compiled class with that base takes every sequence for its instance.
    """

    __slots__ = ("_bid_count", "_bids", "_calza_seats", "_dudo_seats", "_turn")

    def __init__(
        self,
        turn: Seat,
        bids: BidList,
        bid_count: int,
        dudo_seats: tuple[Seat, ...] = (),
        calza_seats: tuple[Seat, ...] = (),
    ) -> None:
        self._turn = turn
        self._bids = bids
        self._bid_count = bid_count
        self._dudo_seats = dudo_seats
        self._calza_seats = calza_seats

    def __reduce__(self) -> tuple[object, ...]:
        """Give pickle the arguments of `__init__`; a compiled class cannot be made again without them."""
        return LegalCalls, (self._turn, self._bids, self._bid_count, self._dudo_seats, self._calza_seats)

    def __len__(self) -> int:
        return self._bid_count + len(self._dudo_seats) + len(self._calza_seats)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | Sequence[Call]:
        if type(index) is not int or index < 0:
            positions = range(len(self))[index]
            return self[positions] if isinstance(positions, int) else tuple(self[each] for each in positions)
        after_bids = index - self._bid_count
        if after_bids < 0:
            bids = self._bids
            return bids.bids_by_seat[self._turn][bids.numbers[index]]
        dudos = self._dudo_seats
        after_dudos = after_bids - len(dudos)
        if after_dudos < 0:
            return make(Dudo, (dudos[after_bids],))
        return make(Calza, (self._calza_seats[after_dudos],))

    def __contains__(self, call: object) -> bool:
        if not isinstance(call, Bid | Dudo | Calza):
            return False
        given: GivenAction = call
        if type(call) is Bid:
            seat, quantity, face = given
            if type(seat) is int and type(quantity) is int and type(face) is int:
                return seat == self._turn and self._bids.allow(quantity, face, self._max_quantity())
        elif type(given[0]) is int:
            return given[0] in (self._dudo_seats if type(call) is Dudo else self._calza_seats)
        plain: GivenAction = with_ints(call)
        return all(type(each) is int for each in plain) and plain in self

    @property
    def bid_numbers(self) -> list[int]:
        """The numbers of the bids, as `ActionEncoding` has them; the other calls come after them."""
        return self._bids.numbers[: self._bid_count].tolist()

    @property
    def bid_ranges(self) -> tuple[tuple[int, int, int], ...]:
        """The bids in short: for each face that may be bid the face, its lowest and its highest quantity."""
        most, ranges = self._max_quantity(), self._bids.ranges
        clipped = [(face, *ranges[face]) for face in range(1, len(ranges))] if most else []
        return tuple((face, first, min(stop - 1, most)) for face, first, stop in clipped if first < min(stop, most + 1))

    def _max_quantity(self) -> int:
        return quantity_and_face(self._bids.numbers[self._bid_count - 1])[0] if self._bid_count else 0

    def __iter__(self) -> Iterator[Call]:
        return (self[index] for index in range(len(self)))

    def __reversed__(self) -> Iterator[Call]:
        return (self[index] for index in reversed(range(len(self))))

    def index(self, call: object, start: int = 0, stop: int | None = None) -> int:
        """Return the position of a call; raises `ValueError` for an illegal call."""
        return tuple(self).index(call, start, len(self) if stop is None else stop)

    def count(self, call: object) -> int:
        """1 for a legal call, 0 for any other."""
        return int(call in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalCalls):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._bid_count, self._dudo_seats, self._calza_seats))

    def __repr__(self) -> str:
        return f"<LegalCalls: {', '.join(map(repr, self))}>"


Sequence.register(LegalCalls)

NO_CALLS: Final = LegalCalls(0, NO_BIDS, 0)


def calls_of(state: State, seat: Seat | None) -> LegalCalls:
    """Return the calls that a seat may make now, or all seats if `seat` is None."""
    setup, turn, bids, next_bids = state
    if turn is None:
        return NO_CALLS
    bid_count = next_bids.counts[setup.max_quantity]
    dudos: tuple[Seat, ...] = ()
    calzas: tuple[Seat, ...] = ()
    if bids:
        rules = setup.rules
        dudos = tuple(_all_but_bidder(state, turn)) if rules.out_of_turn_dudo else (turn,)
        if rules.calza:
            calzas = _calza_seats(state, turn)
    if seat is not None:
        dudos = (seat,) if seat in dudos else ()
        calzas = (seat,) if seat in calzas else ()
        if seat != turn:
            next_bids, bid_count = NO_BIDS, 0
    return LegalCalls(turn, next_bids, bid_count, dudos, calzas)


def _calza_seats(state: State, turn: Seat) -> tuple[Seat, ...]:
    """Return the seats that may say calza, once there is a bid, in rules with calza."""
    rules = state.rules
    if why_no_calza_this_round(state):
        return ()
    if rules.calza_by is CalzaBy.ON_TURN:
        return (turn,)
    seats = tuple(_all_but_bidder(state, turn))
    return seats[1:] if rules.calza_by is CalzaBy.BYSTANDERS else seats


def _all_but_bidder(state: State, turn: Seat) -> Iterator[Seat]:
    """Yield the active seats in turn order from the player on turn, without the last bidder."""
    bidder, counts = state.bids[-1].seat, state.dice_counts
    for seat in (*range(turn, len(counts)), *range(turn)):
        if counts[seat] and seat != bidder:
            yield seat
