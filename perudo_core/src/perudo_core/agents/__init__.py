"""Computer players: they decide by the knowledge of their seat, and never see a `State`.

>>> from random import Random
>>> from perudo_core import Bid, BidMade, Rules, observe, set_up
>>> agent = create_agent("regular")
>>> state = set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)])
>>> memory = new_memory(state.rules, 2)
>>> str(agent.choose(observe(state, 1), remember(memory, BidMade(Bid(0, 5, 2))), Random(1)))
'dudo'

A level is an agent's strength, a character its style: see `Level` and `Character`. Feed `remember` every public event
of the game. All seats may share one memory, because it contains only public facts.
"""

from perudo_core._public_names import publish
from perudo_core.agents._forecasts import BidChances, bid_chances
from perudo_core.agents._headup import load_tables
from perudo_core.agents._memory import (
    Habits,
    Memory,
    PastRound,
    dump_memory,
    load_memory,
    new_memory,
    remember,
    remember_all,
)
from perudo_core.agents._registry import Agent, Level, LevelAgent, create_agent
from perudo_core.agents._temperament import TEMPERAMENTS, Character, Temperament

__all__ = [
    "TEMPERAMENTS", "Agent", "BidChances", "Character", "Habits", "Level", "LevelAgent", "Memory", "PastRound",
    "Temperament", "bid_chances", "create_agent", "dump_memory", "load_memory", "load_tables", "new_memory",
    "remember", "remember_all",
]  # fmt: skip

publish(globals())
