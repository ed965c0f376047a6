"""The legal calls of a state, as a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from perudo_core._actions import Bid, Call, Calza, Dudo
from perudo_core._bid_lists import NO_BIDS, CallList
from perudo_core._bid_numbers import quantity_and_face
from perudo_core._errors import as_int

__all__ = ["NO_CALLS", "LegalCalls"]


class LegalCalls(CallList, Sequence[Call]):
    """The legal calls: the bids of the player on turn by quantity and then by face, then the dudos, then the calzas.

    Dudos and calzas are in turn order and begin with the player on turn. A call is made when it is asked for, so
    counting calls, choosing one and `in` cost the same at every table. Equal to another `LegalCalls` with the same
    calls.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments of `__init__`."""
        return LegalCalls, (self._turn, self._bids, self._bid_count, self._doubts)

    def __contains__(self, call: object) -> bool:
        if not isinstance(call, Bid | Dudo | Calza):
            return False
        values = [as_int(getattr(call, name)) for name in call.__slots__]
        if not all(type(each) is int for each in values):
            return False
        if isinstance(call, Bid):
            seat, quantity, face = values
            return seat == self._turn and self._bids.allow(quantity, face, self._max_quantity())
        return type(call)(*values) in self._doubts

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LegalCalls):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._bid_count, self._doubts))

    def __repr__(self) -> str:
        return f"<LegalCalls: {', '.join(map(repr, self))}>"


NO_CALLS: Final = LegalCalls(0, NO_BIDS, 0)
