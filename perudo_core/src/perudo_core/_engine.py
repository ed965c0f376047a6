"""One action on one state gives the next state and what happened."""

from perudo_core._actions import Action
from perudo_core._state import State, Transition
from perudo_core._steps import step

__all__ = ["Transition", "apply"]


def apply(state: State, action: Action) -> Transition:
    """Take an action; the state that is given stays as it is.

    Raises `IllegalActionError`, which says why not, for an action that is not legal now.

    >>> from perudo_core import OpenerDraw, Rules, new_game
    >>> state, events = apply(new_game(Rules(), ["Ana", "Bo"]), OpenerDraw(1))
    >>> state.opener, events
    (1, (OpenerChosen(seat=1),))
    """
    return step(state, action)
