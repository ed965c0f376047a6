"""The game record and stored games: written, replayed, refused with their place, and read for ever."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

import perudo_core as pc
from perudo_core import _replay
from tests.perudo_core.test_fair_record import NAMES
from tests.perudo_core.test_fair_record import game as fair_game

FILES = Path(str(files("perudo_conformance"))) / "data" / "records"
DICE, CALLS = [[1, 2, 2, 5, 6], [3, 3, 4, 4, 1], [2, 6, 6, 5, 5]], [[0, "4x2"], [1, "5x2"], [2, "dudo"]]
ROUND: dict[str, Any] = {"dice": DICE, "calls": CALLS}
EXAMPLE: dict[str, Any] = {
    "schema": "perudo-record/1",
    "rules": {"preset": "box_2009", "calza": True},
    "seats": ["Ana", "Bo", "Cy"],
    "opener": 0,
    "rounds": [ROUND],
}
PLACEMENTS = {
    "schema_1_box_2009": (3, 1, 2),
    "schema_1_italian_box": (1, 4, 3, 2),
    "schema_1_aces": (3, 1, 2),
    "schema_1_azteca": (1, 2, 4, 3),
    "schema_1_french_guide": (1, 3, 2),
    "schema_2_box_2009": (1, 5, 4, 3, 2),
}
SECOND = "perudo-record/2"


def changed(**changes: Any) -> dict[str, Any]:
    return {**EXAMPLE, **changes}


def with_calls(*calls: list[Any], dice: Any = ROUND["dice"], schema: str = "perudo-record/1") -> dict[str, Any]:
    return changed(schema=schema, rounds=[{"dice": dice, "calls": list(calls)}])


def test_the_example() -> None:
    record = pc.Record.from_dict(EXAMPLE)
    assert record.rules == pc.Rules().with_options(calza=True)
    assert record.rounds[0].actions == (pc.Bid(0, 4, 2), pc.Bid(1, 5, 2), pc.Dudo(2))
    game = pc.replay(record)
    assert game.start.phase is pc.Phase.ROLLING
    assert [step.call for step in game] == [None, 1, 2, 3]
    assert {step.round for step in game} == {1}
    assert game.final.dice_counts == (5, 5, 4)
    assert pc.Record.from_json(record.to_json()) == record
    assert record.to_dict() == EXAMPLE | {"rules": pc.Rules(calza=True).to_dict()}, "every option is written"
    second = pc.Record.from_dict(changed(schema=SECOND))
    assert pc.replay(second).final == game.final, "schema 2 reads what schema 1 says"


def test_a_game_not_begun_is_resumed_and_an_unfinished_last_round_is_a_game_so_far() -> None:
    record = pc.record_of(pc.Rules(), 3, [], opener=2)
    assert (record.opener, record.rounds) == (2, ())
    assert pc.replay(record).final.round == 0
    assert pc.Record.from_json(record.to_json()) == record
    recorder = pc.Recorder.resume(record)
    assert recorder.state == pc.new_game(record.rules, record.seats, opener=record.opener)
    assert recorder.record() == record
    final = pc.replay(pc.Record.from_dict(with_calls([0, "4x2"]))).final
    assert (final.phase, final.turn) == (pc.Phase.BIDDING, 1)


@pytest.mark.parametrize("path", sorted(FILES.glob("*.json")), ids=lambda path: path.stem)
def test_old_files_are_readable_for_ever(path: Path) -> None:
    record = pc.Record.from_json(path.read_text(encoding="utf-8"))
    outcome = pc.replay(record).final.outcome
    assert outcome is not None
    assert outcome.placements == PLACEMENTS[path.stem]
    assert pc.Record.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        ([], "", "the record must be an object"),
        ({}, "", "no game record: it has no schema, such as perudo-record/1"),
        (changed(schema="perudo-record/4"), "", "unknown schema 'perudo-record/4'"),
        (changed(winner=0), "", "the record has an unknown key 'winner'"),
        ({key: value for key, value in EXAMPLE.items() if key != "opener"}, "", "the record lacks 'opener'"),
        (changed(rules="box_2009"), "", "rules must be an object"),
        (changed(rules={"preset": "box_2009", "joker": True}), "", "unknown option 'joker'"),
        (changed(seats="Ana"), "", "seats must be a list"),
        (changed(seats=["Ana", 3, "Cy"]), "", "a seat's name must be a text, not 3"),
        (changed(seats=["Ana", "\ud800", "Cy"]), "", "a seat's name is not a whole text"),
        (changed(seats=["Ana"]), "", "1 seats, where these rules seat 2 to 6"),
        (changed(opener=3), "", "opener must be a whole number from 0 to 2, not 3"),
        (changed(opener=True), "", "opener must be a whole number"),
        (changed(opener=10**5000), "", "opener must be a whole number from 0 to 2, not int"),
        (changed(rounds={}), "", "rounds must be a list"),
        (changed(rounds=[[]]), "round 1: ", "the round must be an object"),
        (changed(rounds=[{"dice": []}]), "round 1: ", "the round lacks 'calls'"),
        (changed(rounds=[{**ROUND, "note": ""}]), "round 1: ", "the round has an unknown key 'note'"),
        (changed(rounds=[{**ROUND, "calls": None}]), "round 1: ", "calls must be a list"),
        (with_calls(dice=[[1], [2]]), "round 1: ", "roll/wrong_seats"),
        (with_calls(dice=[[1], [2], [3]]), "round 1: ", "roll/wrong_length"),
        (with_calls(dice=[[1, 2, 3, 4, 7]]), "round 1: ", r"dice\[0\]\[4\] must be a whole number from 1 to 6, not 7"),
        (with_calls(dice=["123"]), "round 1: ", "must be a list"),
        (with_calls([0, "1x1"]), "round 1, call 1: ", "bid/ones_may_not_open"),
        (with_calls([0, "4x2"], [1, "4x2"]), "round 1, call 2: ", "bid/too_low"),
        (with_calls([0, "4x2"], [2, "5x2"]), "round 1, call 2: ", "call/not_your_turn"),
        (with_calls([0, "dudo"]), "round 1, call 1: ", "call/no_bid"),
        (with_calls([0, "4x2"], [1, "dudo"], [1, "1x2"]), "round 1, call 3: ", "the round is over"),
        (with_calls([3, "4x2"]), "round 1, call 1: ", "seat/unknown"),
        (with_calls([True, "4x2"]), "round 1, call 1: ", "a call's seat must be a whole number"),
        (with_calls([0, "4x2"], [1, "pass"]), "round 1, call 2: ", "unknown call 'pass'"),
        (with_calls([0, "04x2"]), "round 1, call 1: ", "unknown call '04x2'"),
        (with_calls([0, "1" * 5000 + "x2"]), "round 1, call 1: ", "unknown call"),
        (with_calls([0, 42]), "round 1, call 1: ", "a call must be a text, not 42"),
        (with_calls([0]), "round 1, call 1: ", "a call must be a list of 2"),
        (with_calls([0, "4x2"], [1, "leave"]), "round 1, call 2: ", "perudo-record/1 has no 'leave'"),
        (with_calls([0, "forfeit"]), "round 1, call 1: ", "perudo-record/1 has no 'forfeit'"),
        (with_calls([0, "leave"], [1, "dudo"], dice=[], schema=SECOND), "round 1, call 2: ", "no dice are rolled"),
        (with_calls(dice=[], schema=SECOND), "round 1: ", "neither dice nor calls"),
        (with_calls([0, "leave"], [1, "leave"], schema=SECOND), "round 1, call 2: ", "the round is over"),
        *(
            (text, "", "not JSON")
            for text in ("", "{", '{"schema": ' + "9" * 5000 + "}", "x" * 10_000_000, "\ufeff\ufeff{}")
        ),
        *((text * 200_000, "", "not JSON: nested too deeply") for text in ("[", '{"a":')),
        ("NaN", "", "not JSON: NaN is not a number"),
        ('{"schema": -Infinity}', "", "not JSON: -Infinity is not a number"),
        ('{"schema": 1, "schema": 2}', "", "the key 'schema' stands twice in an object"),
    ],
)
def test_a_bad_document_or_text_is_refused_with_its_place(data: Any, place: str, reason: str) -> None:
    with pytest.raises(pc.RecordError, match=reason) as caught:
        pc.replay(pc.Record.from_json(data) if isinstance(data, str) else pc.Record.from_dict(data))
    assert len(str(caught.value)) < 300
    error = caught.value
    assert str(error) == f"{place}{error.reason}"
    assert [number for number in (error.round, error.call) if number] == list(map(int, re.findall(r"\d+", place)))


def test_only_the_last_round_may_be_unfinished_nothing_follows_the_end_and_steps_come_up_to_the_fault() -> None:
    last = {"dice": [[2], [3]], "calls": [[0, "2x2"], [1, "dudo"]]}
    for data, fault in (
        (changed(rounds=[{**ROUND, "calls": ROUND["calls"][:2]}, ROUND]), "the round before is not finished"),
        (changed(rules={"starting_dice": 1}, seats=["Ana", "Bo"], rounds=[last, last]), "the game is over"),
    ):
        with pytest.raises(pc.RecordError, match=f"^round 2: {fault}$"):
            pc.replay(pc.Record.from_dict(data))
    for schema, fault in (
        ("perudo-record/1", "round 1, call 1: perudo-record/1 has no 'leave'"),
        ("chess/1", "unknown schema 'chess/1'"),
    ):
        with pytest.raises(pc.RecordError, match=fault):
            pc.Record(schema, pc.Rules(), ("Ana", "Bo"), 0, (pc.RecordRound((), (pc.Leave(0),)),))
    record = pc.Record.from_dict(with_calls([0, "4x2"], [1, "4x2"]))
    steps = pc.replay_steps(record)
    assert [type(next(steps).action) for _ in range(2)] == [pc.Roll, pc.Bid]
    with pytest.raises(pc.RecordError):
        next(steps)
    with pytest.raises(pc.RecordError, match="round 1, call 2: bid/too_low"):
        pc.Recorder.resume(record)


def test_the_tables_actions_make_it_schema_2_and_several_may_leave_before_anything_is_rolled() -> None:
    actions: list[pc.Action] = [
        *(pc.Leave(3), pc.OpenerDraw(1)),
        *(pc.Roll(((1, 2), (3, 4), (5, 6), ())), pc.Bid(1, 1, 3), pc.Concede(2), pc.Leave(1)),
        *(pc.Roll(((1, 2), (), (5,), ())), pc.Leave(0)),
    ]
    record = pc.record_of(pc.Rules(starting_dice=2), 4, actions)
    assert (record.schema, record.opener) == ("perudo-record/2", 1)
    assert record.to_dict()["rounds"] == [
        {"dice": [], "calls": [[3, "leave"]]},
        {"dice": [[1, 2], [3, 4], [5, 6], []], "calls": [[1, "1x3"], [2, "forfeit"]]},
        {"dice": [], "calls": [[1, "leave"]]},
        {"dice": [[1, 2], [], [5], []], "calls": [[0, "leave"]]},
    ]
    assert pc.replay(pc.Record.from_json(record.to_json())).final.outcome == pc.Outcome(2, (2, 3, 1, 4))
    left = pc.record_of(pc.Rules(), ["Ana", "Bo", "Cy"], [pc.Leave(0), pc.Leave(2)])
    assert (left.opener, left.rounds) == (1, (pc.RecordRound((), (pc.Leave(0), pc.Leave(2))),))
    assert pc.replay(left).final.outcome == pc.Outcome(1, (3, 1, 2))


def test_a_record_of_endless_rounds_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state keeps the bids before it, so the memory of a round would grow with the square of its length."""
    assert _replay.MAX_HELD < 10**8
    monkeypatch.setattr(_replay, "MAX_HELD", 11)
    with pytest.raises(pc.RecordError, match=r"^round 1, call 3: too large to be replayed$"):
        pc.replay(pc.Record.from_dict(EXAMPLE))


