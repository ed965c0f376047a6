"""The functions that play a game: the legal calls of a state, the check of an action, and its effect."""

from collections.abc import Iterable
from functools import update_wrapper
from types import FunctionType
from typing import SupportsIndex

from perudo_core._actions import Action, Bid, Calza, Seat
from perudo_core._errors import Reason, expect_type
from perudo_core._legal_calls import LegalCalls
from perudo_core._legality import calls_of, least_raise, reason_against
from perudo_core._round_setup import in_turn_order
from perudo_core._state import State, Transition
from perudo_core._steps import step

__all__ = ["apply", "is_legal", "legal_calls", "settle_claims", "smallest_raise", "why_illegal"]


def apply(state: State, action: Action) -> Transition:
    """Return the next state, and the events that the action causes; the given state does not change.

    Raises `IllegalActionError`, with the reason, for an action that is not legal now.

    >>> from perudo_core import OpenerDraw, Rules, new_game
    >>> state, events = apply(new_game(Rules(), ["Ana", "Bo"]), OpenerDraw(1))
    >>> state.opener, events
    (1, (OpenerChosen(seat=1),))
    """
    return step(state, action)


def legal_calls(state: State, seat: SupportsIndex | None = None) -> LegalCalls:
    """Return the calls that a seat may make now, or all seats if `seat` is None; empty while the game waits for chance.

    `Concede`, `Leave` and `Reroll` are not calls and are never listed. Raises `ValueError` for a seat out of range.

    >>> from perudo_core import Roll, Rules, apply, new_game
    >>> state, _ = apply(new_game(Rules(), 2, opener=0), Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))))
    >>> print(*legal_calls(state)[:6])
    1x2 1x3 1x4 1x5 1x6 2x2
    """
    return calls_of(state, seat)


# From sources the caller gets the function behind, which saves a call; a compiled one has no documentation.
_INTERPRETED = isinstance(step, FunctionType)
apply = update_wrapper(step, apply) if _INTERPRETED else apply
legal_calls = update_wrapper(calls_of, legal_calls) if _INTERPRETED else legal_calls


def why_illegal(state: State, action: Action) -> Reason | None:
    """Return the reason why the action may not be taken now, or None if it is legal.

    >>> from perudo_core import Dudo, Rules, new_game
    >>> why_illegal(new_game(Rules(), 2, opener=0), Dudo(1)).value
    'call/no_round'
    """
    if type(state) is not State:
        expect_type(state, State, "state")
    return reason_against(state, action)


def is_legal(state: State, action: Action) -> bool:
    """Return whether the action may be taken now.

    >>> from perudo_core import OpenerDraw, Rules, new_game
    >>> is_legal(new_game(Rules(), 2), OpenerDraw(1))
    True
    """
    return why_illegal(state, action) is None


def smallest_raise(state: State) -> Bid | None:
    """Return the least bid that the player whose turn it is can make, or None if there is none.

    Bids rank by quantity and then by face; n wild ones rank above 2n sixes, or as the highest face if the rules say so.
    After 5 sixes the least raise is 6 twos under rules that allow any higher bid, else 6 sixes, and never 3 ones.

    >>> from perudo_core import Bid, Roll, Rules, apply, new_game
    >>> state, _ = apply(new_game(Rules(), 2, opener=0), Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))))
    >>> print(smallest_raise(apply(state, Bid(0, 5, 4)).state))
    5x5
    """
    expect_type(state, State, "state")
    return least_raise(state)


def settle_claims(state: State, claims: Iterable[Seat]) -> Seat | None:
    """Return the calza that counts if several players claim it together: the legal one nearest to the bidder's left.

    Nearest in the direction of play, under rules that turn it round. None if no claim is legal. Claims made while the
    player on turn acted are void: apply that action and settle no claim. (box_2009, italian_box: two say calza at once;
    calza at the same moment as the player to call acts.)
    """
    expect_type(state, State, "state")
    if isinstance(claims, str | bytes):
        raise TypeError("claims must be seats, not a text")
    expect_type(claims, Iterable, "claims")
    bid = state.current_bid
    if bid is None:
        return None
    legal = [claim.seat for claim in map(Calza, claims) if why_illegal(state, claim) is None]
    order = in_turn_order(bid.seat, len(state.seats), state.rules.direction(state.round))
    return next((seat for seat in order if seat in legal), None)
