"""The game in OpenSpiel: OpenSpiel's own simulation tests, and what each node offers and tells."""

import pickle
import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.tests import games_sim_test

import perudo_core.openspiel
from perudo_core import PRESETS, RulesError, hand_outcomes

MODES = ["rounds=1", "rounds=0,opener=-1", "rounds=3,opener=-1,options=calza:true out_of_turn_dudo:true"]


def load(parameters: str) -> Any:
    return pyspiel.load_game(f"python_perudo({parameters})")


def start(parameters: str, *hands: str) -> Any:
    """After these sorted hands."""
    state = load(f"{parameters},dice={len(hands[0])}").new_initial_state()
    for hand in hands:
        faces = [known for known, _ in hand_outcomes(len(hand))]
        state.apply_action(faces.index(tuple(map(int, hand))))
    return state


def say(state: Any, calls: str) -> None:
    for text in calls.split():
        state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action) == text))


def random_states(game: Any, seed: int) -> Any:
    rng, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal():
        yield state
        actions = state.legal_actions()
        is_late = state.current_player() >= 0 and rng.random() < 0.4
        low = actions[:5] if state.current_player() >= 0 else actions
        state.apply_action(actions[-1] if is_late else rng.choice(low))
    yield state


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("preset", "seats"), [*zip(PRESETS, (2, 3, 4, 2, 3), strict=True)])
def test_openspiels_own_simulations_pass(preset: str, seats: int) -> None:
    for mode in MODES:
        game = load(f"preset={preset},players={seats},{mode}")
        pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
        games_sim_test.GamesSimTest("test_breakthrough").sim_game(game)


@pytest.mark.parametrize("mode", MODES)
def test_chance_has_probabilities_and_states_can_be_copied_and_stored(mode: str) -> None:
    game = load(f"preset=azteca,players=3,dice=2,{mode}")
    for state in random_states(game, 1):
        if state.is_chance_node():
            assert sum(probability for _, probability in state.chance_outcomes()) == pytest.approx(1)
            assert len(set(map(state.action_to_string, state.legal_actions()))) == len(state.legal_actions())
            assert len(state.chance_outcomes()) <= game.max_chance_outcomes()
        for other in (state.clone(), game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))):  # noqa: S301 - our own
            assert str(other) == str(state)
            assert other.legal_actions() == state.legal_actions()
        assert state.is_terminal() or state.returns() == [0, 0, 0]
    assert game.max_chance_nodes_in_history() >= sum(step.player == -1 for step in state.full_history())
    assert len(state.history()) <= game.max_game_length() + game.max_chance_nodes_in_history()
    assert sum(state.returns()) == pytest.approx(0)


def test_a_round_as_a_player_knows_it_what_three_share_and_the_winner_takes_and_the_opener_that_is_drawn() -> None:
    state = start("preset=azteca", "26", "13")
    say(state, "1x6 1x1")
    known = "seat=0 phase=bidding dice=26 counts=2,2 opener=0 palifico=- bids=1x6,1x1"
    assert state.information_state_string(0) == known
    assert state.observation_string(1) == "seat=1 phase=bidding dice=13 counts=2,2 opener=0 palifico=- bids=1x1"
    assert str(state) == "dice=26,13 counts=2,2 opener=0 bids=1x6,1x1 to_move=0"
    say(state, "dudo")
    assert state.is_terminal()
    assert state.returns() == [-1, 1]
    assert str(state) == "dice=26,13 opener=0 calls=1x6,1x1,0:dudo | dice=-,- counts=1,2 opener=0 bids=- to_move=None"
    state = start("players=3", "2", "3", "4")
    say(state, "1x6 dudo")
    assert state.returns() == [-1, 0.5, 0.5]
    state = start("players=3,rounds=0", "2", "3", "4")
    say(state, "1x6 dudo")
    assert [state.current_player(), state.action_to_string(2)] == [pyspiel.PlayerId.CHANCE, "seat 1 rolls 3"]
    state.apply_action(2)
    state.apply_action(3)
    assert str(state).endswith("| dice=-,3,4 counts=0,1,1 opener=1 bids=- to_move=1")
    say(state, "1x4 dudo")
    assert state.returns() == [-0.5, 1, -0.5]
    state = load("players=3,opener=-1").new_initial_state()
    assert state.chance_outcomes() == [(seat, 1 / 3) for seat in range(3)]
    assert state.action_to_string(2) == "seat 2 opens"
    state.apply_action(2)
    assert "opener=2" in state.information_state_string(0)


