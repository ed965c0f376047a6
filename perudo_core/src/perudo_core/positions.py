"""Setting up a position in the middle of a game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from perudo_core._consistency import proved_state
from perudo_core.actions import Bid, Roll
from perudo_core.engine import apply
from perudo_core.errors import StateError, expect_tuple_of, expect_type
from perudo_core.state import Phase, State, complete_setup, new_game

if TYPE_CHECKING:
    from perudo_core.actions import Dice, Seat
    from perudo_core.rules import Rules

__all__ = ["set_up"]


def set_up(
    rules: Rules,
    dice: Dice,
    bids: Iterable[Bid] = (),
    *,
    seats: Sequence[str] | None = None,
    opener: Seat = 0,
    palifico: Seat | None = None,
    had_palifico: Collection[Seat] = (),
    eliminated: Sequence[Seat] | None = None,
    round: int = 1,  # noqa: A002 - the state's word
) -> State:
    """The state of a round with these hands, after these bids.

    `dice` has a hand for each seat, `()` for a seat that is out. `palifico` is the player whose palifico round it is;
    `eliminated` tells in which order players went out (by default in seat order). Raises `StateError` for a position
    that the rules do not allow, `IllegalActionError` for a bid that may not follow.

    >>> from perudo_core import Rules, smallest_raise
    >>> state = set_up(Rules(), ((2, 2, 5), (), (1, 6)), [Bid(0, 2, 5)])
    >>> state.turn, str(smallest_raise(state))
    (2, '2x6')
    """
    expect_tuple_of(dice, tuple, "dice")
    game = new_game(rules, len(dice) if seats is None else seats, opener=opener)
    counts = tuple(map(len, dice))
    out = tuple(seat for seat, count in enumerate(counts) if not count)
    if len(counts) != len(game.seats):
        raise StateError(f"{len(counts)} hands for {len(game.seats)} seats")
    before = complete_setup(
        rules,
        game.seats,
        Phase.ROLLING,
        round - 1,
        counts,
        game.dice,
        opener,
        palifico,
        (),
        frozenset(had_palifico),
        out if eliminated is None else tuple(eliminated),
    )
    state = apply(State(before), Roll(dice)).state
    state = proved_state(state.setup, state.turn, ())
    for bid in bids:
        expect_type(bid, Bid, "each of bids")
        state = apply(state, bid).state
    return state
