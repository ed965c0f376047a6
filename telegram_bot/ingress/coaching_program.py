"""The process that advises a player: it reads one question from its input, writes the advice as JSON, and ends.

It knows the rules and nothing else: no database, no settings, no token.
"""

from __future__ import annotations

import os
import pickle
import sys
from random import Random
from typing import Final

from perudo_core import Bid, Observation
from perudo_core.agents import Memory, bid_chances
from perudo_core.analysis import WeighedCall, weigh
from telegram_bot.service.coach_notices import Advice, CallAdvice

BEST_CALLS: Final = 3
WORLDS: Final = 200
"""In how many imagined worlds the best calls are played out."""
NICE: Final = 10
"""Whoever plays comes first."""


def advise(observation: Observation, memory: Memory, seed: int) -> Advice:
    """The coach's advice on a decision: by what its seat may know, and by the chance of a seed."""
    weighing = weigh(observation, memory, Random(seed), worlds=WORLDS)  # noqa: S311 - a seed repeats it
    standing = observation.current_bid
    return Advice(
        calls=tuple(map(_advice, weighing.calls[:BEST_CALLS])),
        standing=None if standing is None else _standing(observation, memory, standing),
    )


def _advice(each: WeighedCall) -> CallAdvice:
    return CallAdvice(
        call=str(each.call),
        by_dice=_percent(each.by_dice),
        after_calls=_percent(each.after_calls),
        bluff=each.is_bluff,
    )


def _standing(observation: Observation, memory: Memory, bid: Bid) -> CallAdvice:
    by_dice, after_calls = bid_chances(observation, memory, bid)
    return CallAdvice(call=str(bid), by_dice=_percent(by_dice), after_calls=_percent(after_calls))


def _percent(chance: float) -> int:
    return round(100 * chance)


def main() -> None:
    """Read a question, write the advice."""
    os.nice(NICE)
    question = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from the bot itself
    sys.stdout.write(advise(*question).model_dump_json())


if __name__ == "__main__":
    main()