def test_a_recorder_follows_the_game_from_its_beginning_or_resumes_it_also_with_fair_dice_unless_it_is_over() -> None:
    recorder = pc.Recorder(pc.new_game(pc.Rules.preset("azteca").with_options(calza=True), 3))
    with pytest.raises(pc.RecordError, match="nobody opens the game yet"):
        recorder.record()
    actions: list[pc.Action] = [pc.OpeningRoll(((2,), (5,), (5,))), pc.OpeningRoll(((), (5,), (6,)))]
    actions += [pc.Roll(((1, 2, 3, 4, 5), (2,) * 5, (3,) * 5)), pc.Bid(2, 7, 3), pc.Calza(1)]
    assert all(map(recorder.apply, actions)), "each has its events"
    record = recorder.record()
    assert (record.schema, record.opener) == ("perudo-record/1", 2)
    assert pc.replay(record).final == recorder.state
    with pytest.raises(pc.RecordError, match="a record begins before the first round"):
        pc.Recorder(pc.set_up(pc.Rules(), ((2,), (3,))))
    with pytest.raises(pc.RecordError, match="the game is over"):
        pc.Recorder.resume(pc.Record.from_dict(json.loads((FILES / "schema_1_aces.json").read_text("utf-8"))))
    dice = pc.FairDice(bytes(32), pc.Rules.preset("azteca").with_options(starting_dice=1), salt="perudo-stirs/3\nllama")
    fair_actions = fair_game(dice)
    so_far = pc.FairRecord.of(dice, NAMES, fair_actions[:-1], reveal=False)
    recorder = pc.Recorder.resume(so_far.record)
    recorder.apply(fair_actions[-1])
    whole = replace(so_far, record=recorder.record(), secret=dice.secret)
    assert whole == pc.FairRecord.of(dice, NAMES, fair_actions)
    assert whole.verify(dice.commitment).rolls


