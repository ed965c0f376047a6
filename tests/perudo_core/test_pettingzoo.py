"""The PettingZoo environment: PettingZoo's own tests, the mask, the rewards, and what an agent may see."""

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

from perudo_core import Bid, IllegalActionError, Rules
from perudo_core.pettingzoo import PerudoEnv, env, parallel_env, raw_env

HAS_A_MASK = pytest.mark.filterwarnings(
    "ignore:Observation( space for each agent probably| is not a NumPy array):UserWarning"
)
HOUSES = [
    Rules(),
    Rules.preset("azteca"),
    Rules.preset("french_guide").with_options(starting_dice=2),
    Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True),
]


@pytest.mark.parametrize("rules", HOUSES)
@HAS_A_MASK
def test_pettingzoo_accepts_both_environments(rules: Rules) -> None:
    api_test(env(rules, seats=3), num_cycles=100)
    seed_test(lambda: env(rules, seats=2), num_cycles=50)
    parallel_api_test(parallel_env(rules, seats=3), num_cycles=60)


def test_in_the_parallel_environment_the_player_on_turn_acts_and_the_others_wait() -> None:
    game = parallel_env(seats=2)
    seen, _ = game.reset(seed=1)
    (on_turn,) = (agent for agent in game.agents if seen[agent]["action_mask"].any())
    waiting = next(agent for agent in game.agents if agent != on_turn)
    seen, rewards, _, _, infos = game.step({on_turn: 1, waiting: 60})
    assert seen[waiting]["action_mask"].any()
    assert rewards == {on_turn: 0, waiting: 0}
    assert infos[on_turn]["active_agent"] == waiting


def test_a_long_game_is_cut_off_for_those_who_are_still_in() -> None:
    game = raw_env(Rules(calza=True), seats=2, max_calls=3)
    game.reset(seed=1)
    for _ in range(3):
        assert not any(game.truncations.values())
        game.step(int(np.flatnonzero(game.observe(game.agent_selection)["action_mask"])[0]))
    assert game.truncations == dict.fromkeys(game.possible_agents, True)
    assert not any(game.terminations.values())
    assert not any(game.rewards.values())
    for agent in game.agent_iter():
        assert game.truncations[agent]
        game.step(None)
    assert game.agents == []


def test_a_mask_allows_what_is_legal_and_the_rewards_add_up_to_nothing() -> None:
    game = PerudoEnv(Rules(starting_dice=2), seats=3)
    won = dict.fromkeys(game.possible_agents, 0.0)
    game.reset(seed=1)
    for agent in game.possible_agents:
        game.action_space(agent).seed(1)
    for agent in game.agent_iter():
        seen, reward, terminated, _truncated, _info = game.last()
        won[agent] += reward
        game.step(None if terminated else game.action_space(agent).sample(seen["action_mask"]))
    assert sorted(won.values()) == [-0.5, -0.5, 1.0]
    assert game.game.outcome is not None
    assert won[game.possible_agents[game.game.outcome.winner]] == 1


def test_an_agent_sees_its_own_dice_and_no_others() -> None:
    game = PerudoEnv(seats=2)
    game.reset(seed=3)
    other = "player_1" if game.agent_selection == "player_0" else "player_0"
    on_turn = game.observe(game.agent_selection)
    assert on_turn["observation"].dtype == np.float32
    assert game.observation_space(game.agent_selection).contains(on_turn)
    assert list(on_turn["observation"][:6]) == [game.game.dice[game.game.turn or 0].count(face) for face in range(1, 7)]
    assert on_turn["action_mask"].any()
    assert not game.observe(other)["action_mask"].any()
    game.step(int(np.flatnonzero(on_turn["action_mask"])[8]))
    seen = game.observe(game.agent_selection)["observation"]
    assert (seen[10], seen[11], seen[13]) == (2, 5, 1)  # 2x5 by the seat to the left, and it stands
    assert tuple(seen[6:8]) == (5, 5)


def test_a_critic_sees_all_hands_in_the_state() -> None:
    game = raw_env(Rules(starting_dice=2), seats=3, max_calls=np.int64(50))  # type: ignore[arg-type]
    game.reset(seed=7)
    game.step(game.encoding.encode(Bid(0, 2, 3)))
    state = game.state()
    assert state in game.state_space
    assert state.dtype == np.float32
    hands = state[:18].reshape(3, 6)
    assert [tuple(hand) for hand in hands] == [
        tuple(hand.count(face) for face in range(1, 7)) for hand in game.game.dice
    ]
    assert np.array_equal(state[18:-3], game.observe("player_0")["observation"][6:])
    assert [bool(seat) for seat in state[-3:]] == [seat == game.game.turn for seat in range(3)]
    parallel, again = parallel_env(seats=2), parallel_env(seats=2)
    parallel.reset(seed=7)
    again.reset(seed=np.int64(7))
    assert parallel.state() in parallel.state_space
    assert np.array_equal(parallel.state(), again.state()), "a seed may be a number of NumPy"


def test_an_illegal_action_is_an_error_or_ends_the_game_and_a_mode_or_limit_that_there_is_not_is_refused() -> None:
    bare, wrapped = PerudoEnv(seats=2), env(seats=2)
    bare.reset(seed=1)
    with pytest.raises(IllegalActionError):
        bare.step(bare.encoding.dudo)
    with pytest.raises(ValueError, match="is on turn and must act"):
        bare.step(None)
    wrapped.reset(seed=1)
    agent = wrapped.agent_selection
    wrapped.step(bare.encoding.dudo)
    assert wrapped.rewards[agent] == -1
    with pytest.raises(ValueError, match="render_mode must be one of human, ansi, not 'rgb_array'"):
        env(render_mode="rgb_array")
    with pytest.raises(ValueError, match="max_calls must be from 1"):
        raw_env(max_calls=0)


def test_a_game_can_be_watched(capsys: pytest.CaptureFixture[str]) -> None:
    for mode in ("human", "ansi"):
        game = env(seats=2, render_mode=mode)
        game.reset(seed=1)
        game.step(1)
        assert ("1x2" in capsys.readouterr().out) == (mode == "human")
        assert mode == "human" or "1x2" in game.render()
        game.close()
