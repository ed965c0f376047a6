"""Draws states that fit the knowledge of one seat."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from perudo_core._actions import Seat
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core._errors import expect_type
from perudo_core._hands import draw_dice
from perudo_core._observation import Observation
from perudo_core._positions import set_up
from perudo_core._round_setup import BIDDING
from perudo_core._state import State

__all__ = ["sample_state"]


def sample_state(
    observation: Observation, rng: Random, *, likelihood: Callable[[Seat, tuple[int, ...]], float] | None = None
) -> State:
    """Draw a state that has this observation, with random dice for all other seats, except those that they showed.

    All rolls of the other seats' dice are equally probable, unless `likelihood` is given. `likelihood(seat, hand)` is
    the probability of that seat's bids in this round with this sorted hand, on any scale; 0 means never. A hand is then
    drawn in proportion to its likelihood times its probability. That is exact if players call by their own dice and by
    public facts. `likelihood` is called once for each hand of each other seat, 252 times for 5 dice.

    Only `rng.random()` is called. Raises `ValueError` outside of a round, and if a seat has no hand with a likelihood
    above 0.

    >>> from random import Random
    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> seen = observe(set_up(Rules.preset("aces"), ((6, 2, 2), (3, 4)), [Bid(0, 1, 2)]), 0)
    >>> state = sample_state(seen, Random(1))
    >>> observe(state, 0) == seen
    True
    """
    expect_type(observation, Observation, "observation")
    expect_type(rng, Random, "rng")
    if observation.phase is not BIDDING or observation.opener is None:
        raise ValueError("no round runs, so no dice are hidden")
    dice = tuple(
        observation.dice if seat == observation.seat else _drawn_hand(seat, seen, count, rng, likelihood)
        for seat, (seen, count) in enumerate(zip(observation.open_dice, observation.dice_counts, strict=True))
    )
    return set_up(
        observation.rules,
        dice,
        observation.bids,
        seats=observation.seats,
        opener=observation.opener,
        palifico=observation.palifico,
        had_palifico=observation.had_palifico,
        eliminated=observation.eliminated,
        shown=observation.shown,
        round=observation.round,
    )


def _drawn_hand(
    seat: Seat,
    seen: tuple[int, ...],
    count: int,
    rng: Random,
    likelihood: Callable[[Seat, tuple[int, ...]], float] | None,
) -> tuple[int, ...]:
    if likelihood is None or not count:
        return seen + draw_dice((count - len(seen),), rng.random)[0]
    hands = hand_outcomes(count - len(seen))
    weights = [likelihood(seat, tuple(sorted(seen + hand))) * float(probability) for hand, probability in hands]
    if min(weights) < 0 or not 0 < sum(weights) < float("inf"):
        raise ValueError(f"the likelihoods of seat {seat} must be at least 0, finite, and not all 0")
    return seen + rng.choices([hand for hand, _ in hands], weights)[0]