FOLDER = Path(__file__).with_name("stored_games")
FROZEN = {"1.0": "8db74bc35638ae96"}
GAMES: dict[str, list[dict[str, Any]]] = {
    version: json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))["games"] for version in FROZEN
}
"""1.0: the states and the actions that the bot stored; it stored no event."""
EACH_GAME = [
    pytest.param(game, id=f"{version} {game['start']['rules']['preset']}")
    for version, games in GAMES.items()
    for game in games
]


@pytest.mark.parametrize("version", FROZEN)
def test_the_stored_games_are_frozen_and_hold_every_preset_phase_and_action(version: str) -> None:
    """A new version's games are a new file; the bytes of an old file never change."""
    assert sha256((FOLDER / f"{version}.json").read_bytes()).hexdigest()[:16] == FROZEN[version]
    steps = [step for game in GAMES[version] for step in game["steps"]]
    states = [game["start"] for game in GAMES[version]] + [step["state"] for step in steps if "state" in step]
    every = {(preset, phase.value) for preset in pc.PRESETS for phase in pc.Phase}
    assert {(state["rules"]["preset"], state["phase"]) for state in states} == every
    assert any(state["palifico"] is not None and state["bids"] for state in states)
    assert any(0 < len(state["contenders"]) < len(state["seats"]) for state in states)
    assert {type(pc.load_action(step["action"])) for step in steps} == set(get_args(pc.Action)) - {pc.Reroll}


