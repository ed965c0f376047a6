"""The bids that may follow each bid, as lists: counting the legal bids, or choosing one, is a look-up.

A `BidList` contains the numbers of the bids that may follow one bid, in order; `_bid_numbers` numbers the bids. The
`Bid` objects of a seat are made once and then found by their numbers. A list ends at a quantity that is a power of two:
at 32 on a table of 20 dice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cache
from itertools import chain
from typing import Final

from perudo_core._actions import Bid, Seat
from perudo_core._bid_numbers import FACE_COUNT, bid_number, count_bids, quantity_and_face
from perudo_core._bidding import MAX_TABLE_DICE, NOTHING_FOLLOWS, BidRules, NextBids
from perudo_core._events import BidMade, DudoCalled
from perudo_core._legal_calls import LegalCalls

__all__ = ["NO_BIDS", "BidLists", "BidListsByMaxQuantity", "SeatBids", "SeatBidsByLast", "bid_lists"]

SIZES: Final = (16, 32, 64, 128, 256, 512)


class _BidsBySeat(dict[Seat, tuple[Bid, ...]]):
    """Each seat's bids of at most `size` dice, by their numbers; made when they are first asked for."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._numbers = range(count_bids(size))

    def __missing__(self, seat: Seat) -> tuple[Bid, ...]:
        return self.setdefault(seat, tuple(Bid(seat, *quantity_and_face(number)) for number in self._numbers))


_BIDS_BY_SIZE: Final = {size: _BidsBySeat(size) for size in SIZES}
"""All bids that were asked for: 0.1 MB for six seats with 30 dice; 30 MB for fifty seats of every size."""


class _EventsBySeat(dict[Seat, tuple[tuple[BidMade, ...], ...]]):
    """The events of each bid of at most `size` dice, for one seat; made when that seat first bids."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._bids_by_seat = _BIDS_BY_SIZE[size]

    def __missing__(self, seat: Seat) -> tuple[tuple[BidMade, ...], ...]:
        return self.setdefault(seat, tuple((BidMade(bid),) for bid in self._bids_by_seat[seat]))


_EVENTS_BY_SIZE: Final = {size: _EventsBySeat(size) for size in SIZES}


class BidList(NextBids):
    """The bids that may follow one bid, up to the highest quantity of one size of table.

    A round with a lower maximum quantity uses a part of the list, so one list serves every round.
    """

    __slots__ = ("counts", "is_listed", "numbers")

    def __init__(self, ranges: tuple[tuple[int, int], ...], size: int) -> None:
        super().__init__(ranges)
        by_face = (
            range(bid_number(first, face), bid_number(min(stop, size + 1), face), FACE_COUNT)
            for face, (first, stop) in enumerate(ranges)
        )
        self.numbers = array("H", sorted(chain.from_iterable(by_face)))
        """The number of each bid of the list, by its index."""
        ends = range(0, count_bids(size) + 1, FACE_COUNT)
        self.counts = array("H", [bisect_left(self.numbers, end) for end in ends])
        """The number of bids of the list with at most this quantity: `counts[max_quantity]`."""
        is_listed = bytearray(count_bids(size))
        for number in self.numbers:
            is_listed[number] = 1
        self.is_listed = bytes(is_listed)
        """Whether the bid with this number is in the list."""


class SeatBids:
    """The bids of one seat that may follow one bid."""

    __slots__ = ("bids", "calls", "dudos", "events", "is_listed", "listed")

    def __init__(self, listed: BidList, seat: Seat, size: int) -> None:
        self.listed = listed
        self.is_listed = listed.is_listed
        self.bids = _BIDS_BY_SIZE[size][seat]
        """The seat's bids by their numbers, also those that may not follow."""
        self.events = _EVENTS_BY_SIZE[size][seat]
        """The events of each of these bids."""
        self.calls: dict[int, LegalCalls] = {}
        """All calls of the seat on turn where only that seat may call: `calls[Standing.calls_key]`."""
        self.dudos: dict[int, DudoCalled] = {}
        """The events of dudos to the last bid: `dudos[doubter * MAX_SEATS + bidder]`."""


class SeatBidsByLast(dict["int | None", SeatBids]):
    """The bids of one seat that may follow each last bid, by its number, or open a round."""

    def __init__(self, lists: BidLists, seat: Seat, size: int) -> None:
        super().__init__()
        self._lists = lists
        self._seat = seat
        self._size = size

    def __missing__(self, last: int | None) -> SeatBids:
        return self.setdefault(last, SeatBids(self._lists[last], self._seat, self._size))


class _SeatBidsBySeat(dict[Seat, SeatBidsByLast]):
    def __init__(self, lists: BidLists, size: int) -> None:
        super().__init__()
        self._lists = lists
        self._size = size

    def __missing__(self, seat: Seat) -> SeatBidsByLast:
        return self.setdefault(seat, SeatBidsByLast(self._lists, seat, self._size))


class BidLists(dict["int | None", BidList]):
    """The list that follows each last bid, by its number, for one size of table.

    The list of opening bids has None instead of a number. A list is made when it is first asked for. All lists of one
    size take 0.2 MB for 32 dice and 25 MB for 512.
    """

    def __init__(self, rules: BidRules, size: int) -> None:
        super().__init__()
        self.rules = rules
        self._size = size
        self.of_seat = _SeatBidsBySeat(self, size)

    def __missing__(self, last: int | None) -> BidList:
        next_bids = self.rules.next_bids[None if last is None else quantity_and_face(last)]
        return self.setdefault(last, BidList(next_bids.ranges, self._size))


class BidListsByMaxQuantity(dict[int, BidLists]):
    """The lists of the smallest size that is enough for this maximum quantity."""

    def __init__(self, rules: BidRules) -> None:
        super().__init__()
        self._by_size = {size: BidLists(rules, size) for size in SIZES}

    def __missing__(self, max_quantity: int) -> BidLists:
        if max_quantity > MAX_TABLE_DICE:  # stored data may claim so before the check
            return self._by_size[SIZES[-1]]
        return self.setdefault(max_quantity, next(self._by_size[size] for size in SIZES if size >= max_quantity))


@cache
def bid_lists(rules: BidRules) -> BidListsByMaxQuantity:
    """Return the lists for these bid rules. At most 32 different bid rules exist."""
    return BidListsByMaxQuantity(rules)


NO_BIDS: Final = SeatBids(BidList(NOTHING_FOLLOWS, SIZES[0]), 0, SIZES[0])
"""Those of a state in which no player may bid."""
