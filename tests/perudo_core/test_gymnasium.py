"""The vector environment compared with the engine, and the PettingZoo environment with PettingZoo's own tests."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium import make, make_vec
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from pettingzoo.test import api_test, parallel_api_test, seed_test

import perudo_core as pc
from perudo_core.agents import Agent, Memory, create_agent, new_memory
from perudo_core.agents.engines import Question, policy_engine
from perudo_core.batch import Batch
from perudo_core.gymnasium import PerudoEnv, PerudoVectorEnv, agent_opponent, observation_of
from perudo_core.pettingzoo import PerudoEnv as Turns
from perudo_core.pettingzoo import env, parallel_env, raw_env

ROWS = 12
FEW = pc.Rules(starting_dice=2)
HOUSES = [
    (pc.Rules(starting_dice=2), 2),
    (pc.Rules.preset("azteca").with_options(starting_dice=2), 3),
    (pc.Rules.preset("french_guide").with_options(starting_dice=2, lost_dice=pc.LostDice.VISIBLE), 4),
    (pc.Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True, starting_dice=2), 3),
]


def low(mask: Any, rng: np.random.Generator) -> Any:
    """A doubt in two of five rows that may, else one of the least bids."""
    doubts = mask[:, -2:].any(axis=1) & (rng.random(len(mask)) < 0.4)
    scores = rng.random(mask.shape) * mask * (np.cumsum(mask, axis=1) <= 4) + mask * 1e-6
    scores[:, -2:] += (2 * doubts)[:, None] * mask[:, -2:]
    return scores.argmax(axis=1)


class Witness:
    def __init__(self, encoding: pc.ActionEncoding) -> None:
        self.encoding, self.rng = encoding, np.random.default_rng(3)
        self.states: dict[int, pc.State] = {}

    def see(self, batch: Batch, row: int) -> pc.State:
        """A row's state follows from the last one seen there and its call."""
        now = batch.state(row)
        before = self.states.get(row)
        if before is None or before.is_terminal or not before.dice_counts[0]:
            fresh = (now.rules.starting_dice,) * len(now.seats)
            assert (now.round, now.bids, now.dice_counts, now.palifico) == (1, (), fresh, None)
            assert not now.had_palifico
        elif before.is_chance:
            assert (now.round, now.bids, now.opener) == (before.round + 1, (), before.opener)
            assert (now.dice_counts, now.palifico) == (before.dice_counts, before.palifico)
            assert now.eliminated == before.eliminated
        else:
            assert (now.dice, now.bids, now.turn) == (before.dice, before.bids, before.turn)
        return now

    def call(self, state: pc.State, row: int, number: int) -> None:
        assert state.turn is not None
        self.states[row] = pc.apply(state, self.encoding.decode(number, state.turn)).state

    def opponent(self, batch: Batch) -> Any:
        """Make the others' calls, and compare each row in which one of them is on turn."""
        self.batch = batch
        numbers = low(batch.legal_mask(), self.rng)
        for row in np.flatnonzero(batch.turn).tolist():
            self.call(self.see(batch, row), row, int(numbers[row]))
        return numbers


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("rules", "seats"), HOUSES)
def test_each_row_has_one_game_of_the_engine_after_another(rules: pc.Rules, seats: int) -> None:
    encoding = pc.ActionEncoding(rules, seats)
    witness = Witness(encoding)
    envs = PerudoVectorEnv(ROWS, rules, seats, opponent=witness.opponent)
    seen, infos = envs.reset(seed=5)
    assert infos == {}
    rng, won, lost = np.random.default_rng(4), 0, 0
    for _ in range(60):
        assert envs.observation_space.contains(seen)
        states = [witness.see(witness.batch, row) for row in range(ROWS)]
        for row, state in enumerate(states):
            known = observation_of(pc.observe(state, 0), encoding)
            assert all((seen[key][row] == known[key]).all() for key in known)
        actions = low(seen["action_mask"], rng)
        for row, state in enumerate(states):
            witness.call(state, row, int(actions[row]))
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        assert not truncations.any()
        for row in range(ROWS):
            if not terminations[row]:
                assert rewards[row] == 0
                continue
            last = infos["final_obs"][row]
            assert envs.single_observation_space.contains(last)
            assert not last["action_mask"].any()
            counts = last["observation"][6 : 6 + seats]
            assert rewards[row] == (1 if counts[0] else -1 / (seats - 1))
            assert (counts[0] > 0) == (not counts[1:].any())
            assert not last["observation"][:6].any()
            won, lost = won + (counts[0] > 0), lost + (counts[0] == 0)
        assert infos == {} or infos["_final_obs"].tolist() == terminations.tolist()
    assert won > 5
    assert lost > 5


