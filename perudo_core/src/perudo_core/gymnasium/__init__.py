"""Perudo as environments of Gymnasium, with one learner: one game, or thousands at once; needs the extra `gymnasium`.

>>> import gymnasium
>>> env = gymnasium.make("perudo_core.gymnasium:Perudo-v1", seats=3)
>>> seen, info = env.reset(seed=7)
>>> seen, reward, terminated, truncated, info = env.step(seen["action_mask"].argmax())

This is a `gymnasium.Env`, with `action_masks()` for the MaskablePPO of sb3-contrib. Many games at once learn faster:

>>> import numpy as np
>>> from perudo_core import Rules
>>> from perudo_core.gymnasium import PerudoVectorEnv
>>> envs = PerudoVectorEnv(100, Rules(starting_dice=2), seats=3)
>>> seen, infos = envs.reset(seed=7)
>>> for _ in range(20):
...     actions = envs.action_space.sample(mask=tuple(seen["action_mask"]))
...     seen, rewards, terminations, truncations, infos = envs.step(actions)
>>> seen["observation"].shape, seen["action_mask"].shape, rewards.shape
((100, 20), (100, 38), (100,))

`gymnasium.make_vec("perudo_core.gymnasium:Perudo-v1", num_envs=100)` makes it by its name.

**The learner** has seat 0 in each game, and each step is one call of the learner. The environment rolls the dice and
makes the calls of the others until the learner is on turn again. Only the player to call acts, so there is no calza or
dudo out of turn. An illegal action raises `ValueError`; in the environment of one game it loses: the game ends with the
reward -1 and `info["illegal"]`, as a learner without a mask expects.

**Actions and observations** are those of `perudo_core.pettingzoo`: the numbers of `ActionEncoding(rules, seats)`, and a
dictionary with `observation` and `action_mask`.

**Rewards** come at the end of a game: 1 for the winner, -1/(n - 1) for a learner who is out, also if the others play
on. Nothing is truncated.

**Rows stay**: where a game ends, the row begins a new one in the same step (`AutoresetMode.SAME_STEP`), and
`infos["final_obs"]` has the last observation, with the numbers of dice.

**The others** play by `opponent`, a function of the `Batch` that returns for each row the number of a legal call of the
player on turn; in rows where the learner is on turn (`batch.turn` is 0) its answer does not count. The default draws
evenly from the legal calls. `agent_opponent` makes an opponent of a computer player, and a learner plays itself by
`batch.observation()` and `batch.legal_mask()`.

`observation_of(view, encoding)` turns an `Observation` of the library into that of a learner, who can then play as an
agent in the arena: `perudo_core/examples/ppo_2x2.py` learns to beat a `regular`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, SupportsIndex, TypeAlias

from perudo_core._errors import missing_extra

try:
    import numpy as np
    from gymnasium import Env, register, spaces
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from numpy.typing import NDArray
except ModuleNotFoundError as error:
    raise missing_extra(error, "perudo_core.gymnasium", "gymnasium") from None

from perudo_core import ActionEncoding, Rules, observe
from perudo_core._errors import expect_int, whole_number
from perudo_core._learning import observation_of, observation_space
from perudo_core._public_names import publish
from perudo_core.agents import Agent, new_memory
from perudo_core.batch import Batch
from perudo_core.batch._standing import StandingBatch

__all__ = ["Opponent", "PerudoEnv", "PerudoVectorEnv", "agent_opponent", "observation_of"]

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Opponent: TypeAlias = Callable[[Batch], Ints]
"""For each row the number of a call of the player whose turn it is."""

LEARNER: Final = 0
"""The learner's seat."""
NO_BID: Final = b"\xff"