def with_nothing_shown(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state of 1.0 as 2.0 writes it."""
    return state | {"schema": "perudo-state/2", "shown": []}


@pytest.mark.parametrize("game", EACH_GAME)
def test_a_stored_game_loads_as_the_game_that_it_was_and_is_stored_again(game: dict[str, Any]) -> None:
    state = pc.new_game(pc.Rules.from_dict(game["start"]["rules"]), game["start"]["seats"])
    assert pc.load_state(game["start"]) == state
    assert pc.dump_state(state) == with_nothing_shown(game["start"])
    for step in game["steps"]:
        action = pc.load_action(step["action"])
        assert pc.dump_action(action) == step["action"]
        state = pc.apply(state, action).state
        if "state" in step:
            assert pc.load_state(step["state"]) == state
            assert pc.dump_state(state) == with_nothing_shown(step["state"])
    assert state.is_terminal


def test_fair_dice_of_each_version_are_verified_for_ever_and_a_later_schema_is_refused_by_its_name() -> None:
    """One game was played by a rulebook that is not registered here."""
    data = (FOLDER / "fair_2.json").read_bytes()
    assert sha256(data).hexdigest()[:16] == "05b0a88a037c8986"
    for game in json.loads(data):
        record = pc.FairRecord.from_json(game["document"])
        assert record.to_json() == game["document"]
        assert pc.FairRecord.from_dict(record.to_dict()) == record
        if game["verified"]:
            assert list(record.verify(record.commitment)) == game["verified"]
        else:
            assert record.secret is None
    with pytest.raises(pc.StateError, match="state has the unknown schema 'perudo-state/99', not perudo-state/2"):
        pc.load_state(GAMES["1.0"][0]["start"] | {"schema": "perudo-state/99"})
    with pytest.raises(pc.StateError, match=r"state has the unknown schema \[\]"):
        pc.load_state(GAMES["1.0"][0]["start"] | {"schema": []})
