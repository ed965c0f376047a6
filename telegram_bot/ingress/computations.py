"""Computations of side processes: a computer player's call, the coach's advice.

They use the rules only: no database, no settings, no token. The module imports little, because starting it takes time.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from perudo_core import PRESETS, Bid, Call, Dudo, Observation, Rules
from perudo_core.agents import Character, Level, Memory, bid_chances, create_agent, load_tables
from perudo_core.analysis import WeighedCall, weigh
from telegram_bot.confinement import Needed

BEST_CALLS: Final = 3
SURE: Final = 100
"""Percent: a call that almost surely costs a die is no alternative."""
SILENCE: Final = "silence"


def load_rules() -> Needed:
    """Read every file that the rules and computer players may need: side processes open no file afterwards."""
    for preset in PRESETS:
        Rules.preset(preset)
    load_tables()
    return Needed()


def choose(level: Level, character: Character, observation: Observation, memory: Memory, seed: int) -> bytes:
    """Choose the call of a computer player, from its seat's view, public events and a seed.

    Returns:
        The call as text; empty if it is not the seat's turn and it does not call.
    """
    agent, rng = create_agent(level, character), Random(seed)  # noqa: S311 - a seed repeats it
    decide = agent.choose if observation.seat == observation.turn else agent.interrupt
    call = decide(observation, memory, rng)
    return b"" if call is None else str(call).encode()


def advise(observation: Observation, memory: Memory, seed: int) -> bytes:
    """Return the coach's advice on a decision, as JSON of an `Advice`, from the seat's view and a seed.

    The call that costs fewest dice is first; among calls of about the same cost, the one that is most probably right.
    """
    weighing = weigh(observation, memory, Random(seed))  # noqa: S311 - a seed repeats it
    costs = [_percent(sum(-min(won, 0.0) for won in results) / len(results)) for results in weighing.results]
    weighed = sorted(zip(costs, weighing.calls, strict=True), key=lambda each: (each[0], -each[1].after_calls))
    sensible = [weighed[0], *(each for each in weighed[1:BEST_CALLS] if each[0] < SURE)]
    best, *others = (_advice(observation, each, cost) for cost, each in sensible)
    standing = _standing(observation, memory)
    return json.dumps({"best": best, "others": others, "standing": standing}).encode()


def _advice(observation: Observation, each: WeighedCall, cost: int) -> dict[str, Any]:
    bid, doubts = each.call, isinstance(each.call, Dudo)
    held = _held(observation, bid) if isinstance(bid, Bid) else 0
    judged = bid if isinstance(bid, Bid) else observation.current_bid if doubts else None
    true = None if judged is None else _is_true(observation, judged)
    risk = None if observation.rules.lose_by_difference else cost
    proof = None if true is None else true != doubts
    return {"call": str(bid), **_right(each.after_calls, proof), "risk": risk, "held": held}


def _standing(observation: Observation, memory: Memory) -> dict[str, Any] | None:
    """The bid to beat, and the chance by the dice alone that it is true."""
    bid = observation.current_bid
    if bid is None:
        return None
    return {"call": str(bid), **_right(bid_chances(observation, memory, bid)[0], _is_true(observation, bid))}


def _held(observation: Observation, bid: Bid) -> int:
    faces = {bid.face, 1} if observation.ones_are_wild else {bid.face}
    return sum(die in faces for die in observation.dice)


def _is_true(observation: Observation, bid: Bid) -> bool | None:
    """Whether a bid is true, if the player's own dice and the number of the others' prove it."""
    held, total = _held(observation, bid), observation.total_dice
    if held >= bid.quantity:
        return True
    return False if total is not None and held + total - len(observation.dice) < bid.quantity else None


def _right(chance: float, proof: bool | None) -> dict[str, Any]:
    """A chance for readers, as a percentage: 0 and 100 only if proven, else 5 to 95."""
    if proof is not None:
        return {"right": 100 if proof else 0, "proven": True}
    return {"right": min(max(_percent(chance), 5), 95), "proven": False}


def _percent(chance: float) -> int:
    """Return a chance in percent, rounded to the accuracy of an estimate."""
    return 5 * round(20 * chance)


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
        "right": _percent(weighing.of(call).after_calls),
        "better_right": _percent(weighing.best.after_calls),
        "standing": _standing(observation, memory),
    }
