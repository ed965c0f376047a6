"""The process that judges the decisions of one round: it reads them, writes its judgements as JSON, and ends.

It knows the rules and nothing else: no database, no settings, no token. Nobody waits for it.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterable
from random import Random
from typing import Any, Final

from perudo_core import Call, Observation
from perudo_core.agents import Memory
from perudo_core.analysis import Weighing, weigh

NICE: Final = 10
"""Whoever plays comes first."""
SILENCE: Final = "silence"


def judge(observation: Observation, memory: Memory, call: Call, seed: int) -> dict[str, Any]:
    """The judgement on a decision: by what its seat could know then, and by the chance of a seed."""
    weighing = weigh(observation, memory, Random(seed), chosen=call)  # noqa: S311 - a seed repeats it
    lost = round(10 * weighing.lost(call))
    best = weighing.best.call
    better = None if not lost else SILENCE if best is None else str(best)
    return {"seat": call.seat, "call": str(call), "lost": lost, "better": better, "lead": _lead(weighing)}


def _lead(weighing: Weighing) -> int:
    """By how much the best call is worth more than any other."""
    first, *others = weighing.calls
    return round(1000 * (first.worth - others[0].worth)) if others else 0


def main() -> None:
    """Read the decisions, write the judgements."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    asked = sys.stdin.buffer.read()
    decisions: Iterable[tuple[Observation, Memory, Call, int]] = pickle.loads(asked)  # noqa: S301 - from the bot itself
    json.dump([judge(*each) for each in decisions], sys.stdout)


if __name__ == "__main__":
    main()
