"""The recorder: from the first roll, resumed from a record, with fair dice."""

import random
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perudo_core import (
    PRESETS,
    Action,
    Bid,
    Calza,
    FairDice,
    FairRecord,
    OpeningRoll,
    Record,
    Recorder,
    RecordError,
    Roll,
    Rules,
    apply,
    dump_state,
    legal_calls,
    load_state,
    new_game,
    record_of,
    replay,
    sample_roll,
)
from tests.perudo_core.test_properties import RULES, SEATS, SEED, play

FILES = Path(str(files("perudo_conformance"))) / "data" / "records"


def test_a_recorder_follows_the_game() -> None:
    recorder = Recorder(new_game(Rules.preset("azteca").with_options(calza=True), 3))
    with pytest.raises(RecordError, match="nobody opens the game yet"):
        recorder.record()
    recorder.apply(OpeningRoll(((2,), (5,), (5,))))
    recorder.apply(OpeningRoll(((), (5,), (6,))))
    recorder.apply(Roll(((1, 2, 3, 4, 5), (2, 2, 2, 2, 2), (3, 3, 3, 3, 3))))
    recorder.apply(Bid(2, 7, 3))
    events = recorder.apply(Calza(1))
    assert events
    record = recorder.record()
    assert (record.schema, record.opener) == ("perudo-record/1", 2)
    assert replay(record).final == recorder.state


def test_a_recorder_begins_with_a_new_game() -> None:
    state = apply(new_game(Rules(), 2, opener=0), sample_roll(new_game(Rules(), 2, opener=0), random.Random(1))).state
    with pytest.raises(RecordError, match="a record begins before the first round"):
        Recorder(state)


@settings(max_examples=60)
@given(RULES, SEATS, SEED, st.booleans(), st.integers(0, 10_000))
def test_a_resumed_recorder_records_the_whole_game(
    rules: Rules, seats: int, seed: int, table: bool, interrupted: int
) -> None:
    actions = [played.action for played in play(rules, seats, seed, table=table)]
    first, whole = Recorder(new_game(rules, seats)), record_of(rules, seats, actions)
    for action in actions[: interrupted % len(actions)]:
        first.apply(action)
    assume(not first.state.is_terminal)
    if first.state.round:
        resumed = Recorder.resume(Record.from_json(first.record().to_json()))
    else:
        resumed = Recorder(load_state(dump_state(first.state)))
    assert resumed.state == first.state
    for action in actions[interrupted % len(actions) :]:
        resumed.apply(action)
    assert resumed.record() == whole


def test_a_game_that_is_over_is_not_resumed() -> None:
    with pytest.raises(RecordError, match="the game is over"):
        Recorder.resume(Record.from_json((FILES / "schema_1_aces.json").read_text(encoding="utf-8")))


def test_a_game_with_fair_dice_is_resumed_and_verified() -> None:
    rules = Rules.preset("azteca").with_options(starting_dice=1)
    dice = FairDice(bytes(32), rules, salt="perudo-stirs/3\nllama")
    state, actions = new_game(rules, ["Ana", "Bo"]), list[Action]()
    while not state.is_terminal:
        action: Action = dice.roll(state) if state.is_chance else legal_calls(state)[-1]
        actions.append(action)
        state = apply(state, action).state
    so_far = FairRecord.of(dice, ["Ana", "Bo"], actions[:-1], reveal=False)
    recorder = Recorder.resume(so_far.record)
    recorder.apply(actions[-1])
    whole = replace(so_far, record=recorder.record(), secret=dice.secret)
    assert whole == FairRecord.of(dice, ["Ana", "Bo"], actions)
    assert whole.verify(dice.commitment).rolls


@pytest.mark.parametrize("preset", PRESETS)
def test_a_recorder_takes_an_opener(preset: str) -> None:
    record = record_of(Rules.preset(preset), 3, [], opener=2)
    assert (record.opener, record.rounds) == (2, ())
