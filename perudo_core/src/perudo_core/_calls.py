"""The legal calls of a state, as a sequence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex

from perudo_core._actions import Call
from perudo_core._documentation import restore_documentation
from perudo_core._errors import expect_type, whole_number
from perudo_core._state import State

if TYPE_CHECKING:
    from perudo_core import _legal_calls

    class LegalCalls(_legal_calls.LegalCalls, Sequence[Call]):
        """The class is registered as a `Sequence`, and type checkers see only bases."""

    NO_CALLS: LegalCalls

    def calls_of(state: State, seat: int | None) -> LegalCalls: ...
else:
    from perudo_core._legal_calls import NO_CALLS, LegalCalls, calls_of

    restore_documentation(LegalCalls)

__all__ = ["NO_CALLS", "LegalCalls", "legal_calls"]


def legal_calls(state: State, seat: SupportsIndex | None = None) -> LegalCalls:
    """Return the calls that a seat may make now, or all seats if `seat` is None; empty while the game waits for chance.

    `Concede` and `Leave` are not calls of a rulebook and are never listed. Raises `ValueError` for a seat out of range.

    >>> from perudo_core import Roll, Rules, apply, new_game
    >>> state, _ = apply(new_game(Rules(), 2, opener=0), Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))))
    >>> print(*legal_calls(state)[:6])
    1x2 1x3 1x4 1x5 1x6 2x2
    """
    if type(state) is not State or seat is not None:
        expect_type(state, State, "state")
        seat = None if seat is None else whole_number(seat, "seat", 0, len(state.seats) - 1)
    return calls_of(state, seat)
