"""The engine's table of raises as arrays, by the numbers of `ActionEncoding`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from perudo_core._bid_lists import bid_lists
from perudo_core._bid_numbers import FACE_COUNT, count_bids, quantity_and_face
from perudo_core._bidding import BidRules
from perudo_core._rules import Rules

__all__ = ["FACE_CHANGE", "LOCKED", "BidTables", "Flags", "Ints", "bid_tables"]

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

LOCKED: Final = 1
"""The kind of a palifico round; a plain round is of kind 0."""
FACE_CHANGE: Final = 2
"""The kind of a palifico round in which the player whose turn it is may change the face."""


class BidTables(NamedTuple):
    """Tables with a row for each kind of round and, within it, for each last bid.

    With Q for the highest quantity there are 6Q bids, numbered from 0, and a kind has 6Q + 1 rows:

        row 0 ... 6Q-1    after the bid with this number
        row 6Q            before the first bid of a round

    So 6Q means "no bid" wherever the last bid is a number. With a lower highest quantity, fewer of the same bids may
    follow: the first `counts`.
    """

    bid_count: int
    """6Q: the number of bids, and the number that means no bid."""
    rows: int
    """The number of rows of a kind: 6Q + 1."""
    quantities: Ints
    """By a bid's number; 0 for no bid."""
    faces: NDArray[np.uint8]
    """By a bid's number; 0 for no bid."""
    allowed: Flags
    """[row, number]: whether the bid may follow."""
    ranks: NDArray[np.int16]
    """[row, number]: the number of bids with lower numbers that may follow."""
    following: NDArray[np.int16]
    """[row, index]: the bid at this index among those that may follow; after the last of them, no bid."""
    counts: Ints
    """[highest quantity, row]: the number of bids that may follow."""
    counts_with_dudo: Ints
    """[highest quantity, row]: the same, plus one if there is a bid to doubt."""


@lru_cache(maxsize=16)
def bid_tables(rules: Rules, max_quantity: int) -> BidTables:
    """Return the tables of these rules, up to this quantity."""
    bid_count = count_bids(max_quantity)
    kinds = [rules.normal_bid_rules, rules.palifico_bid_rules, rules.face_change_bid_rules]
    if not rules.palifico:
        kinds = kinds[:1]
    allowed = np.concatenate([_allowed(kind, max_quantity) for kind in kinds])
    ranks = np.cumsum(allowed, axis=1, dtype=np.int16) - allowed
    following = np.full((len(allowed), bid_count), bid_count, np.int16)
    rows, numbers = np.nonzero(allowed)
    following[rows, ranks[rows, numbers]] = numbers
    by_quantity = allowed.reshape(len(allowed), max_quantity, FACE_COUNT).sum(axis=2)
    counts = np.zeros((max_quantity + 1, len(allowed)), np.int64)
    np.cumsum(by_quantity.T, axis=0, out=counts[1:])
    bids = np.array([*map(quantity_and_face, range(bid_count)), (0, 0)])
    return BidTables(
        bid_count=bid_count,
        rows=bid_count + 1,
        quantities=bids[:, 0],
        faces=bids[:, 1].astype(np.uint8),
        allowed=allowed,
        ranks=ranks,
        following=following,
        counts=counts,
        counts_with_dudo=counts + (np.arange(len(allowed)) % (bid_count + 1) < bid_count),
    )


def _allowed(rules: BidRules, max_quantity: int) -> Flags:
    """Return one kind's rows."""
    bid_count, lists = count_bids(max_quantity), bid_lists(rules)[max_quantity]
    allowed = np.zeros((bid_count + 1, bid_count), np.bool_)
    for row, last in enumerate([*range(bid_count), None]):
        following = lists[last]
        allowed[row, following.numbers[: following.counts[max_quantity]]] = True
    return allowed
