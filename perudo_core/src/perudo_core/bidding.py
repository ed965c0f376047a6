"""Which bid may follow which: the one place that decides it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from perudo_core.actions import FACES
from perudo_core.errors import Reason

__all__ = ["NO_BIDS", "BidRules", "NextBids", "PlainRaise", "QuantityAndFace", "smallest_next_bid", "why_illegal_bid"]

QuantityAndFace: TypeAlias = tuple[int, int]

ONE: Final = 1
MAX_TABLE_DICE: Final = 500
"""The most dice on one table: 50 seats with 10 dice each."""


class PlainRaise(StrEnum):
    """How a bid on a plain face rises to a plain face."""

    ONE_THING = "one_thing"  # the face at the same quantity, or the quantity on the same face
    NO_DECREASE = "no_decrease"  # the quantity on the same face, or a higher face at no lower a quantity
    ANY_HIGHER = "any_higher"  # a greater quantity on any face, or a higher face at the same quantity


def why_illegal_bid(  # noqa: PLR0911 - one return for each reason reads like the rule
    rules: BidRules, last: QuantityAndFace | None, quantity: int, face: int, max_quantity: int
) -> Reason | None:
    """The reason why `quantity` dice of `face` may not be bid after `last`; None if they may."""
    if not ONE <= face <= FACES[-1]:
        return Reason.BID_FACE_UNKNOWN
    if quantity < 1:
        return Reason.BID_QUANTITY_ZERO
    if quantity > max_quantity:
        return Reason.BID_ABOVE_MAXIMUM
    if last is None:
        may_open = face != ONE or not rules.ones_are_wild or rules.ones_may_open
        return None if may_open else Reason.BID_ONES_MAY_NOT_OPEN
    last_quantity, last_face = last
    if rules.face_is_locked and face != last_face:
        return Reason.BID_FACE_LOCKED
    if face == last_face:
        return None if quantity > last_quantity else Reason.BID_TOO_LOW
    if rules.ones_are_wild and face == ONE:
        return None if quantity >= (last_quantity + 1) // 2 else Reason.BID_TOO_FEW_ONES
    if rules.ones_are_wild and last_face == ONE:
        return None if quantity > 2 * last_quantity else Reason.BID_TOO_FEW_AFTER_ONES
    return _why_illegal_plain_raise(rules.plain_raise, quantity - last_quantity, face - last_face)


def _why_illegal_plain_raise(plain_raise: PlainRaise, more_dice: int, higher_face: int) -> Reason | None:
    """The reason why a plain face may not follow another plain face; None if it may."""
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
    ones_are_wild: bool
    ones_may_open: bool
    face_is_locked: bool
    next_bids: _NextBidsByLast = field(init=False, repr=False, compare=False)
    """The bids that may follow each last bid, or open a round: `next_bids[last]`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "next_bids", _NextBidsByLast(self))


class _NextBidsByLast(dict["QuantityAndFace | None", "NextBids"]):
    """Works an entry out when it is first asked for; a table of 500 dice has 3,001 entries at most."""

    def __init__(self, rules: BidRules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, last: QuantityAndFace | None) -> NextBids:
        next_bids = self[last] = NextBids(tuple(_runs(self._rules, last)))
        return next_bids


def _runs(rules: BidRules, last: QuantityAndFace | None) -> Iterator[Run]:
    """The faces that may follow change only at a few quantities, so asking there tells about all quantities."""
    changes = [*sorted(_least_quantities(last)), MAX_TABLE_DICE + 1]
    for first, stop in pairwise(changes):
        faces = tuple(face for face in FACES if why_illegal_bid(rules, last, first, face, MAX_TABLE_DICE) is None)
        if faces:
            yield Run(first, stop, faces)


class Run(NamedTuple):
    """Bids of the quantities from `first` to below `stop`, each quantity with the same faces."""

    first: int
    stop: int
    faces: tuple[int, ...]


class NextBids:
    """The bids that may follow one bid, by quantity and then by face.

    A round's maximum quantity cuts the same sequence off at its end, so one object serves every table.
    """

    __slots__ = ("counts", "parts", "ranges", "runs")

    def __init__(self, runs: tuple[Run, ...]) -> None:
        self.runs = runs
        self.counts = _CountByMaxQuantity(runs)
        """How many bids have at most this quantity: `counts[max_quantity]`."""
        self.ranges = tuple(_quantities(runs, face) for face in (0, *FACES))
        """Of each face, by index, the quantities that may follow: from the first number to below the second."""
        parts, end = [], 0
        for first, stop, faces in runs:
            offset = (first - 1) * len(faces) - end
            end += (stop - first) * len(faces)
            parts.append((end, offset, _all_bids(faces)))
        self.parts = tuple(parts)
        """Where to find a bid by its index: `bids[index + offset]` of the first part whose end is above the index."""

    def __eq__(self, other: object) -> bool:
        return self.runs == other.runs if isinstance(other, NextBids) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.runs)

    def __getitem__(self, index: int) -> QuantityAndFace:
        for end, offset, bids in self.parts:
            if index < end:
                return bids[index + offset]
        raise IndexError(index)

    def up_to(self, max_quantity: int) -> Iterator[QuantityAndFace]:
        """The bids of at most this quantity, in order."""
        return (self[index] for index in range(self.counts[max_quantity]))


def _quantities(runs: tuple[Run, ...], face: int) -> tuple[int, int]:
    """The quantities of one face that may follow, which have no gaps: from the first number to below the second."""
    with_face = [run for run in runs if face in run.faces]
    return (with_face[0].first, with_face[-1].stop) if with_face else (0, 0)


class _CountByMaxQuantity(dict[int, int]):
    """Works an entry out when it is first asked for."""

    def __init__(self, runs: tuple[Run, ...]) -> None:
        super().__init__()
        self._runs = runs

    def __missing__(self, max_quantity: int) -> int:
        count = sum(len(run.faces) * max(0, min(run.stop - 1, max_quantity) - run.first + 1) for run in self._runs)
        self[max_quantity] = count
        return count


@lru_cache(maxsize=64)
def _all_bids(faces: tuple[int, ...]) -> tuple[QuantityAndFace, ...]:
    """All bids on these faces, by quantity and then by face."""
    return tuple((quantity, face) for quantity in range(1, MAX_TABLE_DICE + 1) for face in faces)


def _least_quantities(last: QuantityAndFace | None) -> set[int]:
    """For each face that may follow `last`, one of these is the least quantity."""
    quantity = 0 if last is None else last[0]
    candidates = (1, quantity, quantity + 1, (quantity + 1) // 2, 2 * quantity + 1)
    return {least for least in candidates if 0 < least <= MAX_TABLE_DICE}


def smallest_next_bid(rules: BidRules, last: QuantityAndFace | None, max_quantity: int) -> QuantityAndFace | None:
    """The least bid that may follow, in order of strength; None if no bid may.

    Bids rank by quantity and then by face. Wild ones rank by their exchange rate: n ones stand above 2n dice of any
    plain face and below 2n + 1.
    """

    def strength(bid: QuantityAndFace) -> QuantityAndFace:
        quantity, face = bid
        return (2 * quantity, FACES[-1] + 1) if rules.ones_are_wild and face == ONE else bid

    legal = (
        (quantity, face)
        for quantity in _least_quantities(last)
        for face in FACES
        if why_illegal_bid(rules, last, quantity, face, max_quantity) is None
    )
    return min(legal, key=strength, default=None)


NO_BIDS: Final = NextBids(())
"""While nobody may bid."""
