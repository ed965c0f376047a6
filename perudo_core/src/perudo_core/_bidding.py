"""Decides which bid may follow which; no other module does."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Final, TypeAlias

from perudo_core._actions import FACES
from perudo_core._errors import Reason
from perudo_core._options import OnesRank, PlainRaise

__all__ = ["BidRules", "NextBids", "QuantityAndFace", "shared_bid_rules", "smallest_next_bid", "why_illegal_bid"]

QuantityAndFace: TypeAlias = tuple[int, int]

ONE: Final = 1
MAX_TABLE_DICE: Final = 500
"""The most dice on one table: 50 seats with 10 dice each."""
NO_QUANTITIES: Final = (1, 1)
"""The quantities of a face that may not follow: from 1 to below 1."""
NOTHING_FOLLOWS: Final = (NO_QUANTITIES,) * (1 + len(FACES))


def why_illegal_bid(
    rules: BidRules, last: QuantityAndFace | None, quantity: int, face: int, max_quantity: int
) -> Reason | None:
    """Return the reason why `quantity` dice of `face` may not be bid after `last`, or None if they may."""
    if not ONE <= face <= FACES[-1]:
        return Reason.BID_FACE_UNKNOWN
    if quantity < 1:
        return Reason.BID_QUANTITY_ZERO
    if quantity > max_quantity:
        return Reason.BID_ABOVE_MAXIMUM
    if last is None:
        return None if face != ONE or rules.ones_may_open else Reason.BID_ONES_MAY_NOT_OPEN
    last_quantity, last_face = last
    if rules.face_is_locked and face != last_face:
        return Reason.BID_FACE_LOCKED
    if face == last_face:
        return None if quantity > last_quantity else Reason.BID_TOO_LOW
    if rules.ones_rank is OnesRank.DOUBLE and face == ONE:
        return None if quantity >= (last_quantity + 1) // 2 else Reason.BID_TOO_FEW_ONES
    if rules.ones_rank is OnesRank.DOUBLE and last_face == ONE:
        return None if quantity > 2 * last_quantity else Reason.BID_TOO_FEW_AFTER_ONES
    return _why_illegal_plain_raise(
        rules.plain_raise, quantity - last_quantity, rules.face_rank(face) - rules.face_rank(last_face)
    )


def _why_illegal_plain_raise(plain_raise: PlainRaise, more_dice: int, higher_face: int) -> Reason | None:
    """Return the reason why a bid may not follow a bid of another face that counts alike, or None if it may."""
    if more_dice < 0 or (more_dice == 0 and higher_face < 0):
        return Reason.BID_TOO_LOW
    if more_dice == 0 or plain_raise is PlainRaise.ANY_HIGHER:
        return None
    if higher_face < 0:
        return Reason.BID_FACE_LOWER
    return Reason.BID_TWO_THINGS if plain_raise is PlainRaise.ONE_THING else None


@dataclass(frozen=True, slots=True)
class BidRules:
    """The options that decide about bids, for one kind of round."""

    plain_raise: PlainRaise
    ones_rank: OnesRank
    """The lowest where ones are not wild."""
    ones_may_open: bool
    """True where ones are not wild."""
    face_is_locked: bool
    next_bids: _NextBidsByLast = field(init=False, repr=False, compare=False)
    """The bids that may follow each last bid, or open a round: `next_bids[last]`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "next_bids", _NextBidsByLast(self))

    def face_rank(self, face: int) -> int:
        """Return the rank of a face in raises: the face itself, or 7 for ones that rank highest."""
        return FACES[-1] + 1 if face == ONE and self.ones_rank is OnesRank.HIGHEST else face

    def strength(self, bid: QuantityAndFace) -> QuantityAndFace:
        """Return the rank of a bid: by quantity, then by face.

        N ones that count double rank as 2n dice of a face above 6.
        """
        quantity, face = bid
        if face == ONE and self.ones_rank is OnesRank.DOUBLE:
            return 2 * quantity, FACES[-1] + 1
        return quantity, self.face_rank(face)


@cache
def shared_bid_rules(
    plain_raise: PlainRaise, ones_rank: OnesRank, ones_may_open: bool, face_is_locked: bool
) -> BidRules:
    """Return the shared object with these options: a loaded game reuses the entries that other games computed.

    At most 36 objects exist.
    """
    return BidRules(plain_raise, ones_rank, ones_may_open, face_is_locked)


class NextBids:
    """The bids that may follow one bid, whatever the maximum quantity.

    The quantities of one face have no gaps: they go from `first` to `stop` - 1, with `first, stop = ranges[face]`.
    """

    __slots__ = ("ranges",)

    def __init__(self, ranges: tuple[tuple[int, int], ...]) -> None:
        self.ranges = ranges


class _NextBidsByLast(dict["QuantityAndFace | None", NextBids]):
    """Computes each entry when it is first asked for; a table of 500 dice has at most 3,001."""

    def __init__(self, rules: BidRules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, last: QuantityAndFace | None) -> NextBids:
        changes = [*sorted(_least_quantities(last)), MAX_TABLE_DICE + 1]
        ranges = (NO_QUANTITIES, *(_quantities(self._rules, last, face, changes) for face in FACES))
        return self.setdefault(last, NextBids(ranges))


def _quantities(rules: BidRules, last: QuantityAndFace | None, face: int, changes: list[int]) -> tuple[int, int]:
    """Return the quantities of one face that may follow, without gaps: from the first number to below the second.

    Quantities between two of `changes` are all alike, so the function asks only at `changes`.
    """
    legal = [
        (first, stop)
        for first, stop in pairwise(changes)
        if why_illegal_bid(rules, last, first, face, MAX_TABLE_DICE) is None
    ]
    return (legal[0][0], legal[-1][1]) if legal else NO_QUANTITIES


def _least_quantities(last: QuantityAndFace | None) -> set[int]:
    """Return the quantities among which the least of each face that may follow `last` is found."""
    quantity = 0 if last is None else last[0]
    candidates = (1, quantity, quantity + 1, (quantity + 1) // 2, 2 * quantity + 1)
    return {least for least in candidates if 0 < least <= MAX_TABLE_DICE}


def smallest_next_bid(rules: BidRules, last: QuantityAndFace | None, max_quantity: int) -> QuantityAndFace | None:
    """Return the least bid that may follow, by `BidRules.strength`, or None if no bid may."""
    legal = (
        (quantity, face)
        for quantity in _least_quantities(last)
        for face in FACES
        if why_illegal_bid(rules, last, quantity, face, max_quantity) is None
    )
    return min(legal, key=rules.strength, default=None)
