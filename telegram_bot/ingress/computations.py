"""Computations of side processes: a computer player's call, the judgement of a round.

They use the rules only: no database, no settings, no token. The module imports little, because starting it takes time.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from perudo_core import PRESETS, Bid, Call, Observation, Rules
from perudo_core.agents import Character, Level, Memory, bid_chances, create_agent, load_tables
from perudo_core.analysis import weigh
from telegram_bot.confinement import Needed

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


def standing_bid(observation: Observation, memory: Memory) -> dict[str, Any] | None:
    """The bid to beat, and the chance by the dice alone that it is true."""
    bid = observation.current_bid
    if bid is None:
        return None
    return {
        "call": str(bid),
        **shown_chance(bid_chances(observation, memory, bid)[0], is_proven_true(observation, bid)),
    }


def held_for(observation: Observation, bid: Bid) -> int:
    """Count the player's own dice that count for a bid."""
    faces = {bid.face, 1} if observation.ones_are_wild else {bid.face}
    return sum(die in faces for die in observation.dice)


def is_proven_true(observation: Observation, bid: Bid) -> bool | None:
    """Whether a bid is true, if the player's own dice and the number of the others' prove it."""
    held, total = held_for(observation, bid), observation.total_dice
    if held >= bid.quantity:
        return True
    return False if total is not None and held + total - len(observation.dice) < bid.quantity else None


def shown_chance(chance: float, proof: bool | None) -> dict[str, Any]:
    """A chance for readers, as a percentage: 0 and 100 only if proven, else 5 to 95."""
    if proof is not None:
        return {"right": 100 if proof else 0, "proven": True}
    return {"right": min(max(percent(chance), 5), 95), "proven": False}


def percent(chance: float) -> int:
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
        "right": percent(weighing.of(call).after_calls),
        "better_right": percent(weighing.best.after_calls),
        "standing": standing_bid(observation, memory),
    }