class PerudoVectorEnv(VectorEnv[Any, Any, Any]):
    """So many games of a learner against an opponent at each other seat."""

    _games: StandingBatch

    def __init__(
        self, num_envs: int, rules: Rules | None = None, seats: int = 2, *, opponent: Opponent | None = None
    ) -> None:
        num_envs = whole_number(num_envs, "num_envs", 1, 10_000_000)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.num_envs = num_envs
        self.rules = Rules() if rules is None else rules
        if not (opponent is None or callable(opponent)):
            raise TypeError(f"opponent must be a function of a Batch, not {type(opponent).__name__}: agent_opponent(…)")
        self.opponent = self._uniform if opponent is None else opponent
        self.encoding = ActionEncoding(self.rules, seats)
        self.seats = self.encoding.seats
        self.single_observation_space = observation_space(self.encoding)
        self.single_action_space = spaces.Discrete(self.encoding.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._learner: Ints = np.full(num_envs, LEARNER)

    def reset(
        self, *, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new game in each row; the same seed and the same actions repeat all games.

        Raises `TypeError` for a seed for each row: all rows draw from one generator.
        """
        del options
        self._expect_open()
        super().reset(seed=None if seed is None else whole_number(seed, "seed", 0, 2**128))
        self._games = StandingBatch(self.rules, self.seats, self.num_envs, self.np_random)
        self._ends = _Ends(self.num_envs)
        self._others_call()
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make the learner's call in each row, and the others' until the learner is on turn again."""
        self._expect_open()
        if not hasattr(self, "_games"):
            raise ResetNeeded("step before reset")
        self._ends = ends = _Ends(self.num_envs)
        self._call(self._learner == LEARNER, np.asarray(actions))
        self._others_call()
        infos = {"final_obs": ends.final, "_final_obs": ends.over} if ends.over.any() else {}
        return self._seen(), ends.rewards, ends.over, np.zeros_like(ends.over), infos

    def _expect_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("this environment is closed")

    def _others_call(self) -> None:
        while (waits := self._games.turn != LEARNER).any():
            any_call = self._games.legal_mask().argmax(axis=1)
            self._call(waits, np.where(waits, self.opponent(self._games), any_call))

    def _call(self, acts: Flags, action: Ints) -> None:
        """Make calls in the rows that act, and begin a new game where the learner's game ends."""
        games, ends = self._games, self._ends
        games.step_where(acts, games.to_choice(action))
        won = games.winner == LEARNER
        rows = (won | (games.dice_counts[:, LEARNER] == 0)).nonzero()[0]
        if len(rows):
            ends.over[rows] = True
            ends.rewards[rows] = np.where(won[rows], 1, -1 / (self.seats - 1))
            seen, mask = games.observation(self._learner), np.zeros(self.encoding.size, np.int8)
            for row in rows.tolist():
                ends.final[row] = {"observation": seen[row], "action_mask": mask}
            games.begin(rows)

    def _seen(self) -> dict[str, Any]:
        games = self._games
        return {"observation": games.observation(self._learner), "action_mask": games.legal_mask().astype(np.int8)}

    def _uniform(self, batch: Batch) -> Ints:
        mask = batch.legal_mask()
        number: Ints = np.where(mask, self.np_random.random(mask.shape), -1).argmax(axis=1)
        return number


class _Ends:
    """The ends of games in one step."""

    def __init__(self, rows: int) -> None:
        self.over: Flags = np.zeros(rows, np.bool_)
        self.rewards = np.zeros(rows)
        self.final = np.full(rows, None, dtype=object)


class PerudoEnv(Env[Any, Any]):
    """One game of a learner against an opponent at each other seat; the arguments are those of `PerudoVectorEnv`."""

    def __init__(self, rules: Rules | None = None, seats: int = 2, *, opponent: Opponent | None = None) -> None:
        self._games = PerudoVectorEnv(1, rules, seats, opponent=opponent)
        self.observation_space = self._games.single_observation_space
        self.action_space = self._games.single_action_space
        self._seen: dict[str, Any] = {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a new game; the same seed and the same actions repeat it."""
        super().reset(seed=seed, options=options)
        seen, infos = self._games.reset(seed=seed)
        return self._first(seen), infos

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the learner's call, and the others' until the learner is on turn again."""
        if not self.action_masks()[action]:
            numbers, mask = self._seen["observation"].copy(), np.zeros_like(self._seen["action_mask"])
            self._seen = {"observation": numbers, "action_mask": mask}
            return self._seen, -1.0, True, False, {"illegal": True}
        seen, rewards, over, _, infos = self._games.step([action])
        if over[0]:
            self._seen = infos["final_obs"][0]
            return self._seen, float(rewards[0]), True, False, {}
        return self._first(seen), 0.0, False, False, {}

    def action_masks(self) -> Flags:
        """Return for each action whether it is legal now; none is when the game is over."""
        if not self._seen:
            raise ResetNeeded("step before reset")
        mask: Flags = self._seen["action_mask"].astype(np.bool_)
        return mask

    def _first(self, seen: dict[str, Any]) -> dict[str, Any]:
        self._seen = {name: rows[0].copy() for name, rows in seen.items()}
        return self._seen


def agent_opponent(agent: Agent, *, samples: int = 20, seed: int = 0) -> Opponent:
    """Return an opponent that plays as this agent does when it remembers nothing of earlier rounds.

    In each situation the agent is asked so many times; then one of its answers is drawn, which takes no time. One is
    enough for a `regular`, who always makes the same call. The answers to all situations so far stay in memory.
    """
    expect_int(samples, "samples", 1, 10**6)
    rng = Random(seed)  # noqa: S311 - a seed makes it repeatable
    answers: dict[bytes, list[int]] = {}

    def opponent(batch: Batch) -> Ints:
        table = [
            batch.turn,
            batch.palifico,
            *batch.dice_counts.T,
            *batch.had_palifico.T,
            *np.sort(batch.own_dice).T,
            *batch.bids.T,
        ]
        situations, waits = np.stack(table, axis=1).astype(np.int16), batch.turn != LEARNER
        actions = np.zeros(len(waits), np.int64)
        for row in waits.nonzero()[0].tolist():
            said = answers.setdefault(situations[row].tobytes().rstrip(NO_BID), [])
            if len(said) < samples:
                view = observe(batch.state(row), int(batch.turn[row]))
                call = agent.choose(view, new_memory(batch.rules, len(view.seats)), rng)
                said.append(batch.encoding.encode(call))
                actions[row] = said[-1]
            else:
                actions[row] = said[0] if samples == 1 else rng.choice(said)
        return actions

    return opponent


register("Perudo-v1", "perudo_core.gymnasium:PerudoEnv", vector_entry_point="perudo_core.gymnasium:PerudoVectorEnv")
publish(globals())
