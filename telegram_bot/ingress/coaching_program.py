"""The process that advises a player: it reads one question from its input, writes the advice as JSON, and ends.

It knows the rules and nothing else: no database, no settings, no token. The player waits for the answer, so it imports
little; what it writes has the form of `Advice`.
"""

from __future__ import annotations

import json
import pickle
import sys
from random import Random
from typing import Any, Final

from perudo_core import Bid, Observation
from perudo_core.agents import Memory, bid_chances
from perudo_core.analysis import WeighedCall, weigh

BEST_CALLS: Final = 3


def advise(observation: Observation, memory: Memory, seed: int) -> dict[str, Any]:
    """The coach's advice on a decision: by what its seat may know, and by the chance of a seed."""
    weighing = weigh(observation, memory, Random(seed))  # noqa: S311 - a seed repeats it
    standing = observation.current_bid
    return {
        "calls": [_advice(each) for each in weighing.calls[:BEST_CALLS]],
        "standing": None if standing is None else _standing(observation, memory, standing),
    }


def _advice(each: WeighedCall) -> dict[str, Any]:
    return {
        "call": str(each.call),
        "by_dice": _percent(each.by_dice),
        "after_calls": _percent(each.after_calls),
        "bluff": each.is_bluff,
    }


def _standing(observation: Observation, memory: Memory, bid: Bid) -> dict[str, Any]:
    by_dice, after_calls = bid_chances(observation, memory, bid)
    return {"call": str(bid), "by_dice": _percent(by_dice), "after_calls": _percent(after_calls)}


def _percent(chance: float) -> int:
    return round(100 * chance)


def main() -> None:
    """Read a question, write the advice."""
    question = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from the bot itself
    json.dump(advise(*question), sys.stdout)


if __name__ == "__main__":
    main()
