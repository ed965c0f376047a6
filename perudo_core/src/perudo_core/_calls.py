"""The legal calls of a state, as a sequence."""

from perudo_core._actions import Seat
from perudo_core._documentation import restore_documentation
from perudo_core._errors import expect_int, expect_type
from perudo_core._legal_calls import NO_ACTIONS, LegalActions, legal_calls
from perudo_core._state import State

__all__ = ["NO_ACTIONS", "LegalActions", "legal_actions"]

restore_documentation(LegalActions)


def legal_actions(state: State, seat: Seat | None = None) -> LegalActions:
    """The calls that a seat may make now, or all seats if `seat` is None; empty while the game waits for chance.

    `Concede` and `Leave` are not calls of a rulebook and are never listed. Raises `ValueError` for a seat out of range.

    >>> from perudo_core import Roll, Rules, apply, new_game
    >>> state, _ = apply(new_game(Rules(), 2, opener=0), Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))))
    >>> print(*legal_actions(state)[:6])
    1x2 1x3 1x4 1x5 1x6 2x2
    """
    if type(state) is not State or seat is not None:
        expect_type(state, State, "state")
        expect_int(0 if seat is None else seat, "seat", 0, len(state.seats) - 1)
    return legal_calls(state, seat)
