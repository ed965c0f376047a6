"""The legal calls of a state, as a tuple."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from perudo_core._actions import Bid, Call, Calza, Dudo
from perudo_core._bid_numbers import bid_number, count_bids
from perudo_core._bidding import MAX_TABLE_DICE
from perudo_core._errors import with_ints
from perudo_core._public_names import Listed

__all__ = ["NO_CALLS", "LegalCalls"]


class LegalCalls(tuple[Call, ...], metaclass=Listed):
    """The legal calls: the bids of the player to call by quantity and then by face, then the dudos, then the calzas.

    Dudos and calzas are in turn order and begin with the player to call. It is a tuple; states with the same bids share
    one. `in` costs the same at every table, and takes whole numbers of any type, such as those of numpy.
    """

    __slots__ = ()

    def __contains__(self, call: object) -> bool:
        if not isinstance(call, Bid | Dudo | Calza):
            return False
        whole: Bid | Dudo | Calza = with_ints(call)
        if not all(type(getattr(whole, name)) is int for name in whole.__slots__):
            return False
        at = bisect_left(self, _number(whole), key=_number)
        return whole in (self[at : at + 1] if isinstance(whole, Bid) else self[at:])

    @property
    def bid_numbers(self) -> list[int]:
        """The numbers of the bids, as `ActionEncoding` has them; the other calls come after them."""
        return [bid_number(call.quantity, call.face) for call in self if isinstance(call, Bid)]

    @property
    def bid_ranges(self) -> tuple[tuple[int, int, int], ...]:
        """The bids in short: for each face that may be bid the face, its lowest and its highest quantity."""
        quantities: dict[int, list[int]] = {}
        for call in self:
            if isinstance(call, Bid):
                quantities.setdefault(call.face, []).append(call.quantity)
        return tuple((face, found[0], found[-1]) for face, found in sorted(quantities.items()))

    def __repr__(self) -> str:
        left_out = (f"{len(self) - 2} more",) if len(self) > 2 else ()  # noqa: PLR2004 - the first and the last
        return f"<LegalCalls: {', '.join((*map(repr, self[:1]), *left_out, *map(repr, self[1:][-1:])))}>"


def _number(call: Call) -> int:
    """Return a bid's number; every other call comes after all bids."""
    return bid_number(call.quantity, call.face) if isinstance(call, Bid) else count_bids(MAX_TABLE_DICE)


NO_CALLS: Final = LegalCalls()
