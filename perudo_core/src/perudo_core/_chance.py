"""Draws the rolls and the opener of a game; no other module draws random numbers for a game."""

from random import Random

from perudo_core._actions import ChanceAction, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._errors import IllegalActionError, Reason, expect_type
from perudo_core._hands import draw_dice, draw_roll
from perudo_core._legality import dice_to_reroll, opening_counts
from perudo_core._round_setup import OPENING, ROLLING
from perudo_core._rules import OpenerMethod
from perudo_core._state import State

__all__ = ["sample_reroll", "sample_roll"]


def sample_roll(state: State, rng: Random) -> ChanceAction:
    """Draw the next action of chance with `rng`: the opener of the game, or the dice of the next round.

    The function calls only `rng.random()`, which gives the same numbers for a seed in every version of Python. For real
    games use `random.SystemRandom()`. Raises `IllegalActionError` while the game does not wait for chance.

    >>> from perudo_core import Rules, new_game
    >>> sample_roll(new_game(Rules(starting_dice=2), 2, opener=0), Random(2009))
    Roll(dice=((2, 4), (6, 3)))
    """
    if type(state) is not State:
        expect_type(state, State, "state")
    if type(rng) is not Random:
        expect_type(rng, Random, "rng")
    setup = state._setup
    if setup.phase is ROLLING:
        return draw_roll(setup.dice_counts, rng.random)
    if setup.phase is not OPENING:
        raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
    if setup.rules.opener is OpenerMethod.RANDOM:
        seats = state.active_seats
        return OpenerDraw(seats[int(rng.random() * len(seats))])
    return OpeningRoll(draw_dice(opening_counts(state), rng.random))


def sample_reroll(state: State, seat: Seat, shown: tuple[int, ...], rng: Random) -> Reroll:
    """Draw with `rng` what a seat rolls after its bid, if it shows these dice: see `Rules.reroll_after_bid`.

    Raises `IllegalActionError` if the seat may not show them now.

    >>> from perudo_core import Bid, Rules, apply, set_up
    >>> rules = Rules(reroll_after_bid=True)
    >>> state = set_up(rules, ((2, 2, 5), (1, 6)), [Bid(0, 2, 2)])
    >>> state, events = apply(state, sample_reroll(state, 0, (2, 2), Random(2009)))
    >>> state.open_dice, len(state.dice[0]), state.turn
    (((2, 2), ()), 3, 1)
    """
    expect_type(state, State, "state")
    expect_type(rng, Random, "rng")
    return Reroll(seat, shown, draw_dice((dice_to_reroll(state, seat, shown),), rng.random)[0])
