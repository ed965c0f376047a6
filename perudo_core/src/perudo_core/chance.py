"""Drawing what chance does: no other module draws random numbers for a game."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from perudo_core._hands import draw_hand
from perudo_core.actions import ChanceAction, OpenerDraw, OpeningRoll, Roll
from perudo_core.errors import IllegalActionError, Reason, expect_type
from perudo_core.legality import opening_counts
from perudo_core.rules import OpenerMethod
from perudo_core.state import OPENING, ROLLING, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perudo_core.actions import Dice

__all__ = ["sample_roll"]


def sample_roll(state: State, rng: Random) -> ChanceAction:
    """What chance does next, drawn with `rng`: who opens the game, or the dice of the next round.

    The function draws with `rng.random()` alone, which for a given seed is the same in every version of Python; play
    for real with `random.SystemRandom()`. Raises `IllegalActionError` where the game does not wait for chance.

    >>> from perudo_core import Rules, new_game
    >>> sample_roll(new_game(Rules(starting_dice=2), 2, opener=0), Random(2009))
    Roll(dice=((2, 4), (6, 3)))
    """
    if type(state) is not State:
        expect_type(state, State, "state")
    expect_type(rng, Random, "rng")
    if state.phase is ROLLING:
        return Roll(_dice(state.dice_counts, rng))
    if state.phase is not OPENING:
        raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
    if state.rules.opener_method is OpenerMethod.RANDOM:
        seats = state.active_seats
        return OpenerDraw(seats[int(rng.random() * len(seats))])
    return OpeningRoll(_dice(opening_counts(state), rng))


def _dice(counts: Iterable[int], rng: Random) -> Dice:
    random = rng.random
    return tuple([draw_hand(count, random) for count in counts])
