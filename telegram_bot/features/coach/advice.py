"""The coach's advice on a decision: computed in a side process, from the rules alone."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from perudo_core import Bid, Dudo, Observation
from perudo_core.agents import Memory
from perudo_core.analysis import WeighedCall, weigh
from telegram_bot.features.coach.chances import (
    expected_for,
    held_for,
    is_proven_true,
    percent,
    shown_chance,
    standing_bid,
)

BEST_CALLS: Final = 3
SURE: Final = 100
"""Percent: a call that almost surely costs a die is no alternative."""


def advise(observation: Observation, memory: Memory, seed: int) -> bytes:
    """Return the coach's advice on a decision, as JSON of an `Advice`, from the seat's view and a seed.

    The call that costs fewest dice is first; among calls of about the same cost, the one that is most probably right.
    """
    weighing = weigh(observation, memory, Random(seed))  # noqa: S311 - a seed repeats it
    costs = [percent(sum(-min(won, 0.0) for won in results) / len(results)) for results in weighing.results]
    weighed = sorted(zip(costs, weighing.calls, strict=True), key=lambda each: (each[0], -each[1].after_calls))
    sensible = [weighed[0], *(each for each in weighed[1:BEST_CALLS] if each[0] < SURE)]
    best, *others = (_advice(observation, each, cost) for cost, each in sensible)
    standing = standing_bid(observation, memory)
    return json.dumps({"best": best, "others": others, "standing": standing}).encode()


def _advice(observation: Observation, each: WeighedCall, cost: int) -> Mapping[str, Any]:
    bid, doubts = each.call, isinstance(each.call, Dudo)
    held = held_for(observation, bid) if isinstance(bid, Bid) else 0
    hidden, more = expected_for(observation, bid) if isinstance(bid, Bid) else (0, 0)
    judged = bid if isinstance(bid, Bid) else observation.current_bid if doubts else None
    true = None if judged is None else is_proven_true(observation, judged)
    risk = None if observation.rules.lose_by_difference else cost
    proof = None if true is None else true != doubts
    return {
        "call": str(bid),
        **shown_chance(each.after_calls, proof),
        "risk": risk,
        "held": held,
        "hidden": hidden,
        "more": more,
    }
