"""A value of every public class, for tests that copy them; `python -m tests.perudo_core.builds` pickles them all."""

import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import perudo_core as pc
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
    return {type(value).__name__: value for value in _values()}


def _values() -> Iterator[Any]:
    rules = pc.Rules.preset("azteca").with_options(starting_dice=1, lost_dice="visible")
    dice = pc.FairDice(bytes(32), rules, "a table", salt_from_stirs(["llama"]))
    yield from (pc.Rules.options()["calza"], pc.Subject.DUDO, pc.Rulebook.preset("aces"))
    yield from (rules, dice, pc.Phase.BIDDING, rules.plain_raise, rules.ones_rank, rules.calza_by, rules.lost_dice)
    yield rules.opener
    start = pc.new_game(rules, ["Ana", "Bo"])
    yield from (pc.OpenerDraw(1), pc.OpeningRoll(((5,), (4,))), pc.Calza(1), pc.Concede(1), pc.Leave(1))
    yield from (pc.PerudoError("a"), pc.RulesError("a"), pc.StateError("a"), pc.NotationError("a", 2))
    yield from (pc.RecordError("a", 1, 2), pc.Reason.BID_TOO_LOW)
    yield pc.IllegalActionError(pc.Reason.BID_TOO_LOW, pc.Bid(0, 1, 2), pc.Bid(0, 1, 3))
    state = start
    actions: list[pc.Action] = []
    events: list[pc.Event] = []
    while not state.is_terminal:
        action = dice.roll(state) if state.is_chance else pc.legal_calls(state)[-1 if state.bids else 0]
        yield from (state, action, transition := pc.apply(state, action), *transition.events)
        actions.append(action)
        events.extend(transition.events)
        state = transition.state
    yield state.outcome
    for ending in (pc.Concede(1), pc.Leave(0), pc.Calza(1)):
        yield from pc.apply(pc.set_up(pc.Rules(calza=True), ((2, 2), (3, 4)), [pc.Bid(0, 2, 2)]), ending).events
    again = pc.set_up(pc.Rules(reroll_after_bid=True), ((2, 2), (3, 4)), [pc.Bid(0, 2, 2)])
    reroll = pc.sample_reroll(again, 0, (2,), Random(1))
    yield from (reroll, *pc.apply(again, reroll).events)
    middle = pc.set_up(pc.Rules(), ((2, 2), (3, 4)), [pc.Bid(0, 1, 2)])
    view, memory = pc.observe(middle, 1), new_memory(pc.Rules(), 2)
    yield from (view, view.legal_calls, pc.ActionEncoding(pc.Rules(), 2), pc.bid_odds(view, pc.Bid(0, 1, 2)))
    recorder = pc.Recorder(start)
    for each in actions:
        recorder.apply(each)
    record = recorder.record()
    yield from (recorder, record, *record.rounds, *pc.replay_steps(record), pc.replay(record))
    text = pc.GameText.of(record)
    fair = pc.FairRecord.of(dice, ["Ana", "Bo"], actions)
    yield from (text, *text.rounds, fair, fair.verify(), pc.ComputerCall(1, 1, "novice"))
    remembered = remember_all(new_memory(rules, 2), events)
    yield from (remembered, *remembered.habits, *remembered.rounds, bid_chances(view, memory, pc.Bid(0, 1, 2)))
    yield from (Level.EXPERT, Character.BOLD, agent := create_agent("expert", "bold"), agent.temperament)
    arena = play(["novice", "regular"], rules, games=2)
    yield from (arena, *arena.players)
    game, weighing = analyse(record), weigh(view, memory, Random(1))
    yield from (game, *game.rounds, *game.players, *game.decisions, highlights(game))
    yield from (weighing, weighing.method, *weighing.calls)


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(values()))
