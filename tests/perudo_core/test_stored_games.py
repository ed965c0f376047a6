"""Data stored by any version loads for ever, as the same state, action or event."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import pytest

import perudo_core as pc

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
    assert {(state["rules"]["preset"], state["phase"]) for state in states} == {
        (preset, phase.value) for preset in pc.PRESETS for phase in pc.Phase
    }
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


def test_fair_dice_of_each_version_are_verified_for_ever() -> None:
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


def test_a_schema_of_a_later_version_is_refused_by_its_name() -> None:
    with pytest.raises(pc.StateError, match="state has the unknown schema 'perudo-state/99', not perudo-state/2"):
        pc.load_state(GAMES["1.0"][0]["start"] | {"schema": "perudo-state/99"})
    with pytest.raises(pc.StateError, match=r"state has the unknown schema \[\]"):
        pc.load_state(GAMES["1.0"][0]["start"] | {"schema": []})