def test_who_may_interrupt_is_asked_nearest_to_the_bidders_left_first() -> None:
    state = start("players=4,opener=1,options=calza:true calza_by:bystanders out_of_turn_dudo:true", "2", "3", "4", "5")
    say(state, "1x3")
    asked = []
    while len(state.legal_actions()) == 3:
        asked.append((state.current_player(), [state.action_to_string(action) for action in state.legal_actions()]))
        assert f"asked={state.current_player()}" in state.information_state_string(2)
        say(state, "pass")
    assert asked == [(3, ["dudo", "calza", "pass"]), (0, ["dudo", "calza", "pass"])]
    assert state.current_player() == 2
    assert "calza" not in [state.action_to_string(action) for action in state.legal_actions()]
    say(state, "2x3 dudo")
    assert state.returns() == pytest.approx([1 / 3, 1 / 3, -1, 1 / 3])


@pytest.mark.usefixtures("untraced")
def test_equal_information_means_equal_calls_and_hidden_dice_do_not_show() -> None:
    legal: dict[str, list[int]] = {}
    game = load("preset=aces,players=3,dice=2,rounds=0,opener=-1")
    for seed in range(20):
        for state in random_states(game, seed):
            player = state.current_player()
            if player < 0:
                continue
            key = state.information_state_string(player)
            assert legal.setdefault(key, state.legal_actions()) == state.legal_actions()
            other = state.resample_from_infostate(player, random.Random(seed).random)
            assert other.information_state_string(player) == key
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.history()[:-1] or other.history() == state.history()


def test_resampling_draws_every_hidden_hand_evenly() -> None:
    state = start("players=2", "2", "3")
    say(state, "1x2")
    rng = random.Random(1)
    drawn = [state.resample_from_infostate(1, rng.random).position.state.dice for _ in range(600)]
    assert {dice[1] for dice in drawn} == {(3,)}
    assert np.bincount([dice[0][0] for dice in drawn]).tolist()[1:] == pytest.approx([100] * 6, abs=30)
    last = state.resample_from_infostate(1, lambda: 1.0)  # as rounding may make of a number just below
    assert last.position.state.dice == ((6,), (3,))


def parts(state: Any, player: int, **kind: Any) -> dict[str, Any]:
    observer = state.get_game().make_py_observer(pyspiel.IIGObservationType(**kind))
    observer.set_from(state, player)
    assert sum(part.size for part in observer.dict.values()) == observer.tensor.size
    return {name: part.tolist() for name, part in observer.dict.items()}


