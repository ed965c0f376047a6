"""Applies an action to a state."""

from perudo_core._actions import Action
from perudo_core._state import State, Transition
from perudo_core._steps import step

__all__ = ["Transition", "apply"]


def apply(state: State, action: Action) -> Transition:
    """Return the next state, and the events that the action causes; the given state does not change.

    Raises `IllegalActionError`, with the reason, for an action that is not legal now.

    >>> from perudo_core import OpenerDraw, Rules, new_game
    >>> state, events = apply(new_game(Rules(), ["Ana", "Bo"]), OpenerDraw(1))
    >>> state.opener, events
    (1, (OpenerChosen(seat=1),))
    """
    return step(state, action)
