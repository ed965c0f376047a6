"""Perudo as a PettingZoo environment, with a mask of the legal actions; needs the extra `pettingzoo`.

>>> from perudo_core.pettingzoo import env
>>> game = env(seats=3)
>>> game.reset(seed=7)
>>> for agent in game.agent_iter():
...     observation, reward, terminated, truncated, info = game.last()
...     done = terminated or truncated
...     game.step(None if done else game.action_space(agent).sample(observation["action_mask"]))

**Agents** are `player_0` and so on, by seat. Only the player to call acts, so there is no calza or dudo out of turn.
The environment draws chance itself, from the seed of `reset`.

**Actions** are the numbers of `ActionEncoding(rules, seats)`: the bids, then dudo, then calza.

**An observation** has the `action_mask`, and under `observation` a vector of `float32`, seats counted from the
observing player in the direction of play:

| entries | |
|---|---|
| 6 | the number of the player's own dice that show each face |
| one for each seat | the seat's number of dice; losses are public, also with hidden lost dice |
| two for each seat | quantity and face of the seat's last bid in the round, 0 before it |
| one for each seat | 1 for the seat of the last bid |
| 2 | whether ones are wild; whether the round is a palifico round |

**The state** (`state()`, `state_space`) is for a critic that sees all hands: for each seat the numbers of its dice that
show each face, then the entries of the table above from the second line on, with seats from seat 0, and 1 for the seat
on turn.

**Rewards** add up to 0: a player who is out loses 1/(n - 1), the winner gets 1. A game that `max_calls` cuts off gives
the players who are still in nothing, and ends with `truncations`.

**Parallel**: `parallel_env` has the interface of parallel environments. It takes the action of the player to call,
whose name is in `infos[agent]["active_agent"]`, and ignores the others.
"""

from __future__ import annotations

from operator import index
from random import Random
from typing import Any, ClassVar, Final, SupportsIndex

from perudo_core._errors import missing_extra

try:
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import turn_based_aec_to_parallel, wrappers
except ModuleNotFoundError as error:
    raise missing_extra(error, "perudo_core.pettingzoo", "pettingzoo") from None

from perudo_core import ActionEncoding, Rules, State, apply, new_game, observe, sample_roll
from perudo_core._errors import abbreviated, whole_number
from perudo_core._learning import observation_of, observation_space, state_of, state_space
from perudo_core._public_names import publish

__all__ = ["PerudoEnv", "env", "parallel_env", "raw_env"]

RENDER_MODES: Final = ("human", "ansi")


def raw_env(
    rules: Rules | None = None, seats: int = 4, *, render_mode: str | None = None, max_calls: int | None = None
) -> PerudoEnv:
    """Return the environment without PettingZoo's checks, as `PerudoEnv(…)`."""
    return PerudoEnv(rules, seats, render_mode=render_mode, max_calls=max_calls)


def env(
    rules: Rules | None = None, seats: int = 4, *, render_mode: str | None = None, max_calls: int | None = None
) -> AECEnv:
    """Return a `PerudoEnv` with PettingZoo's usual checks: an illegal action ends the game and costs its player 1."""
    game = raw_env(rules, seats, render_mode=render_mode, max_calls=max_calls)
    checked = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(game, illegal_reward=-1))
    return wrappers.OrderEnforcingWrapper(checked)


def parallel_env(
    rules: Rules | None = None, seats: int = 4, *, render_mode: str | None = None, max_calls: int | None = None
) -> ParallelEnv:
    """Return the environment of `env` with the interface of parallel environments.

    >>> game = parallel_env(seats=2)
    >>> seen, infos = game.reset(seed=7)
    >>> while game.agents:
    ...     actions = {agent: game.action_space(agent).sample(seen[agent]["action_mask"]) for agent in game.agents}
    ...     seen, rewards, terminations, truncations, infos = game.step(actions)
    >>> sorted(rewards.values())
    [-1.0, 1.0]
    """
    return turn_based_aec_to_parallel(env(rules, seats, render_mode=render_mode, max_calls=max_calls))


class PerudoEnv(AECEnv):  # type: ignore[misc]
    """The environment itself, in which an illegal action raises `IllegalActionError`.

    `render_mode` is None, `human` (each step prints the round and its bids) or `ansi` (`render` returns them);
    `max_calls` is the number of calls after which a game is cut off. Raises `ValueError` for another of either.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "perudo_v1",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
        "render_fps": 1,
    }

    def __init__(
        self,
        rules: Rules | None = None,
        seats: int = 4,
        *,
        render_mode: str | None = None,
        max_calls: int | None = None,
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)}, not {abbreviated(render_mode)}")
        if max_calls is not None:
            max_calls = whole_number(max_calls, "max_calls", 1, 10**9)
        self.rules = Rules() if rules is None else rules
        self.encoding = ActionEncoding(self.rules, seats)
        self.render_mode = render_mode
        self.max_calls = max_calls
        self.possible_agents = [f"player_{seat}" for seat in range(self.encoding.seats)]
        self.action_spaces = {agent: spaces.Discrete(self.encoding.size) for agent in self.possible_agents}
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation_space(self.encoding))
        self.state_space = state_space(self.encoding)
        self._random = Random()  # noqa: S311 - a seed makes a game repeatable

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; the same seed and the same actions repeat a game."""
        del options
        if seed is not None:
            self._random = Random(index(seed))  # noqa: S311 - as above
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._calls = 0
        self._begin(new_game(self.rules, self.possible_agents))

    def step(self, action: int | None) -> None:
        """Take the action of the agent on turn, or None for an agent who is out."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is on turn and must act")
        call = self.encoding.decode(int(action), self.possible_agents.index(agent))
        following = apply(self.game, call).state
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0
        for seat in following.eliminated[len(self.game.eliminated) :]:
            self._end(seat, -1 / (len(self.possible_agents) - 1))
        self._calls += 1
        if following.outcome is not None:
            for seat in following.active_seats:
                self._end(seat, -1 / (len(self.possible_agents) - 1))
            self._end(following.outcome.winner, 1.0)
        elif self._calls == self.max_calls:
            for seat in following.active_seats:
                self.truncations[self.possible_agents[seat]] = True
        self._begin(following)
        self._accumulate_rewards()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _begin(self, state: State) -> None:
        """Draw chance, and select the player whose turn it is; after the game, end it for the winner too."""
        while state.is_chance:
            state = apply(state, sample_roll(state, self._random)).state
        self.game = state
        on_turn = state.outcome.winner if state.outcome is not None else state.turn
        assert on_turn is not None, "a player is on turn"  # noqa: S101 - for the type checker
        self.agent_selection = self.possible_agents[on_turn]

    def _end(self, seat: int, reward: float) -> None:
        self.rewards[self.possible_agents[seat]] = reward
        self.terminations[self.possible_agents[seat]] = True

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's knowledge, and the mask of its legal actions: all zero unless it is on turn."""
        return observation_of(observe(self.game, self.possible_agents.index(agent)), self.encoding)

    def state(self) -> NDArray[np.float32]:
        """Return everything that there is to know, for a critic that sees all hands; no player may see it."""
        return state_of(self.game, self.encoding)

    def render(self) -> str | None:
        """Print the round and its bids, without the dice; in the mode `ansi` return them instead."""
        if self.render_mode == "ansi":
            return str(self.game)
        print(self.game)  # noqa: T201 - what `human` asks for
        return None

    def close(self) -> None:
        """Do nothing: the environment has no open resources."""


publish(globals())
