"""The computation of a computer player's call in a side process.

It uses the rules only: no database, no settings, no token. The module imports little, because starting it takes time.
"""

from random import Random

from perudo_core import PRESETS, Observation, Rules
from perudo_core.agents import Character, Level, Memory, create_agent, load_tables
from telegram_bot.confinement import Needed


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
