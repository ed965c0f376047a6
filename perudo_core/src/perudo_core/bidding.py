"""Which bid may follow which: the one place that knows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from perudo_core.actions import FACES
from perudo_core.errors import Reason
from perudo_core.rules import PlainRaise

__all__ = ["Raises", "Terms", "cheapest", "fault", "raises"]

ONE = 1


class Terms(NamedTuple):
    """All that decides whether one bid may follow another."""

    plain_raise: PlainRaise
    ones_wild: bool
    ones_may_open: bool
    locked: bool
    """The face stays: a palifico round, for whom it is locked."""
    most: int


def fault(  # noqa: PLR0911 - a return for each fault reads like the rule
    terms: Terms, last: tuple[int, int] | None, quantity: int, face: int
) -> Reason | None:
    """Why (quantity, face) may not follow the last bid; None if it may."""
    if not ONE <= face <= FACES[-1]:
        return Reason.BID_FACE_UNKNOWN
    if quantity < 1:
        return Reason.BID_QUANTITY_ZERO
    if quantity > terms.most:
        return Reason.BID_ABOVE_MAXIMUM
    if last is None:
        may_open = face != ONE or not terms.ones_wild or terms.ones_may_open
        return None if may_open else Reason.BID_ONES_MAY_NOT_OPEN
    last_quantity, last_face = last
    if terms.locked and face != last_face:
        return Reason.BID_FACE_LOCKED
    if face == last_face:
        return None if quantity > last_quantity else Reason.BID_TOO_LOW
    if terms.ones_wild and face == ONE:
        return None if quantity >= (last_quantity + 1) // 2 else Reason.BID_TOO_FEW_ONES
    if terms.ones_wild and last_face == ONE:
        return None if quantity > 2 * last_quantity else Reason.BID_TOO_FEW_AFTER_ONES
    return _plain_fault(terms.plain_raise, quantity - last_quantity, face - last_face)


def _plain_fault(plain_raise: PlainRaise, more: int, higher: int) -> Reason | None:
    """Why a plain face may not follow another with so many dice more, and so much higher."""
    if more < 0 or (more == 0 and higher < 0):
        return Reason.BID_TOO_LOW
    if more == 0 or plain_raise is PlainRaise.ANY_HIGHER:
        return None
    if higher < 0:
        return Reason.BID_FACE_LOWER
    return Reason.BID_TWO_THINGS if plain_raise is PlainRaise.ONE_THING else None


class Raises:
    """Every (quantity, face) that may follow, by quantity and then by face, without a list of them."""

    __slots__ = ("_quantities", "_ranges", "_size")

    def __init__(self, ranges: tuple[range, ...]) -> None:
        some = [each for each in ranges if each] or [range(0)]
        self._ranges = ranges
        self._size = sum(map(len, ranges))
        self._quantities = range(min(each.start for each in some), max(each.stop for each in some))

    def __len__(self) -> int:
        return self._size

    def __contains__(self, bid: tuple[int, int]) -> bool:
        quantity, face = bid
        return face in FACES and quantity in self._ranges[face - 1]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for quantity in self._quantities:
            for face in self._faces(quantity):
                yield quantity, face

    def __getitem__(self, index: int) -> tuple[int, int]:
        quantity = self._quantities[bisect_right(self._quantities, index, key=self.below) - 1]
        return quantity, self._faces(quantity)[index - self.below(quantity)]

    def _faces(self, quantity: int) -> list[int]:
        return [face for face, quantities in zip(FACES, self._ranges, strict=True) if quantity in quantities]

    def below(self, quantity: int) -> int:
        """How many there are of smaller quantities."""
        return sum(min(max(quantity - each.start, 0), len(each)) for each in self._ranges)


@lru_cache(maxsize=4096)
def raises(terms: Terms, last: tuple[int, int] | None) -> Raises:
    """Every (quantity, face) that may follow."""
    return Raises(tuple(_range(terms, last, face) for face in FACES))


def _range(terms: Terms, last: tuple[int, int] | None, face: int) -> range:
    """The quantities of this face that may follow: from the least either up to the most, or that one alone."""
    least = min((n for n in _leasts(last) if fault(terms, last, n, face) is None), default=None)
    if least is None:
        return range(0)
    return range(least, 1 + (terms.most if fault(terms, last, terms.most, face) is None else least))


def _leasts(last: tuple[int, int] | None) -> set[int]:
    """Of each face that may follow at all, one of these is the least quantity."""
    quantity = 0 if last is None else last[0]
    return {1, quantity, quantity + 1, (quantity + 1) // 2, 2 * quantity + 1}


def cheapest(terms: Terms, last: tuple[int, int] | None) -> tuple[int, int] | None:
    """The least (quantity, face) that may follow, in order of strength; None where nothing may.

    Bids rank by quantity and then by face. Wild ones rank as the raises to and from them do: n ones above 2n of any
    plain face, below 2n + 1.
    """

    def strength(bid: tuple[int, int]) -> tuple[int, int]:
        quantity, face = bid
        return (2 * quantity, FACES[-1] + 1) if terms.ones_wild and face == ONE else bid

    legal = ((n, face) for n in _leasts(last) for face in FACES if fault(terms, last, n, face) is None)
    return min(legal, key=strength, default=None)