def test_the_end_of_a_game_as_pettingzoo_shows_it() -> None:
    """One die each: the first doubt ends the game."""
    rules = pc.Rules(starting_dice=1)
    encoding = pc.ActionEncoding(rules, 2)
    finals = []

    def doubts(batch: Batch) -> Any:
        return np.where(batch.bid_quantity > 0, encoding.dudo, 1)

    envs = PerudoVectorEnv(ROWS, rules, opponent=doubts)
    seen, _ = envs.reset(seed=1)
    for _ in range(4):
        actions = np.where(seen["action_mask"][:, encoding.dudo], encoding.dudo, 1)
        seen, _, over, _, infos = envs.step(actions)
        assert over.all()
        finals += infos["final_obs"].tolist()
    told = {tuple(final["observation"].tolist()) for final in finals}
    nothing = (0.0,) * 6
    assert told == {(*nothing, mine, 1 - mine, *nothing, 1, 0) for mine in (0.0, 1.0)}


@pytest.mark.usefixtures("untraced")
def test_a_seed_repeats_all_games_which_wrappers_count_and_chance_alone_is_even() -> None:
    def played(seed: int) -> list[Any]:
        envs = RecordEpisodeStatistics(PerudoVectorEnv(50, pc.Rules(starting_dice=1), 3))
        assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        seen, _ = envs.reset(seed=seed)
        results = []
        rng = np.random.default_rng(2)
        for _ in range(60):
            scores = rng.random(seen["action_mask"].shape)
            seen, rewards, *_ = envs.step(np.where(seen["action_mask"], scores, -1).argmax(axis=1))
            results.append(rewards.tolist())
        assert set(envs.return_queue) == {1.0, -0.5}
        assert min(envs.length_queue) == 1
        return results

    one, again, other = played(1), played(1), played(2)
    assert one == again != other
    rewards = np.array(one)
    assert 0.25 < (rewards == 1).sum() / (rewards != 0).sum() < 0.42


def test_a_call_that_is_not_legal_is_refused_or_loses_a_game_alone_as_one_before_a_reset_or_after_the_end() -> None:
    envs = PerudoVectorEnv(3, FEW, opponent=lambda batch: np.zeros(len(batch.game), np.int64))
    with pytest.raises(ValueError, match="action 0 is not legal in row"):
        envs.reset(seed=1)  # 1x1 may not open
    envs = PerudoVectorEnv(3, FEW)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="action 0 is not legal in row"):
        envs.step(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="num_envs must be from 1"):
        PerudoVectorEnv(0)
    for opponent in ("regular", create_agent("regular")):
        with pytest.raises(TypeError, match="opponent must be a function of a Batch, not"):
            PerudoVectorEnv(3, opponent=opponent)  # type: ignore[arg-type]
    env = make("perudo_core.gymnasium:Perudo-v1", rules=FEW)
    seen, _ = env.reset(seed=1)
    after, reward, over, _, info = env.step(int(seen["action_mask"].argmin()))
    assert (reward, over, info) == (-1, True, {"illegal": True})
    assert np.array_equal(seen["observation"], after["observation"])
    made: Any = make_vec("Perudo-v1", num_envs=np.int64(2), seats=np.int64(3))  # type: ignore[arg-type]
    assert (type(made), made.num_envs, made.seats) == (PerudoVectorEnv, 2, 3)
    with pytest.raises(ResetNeeded, match="step before reset"):
        made.step([0, 0])
    for seed in ([1, 2], True, 1.0):
        with pytest.raises(TypeError, match="seed must be a whole number"):
            made.reset(seed=seed)
    seen, _ = made.reset(seed=np.int64(7))
    again, _ = made.reset(seed=7)
    assert np.array_equal(seen["observation"], again["observation"])
    made.close()
    for use in (made.reset, lambda: made.step([0, 0])):
        with pytest.raises(ClosedEnvironmentError, match="this environment is closed"):
            use()


