"""Whole games and refusals: the engine plays the data files, and each state is compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from perudo_conformance._checked_engine import CheckedEngine, call_text
from perudo_conformance._core_engine import CoreEngine, facts_of
from perudo_conformance._data_files import cases, data
from perudo_conformance._differences import STATE_BEFORE
from perudo_core._codec import dump_action, load_action
from perudo_core._record import Record
from perudo_core._rules import Rules
from perudo_core._state import State, new_game

__all__ = ["HOUSES", "LEGAL_CALLS", "action_text", "actions_of", "check_games", "check_refusals"]

HOUSES: Final = ("houses.json", *(f"houses_{number}.json" for number in range(2, 7)))
LEGAL_CALLS: Final = ("legal_calls.json", *(f"legal_calls_{number}.json" for number in range(2, 6)))


def check_games(engine: CheckedEngine, presets: Collection[str]) -> int:
    """Check all steps of the playthroughs and of the games by house rules; return their number."""
    legal = {case["game"]: case["steps"] for file in LEGAL_CALLS for case in data(file)["cases"]}
    steps = 0
    for case in cases("playthroughs.json", presets):
        name = case["record"]
        steps += _check_game(engine, case, data(name), legal[name], f"playthroughs.json: {name}")
    for file in HOUSES:
        for case in cases(file, presets):
            name = case["name"]
            steps += _check_game(engine, case, case["record"], legal[name], f"{file}: {name}")
    return steps


def check_refusals(engine: CheckedEngine, presets: Collection[str]) -> int:
    """Check all cases of the refusals; return their number."""
    refusals = [(file, case) for file in ("refusals.json", "refusals_2.json") for case in cases(file, presets)]
    for file, case in refusals:
        _check_refusal(engine, case, file)
    return len(refusals)


def actions_of(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the actions of a record, as JSON values."""
    for entry in record.rounds:
        if entry.dice:
            yield {"type": "roll", "dice": [list(hand) for hand in entry.dice]}
        yield from map(dump_action, entry.actions)


def action_text(action: Mapping[str, Any]) -> str:
    """Return an action in words, as in `A 5x2`, `C calza` or `roll`."""
    return "roll" if action["type"] == "roll" else call_text(action["seat"], str(load_action(action)))


def _check_game(
    engine: CheckedEngine, case: dict[str, Any], written: dict[str, Any], legal: list[Any], game: str
) -> int:
    record = Record.from_dict(written)
    state = engine.new_game(f"{game}: new game", case["rules"], len(record.seats), record.opener)
    facts, calls = facts_of(_start(case, record)), list[str]()
    engine.expect_state(f"{game}: new game", state, facts, calls)
    steps = list(actions_of(record))
    for number, (action, step, words) in enumerate(zip(steps, case["steps"], legal, strict=True), 1):
        place = f"{game}: step {number}, {action_text(action)}"
        following = engine.apply(place, state, action)
        following_calls = list(_calls(words))
        engine.expect_state(place, following, step["facts"], following_calls)
        engine.expect_state(f"{place}: {STATE_BEFORE}", state, facts, calls)
        state, facts, calls = following, step["facts"], following_calls
    return len(steps)


def _check_refusal(engine: CheckedEngine, case: dict[str, Any], file: str) -> None:
    record = Record.from_dict({**case["record"], "rules": case["rules"]})
    *before, refused = actions_of(record)
    game = f"{file}: {case['name']}"
    state = engine.new_game(f"{game}: new game", case["rules"], len(record.seats), record.opener)
    reference, known = CoreEngine(), _start(case, record)
    for number, action in enumerate(before, 1):
        state = engine.apply(f"{game}: step {number}, {action_text(action)}", state, action)
        known = reference.apply(known, action)
    place = f"{game}: step {len(before) + 1}, {action_text(refused)}"
    engine.expect_refusal(place, state, refused, case["reason"])
    calls = [call_text(call["seat"], str(load_action(call))) for call in reference.legal_calls(known)]
    engine.expect_state(f"{place}: {STATE_BEFORE}", state, facts_of(known), calls)


def _start(case: dict[str, Any], record: Record) -> State:
    return new_game(Rules.from_dict(case["rules"]), len(record.seats), opener=record.opener)


def _calls(words: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Return the calls that a step of `legal_calls.json` lists seat by seat."""
    return (call_text(seat, word) for seat, line in words for word in line.split())
