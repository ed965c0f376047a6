"""A value of every public class, for tests that copy them; `python -m tests.perudo_core.builds` pickles them all."""

import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from perudo_core import (
    Action,
    ActionEncoding,
    Bid,
    Calza,
    ComputerCall,
    Concede,
    Event,
    FairDice,
    FairRecord,
    GameText,
    IllegalActionError,
    Leave,
    NotationError,
    OpenerDraw,
    OpeningRoll,
    PerudoError,
    Phase,
    PlainRaise,
    Reason,
    Recorder,
    RecordError,
    Rulebook,
    Rules,
    RulesError,
    StateError,
    Subject,
    apply,
    bid_odds,
    legal_calls,
    new_game,
    observe,
    replay,
    replay_steps,
    sample_reroll,
    set_up,
)
from perudo_core.agents import Character, Level, bid_chances, create_agent, new_memory, remember_all
from perudo_core.agents.arena import play
from perudo_core.analysis import analyse, highlights, weigh
from perudo_core.stirs import salt_from_stirs

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "perudo_core" if (ROOT / "perudo_core/pyproject.toml").exists() else ROOT
"""The folder of the README, the examples and `pyproject.toml`: in an sdist the root itself."""

SOURCES_FIRST = """
import runpy, sys
from importlib.machinery import *

sources, compiled = (SourceFileLoader, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES)
sys.path_hooks.insert(0, FileFinder.path_hook(sources, compiled))
sys.path_importer_cache.clear()
runpy.run_module({module!r}, run_name="__main__")
"""
"""Runs a module with the sources, which are next to the compiled files."""


@cache
def values() -> dict[str, Any]:
    """A value of each public class, by the name of the class."""
    return {type(value).__name__: value for value in _values()}


def _values() -> Iterator[Any]:
    rules = Rules.preset("azteca").with_options(starting_dice=1, lost_dice="visible")
    dice = FairDice(bytes(32), rules, "a table", salt_from_stirs(["llama"]))
    yield from (Rules.options()["calza"], Subject.DUDO, Rulebook.preset("aces"))
    yield from (rules, dice, Phase.BIDDING, PlainRaise.ANY_HIGHER, rules.calza_by, rules.lost_dice, rules.opener)
    start = new_game(rules, ["Ana", "Bo"])
    yield from (OpenerDraw(1), OpeningRoll(((5,), (4,))), Calza(1), Concede(1), Leave(1), Reason.BID_TOO_LOW)
    yield from (PerudoError("a"), RulesError("a"), StateError("a"), NotationError("a", 2), RecordError("a", 1, 2))
    yield IllegalActionError(Reason.BID_TOO_LOW, Bid(0, 1, 2), Bid(0, 1, 3))
    state = start
    actions: list[Action] = []
    events: list[Event] = []
    while not state.is_terminal:
        action = dice.roll(state) if state.is_chance else legal_calls(state)[-1 if state.bids else 0]
        yield from (state, action, transition := apply(state, action), *transition.events)
        actions.append(action)
        events.extend(transition.events)
        state = transition.state
    yield state.outcome
    for ending in (Concede(1), Leave(0), Calza(1)):
        yield from apply(set_up(Rules(calza=True), ((2, 2), (3, 4)), [Bid(0, 2, 2)]), ending).events
    again = set_up(Rules(reroll_after_bid=True), ((2, 2), (3, 4)), [Bid(0, 2, 2)])
    reroll = sample_reroll(again, 0, (2,), Random(1))
    yield from (reroll, *apply(again, reroll).events)
    middle = set_up(Rules(), ((2, 2), (3, 4)), [Bid(0, 1, 2)])
    view, memory = observe(middle, 1), new_memory(Rules(), 2)
    yield from (view, view.legal_calls, ActionEncoding(Rules(), 2), bid_odds(view, Bid(0, 1, 2)))
    recorder = Recorder(start)
    for each in actions:
        recorder.apply(each)
    record = recorder.record()
    yield from (recorder, record, *record.rounds, *replay_steps(record), replay(record))
    text = GameText.of(record)
    fair = FairRecord.of(dice, ["Ana", "Bo"], actions)
    yield from (text, *text.rounds, fair, fair.verify(), ComputerCall(1, 1, "novice"))
    remembered = remember_all(new_memory(rules, 2), events)
    yield from (remembered, *remembered.habits, *remembered.rounds, bid_chances(view, memory, Bid(0, 1, 2)))
    yield from (Level.EXPERT, Character.BOLD, agent := create_agent("expert", "bold"), agent.temperament)
    arena = play(["novice", "regular"], rules, games=2)
    yield from (arena, *arena.players)
    game, weighing = analyse(record), weigh(view, memory, Random(1))
    yield from (
        game,
        *game.rounds,
        *game.players,
        *game.decisions,
        highlights(game),
        weighing,
        weighing.method,
        *weighing.calls,
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(values()))