def test_one_game_by_its_name_is_right_to_gymnasium_and_a_row_of_the_vector_environment() -> None:
    check_env(make("perudo_core.gymnasium:Perudo-v1", rules=FEW, seats=3).unwrapped)
    sync = make_vec("perudo_core.gymnasium:Perudo-v1", num_envs=2, vectorization_mode="sync")
    assert sync.reset(seed=1)[0]["action_mask"].shape == (2, 62)
    env, rows = make("perudo_core.gymnasium:Perudo-v1", rules=FEW), PerudoVectorEnv(1, FEW)
    masked = env.unwrapped
    assert isinstance(masked, PerudoEnv)
    with pytest.raises(ResetNeeded):
        masked.action_masks()
    for seed in range(5):
        (seen, _), (seen_there, _) = env.reset(seed=seed), rows.reset(seed=seed)
        over = False
        while not over:
            assert np.array_equal(seen["observation"], seen_there["observation"][0])
            legal = masked.action_masks()
            assert np.array_equal(legal, seen["action_mask"])
            action = low(legal[None].astype(np.int8), np.random.default_rng(seed))[0]
            seen, reward, over, _, _ = env.step(action)
            seen_there, rewards, ends, _, _ = rows.step([action])
            assert (reward, over) == (rewards[0], ends[0])
        assert not masked.action_masks().any()


class Counted:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.asked: Counter[Any] = Counter()

    def choose(self, view: pc.Observation, memory: Memory, rng: Random) -> pc.Call:
        assert view.seat == view.turn
        hand = tuple(sorted(view.dice))
        self.asked[view.seat, hand, view.dice_counts, view.bids, view.palifico, view.had_palifico] += 1
        return self.agent.choose(view, memory, rng)

    def interrupt(self, *_asked: object) -> None:
        return None


@pytest.mark.parametrize("samples", [1, 3])
def test_a_computer_player_is_asked_so_often_in_each_situation(samples: int) -> None:
    rules = pc.Rules.preset("aces").with_options(starting_dice=2, palifico_with_two_players=True)
    agent = Counted(create_agent("novice"))
    envs = PerudoVectorEnv(30, rules, 3, opponent=agent_opponent(agent, samples=samples))
    seen, _ = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(15):
        seen, *_ = envs.step(low(seen["action_mask"], rng))
    assert max(agent.asked.values()) == samples
    assert len(agent.asked) > 80


def test_a_policy_of_the_environments_is_an_engine() -> None:
    last = policy_engine(lambda seen: max(at for at, legal in enumerate(seen["action_mask"]) if legal))
    first = policy_engine(lambda seen: seen["action_mask"].argmax())
    rules = pc.Rules.preset("aces").with_options(starting_dice=2)
    seen = pc.observe(pc.set_up(rules, ((2, 2), (1, 4)), [pc.Bid(0, 2, 2)]), 1)
    question = Question(seen, new_memory(rules, 2))
    assert last(question) == pc.Dudo(1)
    assert first(question) in seen.legal_calls
    with pytest.raises(ValueError, match="a bystander has no seat"):
        observation_of(replace(seen, seat=None), pc.ActionEncoding(rules, 2))


