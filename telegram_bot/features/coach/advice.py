"""The coach's advice on a decision: computed in a side process, from the rules alone."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from perudo_core import FACES, Bid, Call, Dudo, Observation, count_matching
from perudo_core.agents import Memory, bid_chances
from perudo_core.analysis import WeighedCall, weigh


def standing_bid(observation: Observation, memory: Memory) -> dict[str, Any] | None:
    """Return the bid to beat, and the chance by the dice alone that it is true."""
    bid = observation.current_bid
    if bid is None:
        return None
    return {
        "call": str(bid),
        **shown_chance(bid_chances(observation, memory, bid)[0], is_proven_true(observation, bid)),
    }


def held_for(observation: Observation, bid: Bid) -> int:
    """Count the player's own dice that count for a bid."""
    return count_matching(observation.dice, bid.face, observation.ones_are_wild)


def expected_for(observation: Observation, bid: Bid) -> tuple[int, int]:
    """Return the number of the others' dice, and how many of them count for a bid on average.

    Zeros if it is unknown.
    """
    if observation.rules.hides_lost_dice:
        return 0, 0
    hidden = observation.unknown_dice
    return hidden, round(hidden * (1 if bid.face == 1 or not observation.ones_are_wild else 2) / len(FACES))


def is_proven_true(observation: Observation, bid: Bid) -> bool | None:
    """Return whether a bid is true, if the player's own dice and the number of the others' prove it."""
    held = held_for(observation, bid)
    if held >= bid.quantity:
        return True
    return False if not observation.rules.hides_lost_dice and held + observation.unknown_dice < bid.quantity else None


def shown_chance(chance: float, proof: bool | None) -> dict[str, Any]:
    """Return a chance for readers, as a percentage: 0 and 100 only if proven, else 5 to 95."""
    if proof is not None:
        return {"right": 100 if proof else 0, "proven": True}
    return {"right": min(max(percent(chance), 5), 95), "proven": False}


def percent(chance: float) -> int:
    """Return a chance in percent, rounded to the accuracy of an estimate."""
    return 5 * round(20 * chance)


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
    rules = observation.rules
    risk = None if rules.most_at_stake > 1 or rules.first_out_wins or rules.sudden_death else cost
    proof = None if true is None else true != doubts
    return {
        "call": str(bid),
        **shown_chance(each.after_calls, proof),
        "risk": risk,
        "held": held,
        "hidden": hidden,
        "more": more,
    }


SILENCE: Final = "silence"


def judge(decisions: Sequence[tuple[Observation, Memory, Call, int]]) -> bytes:
    """Judge a round's decisions, as JSON of `JudgedDecision`s, each from its seat's knowledge at the time."""
    return json.dumps([_judgement(*each) for each in decisions]).encode()


def _judgement(observation: Observation, memory: Memory, call: Call, seed: int) -> dict[str, Any]:
    weighing = weigh(observation, memory, Random(seed), chosen=call)  # noqa: S311 - a seed repeats it
    lost = round(10 * weighing.lost(call))
    best = weighing.best.call
    better = None if not lost else SILENCE if best is None else str(best)
    return {
        "seat": call.seat,
        "call": str(call),
        "lost": lost,
        "better": better,
        "right": percent(weighing.of(call).after_calls),
        "better_right": percent(weighing.best.after_calls),
        "standing": standing_bid(observation, memory),
    }