def test_tensors_hold_what_the_texts_say_and_observers_tell_no_more_than_they_are_asked_for() -> None:
    state = start("preset=aces,players=3,rounds=3,options=palifico_with_two_players:true", "26", "13", "44")
    say(state, "1x6 1x1 dudo")
    for hand in (5, 3):
        state.apply_action(hand)
    assert not any(parts(state, 0, perfect_recall=True)["dice"])
    state.apply_action(5)
    say(state, "1x2 2x2")
    known = parts(state, 2, perfect_recall=True)
    assert known["player"] == [0, 0, 1]
    assert known["dice"] == [0, 0, 0, 0, 0, 1]
    assert known["dice_counts"] == [2, 2, 1]
    assert [index for index, flag in enumerate(known["bids"]) if flag] == [1, 7]
    assert known["to_move"].index(1) == state.current_player()
    first, later = known["ended_rounds"]
    assert first[:18] == [0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0]
    assert [index - 18 for index, flag in enumerate(first) if flag and index >= 18] == [0, 3 + 0, 3 + 5, 3 + 36 + 2]
    assert not any(later)
    forgetful = parts(state, 2, perfect_recall=False)
    assert [index for index, flag in enumerate(forgetful["bids"]) if flag] == [7]
    assert "ended_rounds" not in forgetful
    state = start("preset=aces,rounds=2,players=3,options=calza:true", "26", "13", "44")
    say(state, "1x6 calza")
    assert state.position.ended[0].doubt.seat == 2
    for size in state.position.state.dice_counts:
        state.apply_action(size)
    known = parts(state, 0, perfect_recall=True)
    assert known["palifico"] == known["had_palifico"] == known["opener"] == [0, 0, 1]
    assert known["ended_rounds"][0][-3:] == [0, 0, 1], "a calza"
    state = start("preset=azteca", "26", "13")
    say(state, "1x6")
    seen = "seat=- phase=bidding dice=- counts=2,2 opener=0 palifico=- bids=1x6"
    for public, private, text in (
        (True, "NONE", seen),
        (False, "SINGLE_PLAYER", "13"),
        (False, "ALL_PLAYERS", "26,13"),
        (False, "NONE", ""),
        (True, "ALL_PLAYERS", f"{seen} 26,13"),
    ):
        hands = getattr(pyspiel.PrivateInfoType, private)
        wanted = pyspiel.IIGObservationType(public_info=public, perfect_recall=True, private_info=hands)
        observer = state.get_game().make_py_observer(wanted)
        assert observer.string_from(state, 1) == text
        observer.set_from(state, 1)
        assert ("dice" in observer.dict) == (private != "NONE")
        assert ("bids" in observer.dict) == public
        if private == "ALL_PLAYERS":
            assert observer.dict["dice"].tolist() == [[0, 1, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0]]
        observer.set_from(state, pyspiel.PlayerId.DEFAULT_PLAYER_ID)
        with pytest.raises(ValueError, match="no observation parameters"):
            state.get_game().make_py_observer(wanted, {"any": 1})


def test_options_and_dice_change_the_rules_and_parameters_that_nobody_can_play_by_are_refused() -> None:
    for parameters, fault in (
        ("preset=nope", "unknown preset 'nope'"),
        ("players=7", "7 seats"),
        ("opener=2", "opener must be a seat or -1, not 2"),
        ("opener=-2", "opener must be a seat or -1"),
        ("rounds=-1", "rounds must be 0 or more, not -1"),
        ("rounds=0,options=calza:true", "with calza a game may never end"),
        ("options=calza", "options must be as calza:true, not calza"),
        ("options=nope:1", "unknown option 'nope'"),
    ):
        with pytest.raises(RulesError, match=fault):
            load(parameters)
    game = load("preset=aces,dice=3,options=plain_raise:any_higher wild_ones:false max_seats:2")
    rules = game.settings.rules
    assert (rules.plain_raise, rules.wild_ones, rules.starting_dice, rules.max_seats) == ("any_higher", False, 3, 2)
    assert str(pyspiel.load_game(str(game))) == str(game)
    assert (game.num_distinct_actions(), game.max_chance_outcomes()) == (38, 56)
    assert (game.min_utility(), game.max_utility()) == (-1, 1)
    each_call_costs_a_die = "rounds=0,options=calza:true calza_costs_others:true"
    most = [load(each).max_utility() for each in ("rounds=0", each_call_costs_a_die, "options=lose_by_difference:true")]
    assert most == [1, 1, 5]
    assert perudo_core.openspiel.PerudoGame().num_players() == 2


def test_dudos_claims_rise_as_neller_and_hnath_say() -> None:
    """Any claim opens, and is higher than all before it: 1x2 < 1x3 < ... < 1x6 < 1x1 < 2x2 < ... < 2x1."""
    order = [f"{quantity}x{face}" for quantity in (1, 2) for face in (2, 3, 4, 5, 6, 1)]
    game = pyspiel.load_game(
        "python_perudo(dice=1,options=plain_raise:any_higher ones_rank:highest ones_may_open:true)"
    )
    for index, claim in enumerate(order):
        state = game.new_initial_state()
        for hand in (0, 0):
            state.apply_action(hand)
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order}
        state.apply_action(state.string_to_action(claim))
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order[index + 1 :], "dudo"}