RULES = [
    pc.Rules(),
    pc.Rules.preset("azteca"),
    pc.Rules.preset("french_guide").with_options(starting_dice=2),
    pc.Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True),
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.filterwarnings("ignore:Observation( space for each agent probably| is not a NumPy array):UserWarning")
def test_pettingzoo_accepts_both_environments(rules: pc.Rules) -> None:
    api_test(env(rules, seats=3), num_cycles=100)
    seed_test(lambda: env(rules, seats=2), num_cycles=50)
    parallel_api_test(parallel_env(rules, seats=3), num_cycles=60)


def test_in_the_parallel_environment_others_wait_and_a_long_game_is_cut_off_for_those_who_are_still_in() -> None:
    game = parallel_env(seats=2)
    seen, _ = game.reset(seed=1)
    (on_turn,) = (agent for agent in game.agents if seen[agent]["action_mask"].any())
    waiting = next(agent for agent in game.agents if agent != on_turn)
    seen, rewards, _, _, infos = game.step({on_turn: 1, waiting: 60})
    assert seen[waiting]["action_mask"].any()
    assert rewards == {on_turn: 0, waiting: 0}
    assert infos[on_turn]["active_agent"] == waiting
    long = raw_env(pc.Rules(calza=True), seats=2, max_calls=3)
    long.reset(seed=1)
    for _ in range(3):
        assert not any(long.truncations.values())
        long.step(int(np.flatnonzero(long.observe(long.agent_selection)["action_mask"])[0]))
    assert long.truncations == dict.fromkeys(long.possible_agents, True)
    assert not any(long.terminations.values())
    assert not any(long.rewards.values())
    for agent in long.agent_iter():
        assert long.truncations[agent]
        long.step(None)
    assert long.agents == []


def test_a_mask_allows_what_is_legal_rewards_add_up_to_nothing_and_an_agent_sees_its_own_dice_alone() -> None:
    game = Turns(pc.Rules(starting_dice=2), seats=3)
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
    game = Turns(seats=2)
    game.reset(seed=3)
    other = "player_1" if game.agent_selection == "player_0" else "player_0"
    on_turn = game.observe(game.agent_selection)
    assert on_turn["observation"].dtype == np.float32
    assert game.observation_space(game.agent_selection).contains(on_turn)
    assert list(on_turn["observation"][:6]) == [game.game.dice[game.game.turn or 0].count(face) for face in range(1, 7)]
    assert on_turn["action_mask"].any()
    assert not game.observe(other)["action_mask"].any()
    game.step(int(np.flatnonzero(on_turn["action_mask"])[8]))
    known = game.observe(game.agent_selection)["observation"]
    assert (known[10], known[11], known[13]) == (2, 5, 1)  # 2x5 by the seat to the left, and it stands
    assert tuple(known[6:8]) == (5, 5)


def test_a_critic_sees_all_hands_in_the_state() -> None:
    game = raw_env(pc.Rules(starting_dice=2), seats=3, max_calls=np.int64(50))  # type: ignore[arg-type]
    game.reset(seed=7)
    game.step(game.encoding.encode(pc.Bid(0, 2, 3)))
    state = game.state()
    assert state in game.state_space
    assert state.dtype == np.float32
    counted = [[hand.count(face) for face in range(1, 7)] for hand in game.game.dice]
    assert state[:18].reshape(3, 6).tolist() == counted
    assert np.array_equal(state[18:-3], game.observe("player_0")["observation"][6:])
    assert [bool(seat) for seat in state[-3:]] == [seat == game.game.turn for seat in range(3)]
    parallel, again = parallel_env(seats=2), parallel_env(seats=2)
    parallel.reset(seed=7)
    again.reset(seed=np.int64(7))
    assert parallel.state() in parallel.state_space
    assert np.array_equal(parallel.state(), again.state()), "a seed may be a number of NumPy"


def test_an_illegal_action_is_an_error_or_ends_the_game_and_a_mode_or_limit_that_there_is_not_is_refused() -> None:
    bare, wrapped = Turns(seats=2), env(seats=2)
    bare.reset(seed=1)
    with pytest.raises(pc.IllegalActionError):
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
