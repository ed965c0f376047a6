"""What side processes find out by the rules alone: a computer player's call, the coach's advice.

They know no database, no settings and no token. What is waited for imports little.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from perudo_core import PRESETS, Bid, Call, Observation, Rules
from perudo_core.agents import Character, Level, Memory, bid_chances, create_agent, load_tables
from perudo_core.analysis import WeighedCall, Weighing, weigh
from telegram_bot.confinement import Needed

BEST_CALLS: Final = 3
SILENCE: Final = "silence"


def load_rules() -> Needed:
    """Read every file that the rules and computer players may need: side processes open none after that."""
    for preset in PRESETS:
        Rules.preset(preset)
    load_tables()
    return Needed()


def choose(level: Level, character: Character, observation: Observation, memory: Memory, seed: int) -> bytes:
    """The call of a computer player: by what its seat may see and everybody knows, and by the chance of a seed.

    Returns:
        The call as text; nothing where it is not the seat's turn and it lets the turn pass.
    """
    agent, rng = create_agent(level, character), Random(seed)  # noqa: S311 - a seed repeats it
    decide = agent.choose if observation.seat == observation.turn else agent.interrupt
    call = decide(observation, memory, rng)
    return b"" if call is None else str(call).encode()


def advise(observation: Observation, memory: Memory, seed: int) -> bytes:
    """The coach's advice on a decision, as JSON of an `Advice`: by what its seat may know, and the chance of a seed."""
    weighing = weigh(observation, memory, Random(seed))  # noqa: S311 - a seed repeats it
    standing = observation.current_bid
    advice = {
        "calls": [_advice(each) for each in weighing.calls[:BEST_CALLS]],
        "standing": None if standing is None else _standing(observation, memory, standing),
    }
    return json.dumps(advice).encode()


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


def judge(decisions: Sequence[tuple[Observation, Memory, Call, int]]) -> bytes:
    """The judgements on a round's decisions, as JSON of `JudgedDecision`s: by what each seat could know then."""
    return json.dumps([_judgement(*each) for each in decisions]).encode()


def _judgement(observation: Observation, memory: Memory, call: Call, seed: int) -> dict[str, Any]:
    weighing = weigh(observation, memory, Random(seed), chosen=call)  # noqa: S311 - a seed repeats it
    lost = round(10 * weighing.lost(call))
    best = weighing.best.call
    better = None if not lost else SILENCE if best is None else str(best)
    return {"seat": call.seat, "call": str(call), "lost": lost, "better": better, "lead": _lead(weighing)}


def _lead(weighing: Weighing) -> int:
    """By how much the best call is worth more than any other."""
    first, *others = weighing.calls
    return round(1000 * (first.worth - others[0].worth)) if others else 0
