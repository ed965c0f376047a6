"""The judgement of a round's decisions: computed in a side process, from the rules alone."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from perudo_core import Call, Observation
from perudo_core.agents import Memory
from perudo_core.analysis import weigh
from telegram_bot.features.coach.chances import percent, standing_bid

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
