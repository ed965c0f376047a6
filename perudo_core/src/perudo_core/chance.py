"""The only place that draws: everything else is told what chance did."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from perudo_core._quick import maker
from perudo_core.actions import ChanceAction, OpenerDraw, OpeningRoll, Roll
from perudo_core.errors import IllegalActionError, Reason, expect
from perudo_core.legality import opening_counts
from perudo_core.rules import Opener
from perudo_core.state import OPENING, ROLLING, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perudo_core.actions import Dice

__all__ = ["sample_roll"]

rolled = maker(Roll)


def sample_roll(state: State, rng: Random) -> ChanceAction:
    """What chance does next, in the opening and before each round.

    Draws by `rng.random()` alone, which for a given seed is the same in every version of Python. Play for real with
    `random.SystemRandom()`.
    """
    if type(state) is not State:
        expect(state, State, "state")
    expect(rng, Random, "rng")
    if state.phase is ROLLING:
        return rolled(_dice(state.dice_counts, rng))
    if state.phase is not OPENING:
        raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
    if state.rules.opener is Opener.RANDOM:
        seats = state.seats_in
        return OpenerDraw(seats[int(rng.random() * len(seats))])
    return OpeningRoll(_dice(opening_counts(state), rng))


def _dice(counts: Iterable[int], rng: Random) -> Dice:
    draw = rng.random
    dice = []
    for count in counts:
        hand = []
        for _ in range(count):
            hand.append(int(draw() * 6) + 1)  # noqa: PERF401 - up to Python 3.11 a comprehension takes longer here
        dice.append(tuple(hand))
    return tuple(dice)
