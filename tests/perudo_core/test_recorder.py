"""The recorder: from the first roll, resumed from a record, with fair dice."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_conformance import data
from tests.perudo_core.test_properties import RULES, SEATS, SEED, play


def test_a_recorder_follows_the_game() -> None:
    recorder = pc.Recorder(pc.new_game(pc.Rules.preset("azteca").with_options(calza=True), 3))
    with pytest.raises(pc.RecordError, match="nobody opens the game yet"):
        recorder.record()
    recorder.apply(pc.OpeningRoll(((2,), (5,), (5,))))
    recorder.apply(pc.OpeningRoll(((), (5,), (6,))))
    recorder.apply(pc.Roll(((1, 2, 3, 4, 5), (2, 2, 2, 2, 2), (3, 3, 3, 3, 3))))
    recorder.apply(pc.Bid(2, 7, 3))
    events = recorder.apply(pc.Calza(1))
    assert events
    record = recorder.record()
    assert (record.schema, record.opener) == ("perudo-record/1", 2)
    assert pc.replay(record).final == recorder.state


def test_a_recorder_begins_with_a_new_game_and_resumes_none_that_is_over() -> None:
    with pytest.raises(pc.RecordError, match="a record begins before the first round"):
        pc.Recorder(pc.set_up(pc.Rules(), ((2,), (3,))))
    with pytest.raises(pc.RecordError, match="the game is over"):
        pc.Recorder.resume(pc.Record.from_dict(data("records/schema_1_aces.json")))


@settings(max_examples=40)
@given(RULES, SEATS, SEED, st.booleans(), st.integers(0, 10_000))
def test_a_resumed_recorder_records_the_whole_game(
    rules: pc.Rules, seats: int, seed: int, table: bool, interrupted: int
) -> None:
    actions = [played.action for played in play(rules, seats, seed, table=table)]
    first, whole = pc.Recorder(pc.new_game(rules, seats)), pc.record_of(rules, seats, actions)
    for action in actions[: interrupted % len(actions)]:
        first.apply(action)
    assume(not first.state.is_terminal)
    if first.state.round:
        resumed = pc.Recorder.resume(pc.Record.from_json(first.record().to_json()))
    else:
        resumed = pc.Recorder(pc.load_state(pc.dump_state(first.state)))
    assert resumed.state == first.state
    for action in actions[interrupted % len(actions) :]:
        resumed.apply(action)
    assert resumed.record() == whole


def test_a_game_with_fair_dice_is_resumed_and_verified() -> None:
    rules = pc.Rules.preset("azteca").with_options(starting_dice=1)
    dice = pc.FairDice(bytes(32), rules, salt="perudo-stirs/3\nllama")
    state, actions = pc.new_game(rules, ["Ana", "Bo"]), list[pc.Action]()
    while not state.is_terminal:
        action: pc.Action = dice.roll(state) if state.is_chance else pc.legal_calls(state)[-1]
        actions.append(action)
        state = pc.apply(state, action).state
    so_far = pc.FairRecord.of(dice, ["Ana", "Bo"], actions[:-1], reveal=False)
    recorder = pc.Recorder.resume(so_far.record)
    recorder.apply(actions[-1])
    whole = replace(so_far, record=recorder.record(), secret=dice.secret)
    assert whole == pc.FairRecord.of(dice, ["Ana", "Bo"], actions)
    assert whole.verify(dice.commitment).rolls


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_a_recorder_takes_an_opener(preset: str) -> None:
    record = pc.record_of(pc.Rules.preset(preset), 3, [], opener=2)
    assert (record.opener, record.rounds) == (2, ())
