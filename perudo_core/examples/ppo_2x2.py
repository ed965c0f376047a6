"""Learns to beat a `regular` with two dice each: PPO in one file, in NumPy, in half a minute.

    OPENBLAS_NUM_THREADS=1 python ppo_2x2.py [updates] [games to measure]

Needs `pip install perudo-core[gymnasium]`. One thread is enough: two wait for each other, and take four times as long.

The learner meets a `regular` in each row of a vector environment, and sees its own dice, the numbers of dice, and the
last bid of each. A network with one hidden layer gives the probability of each call and the expected result (Schulman
et al., "Proximal policy optimization algorithms", 2017).

Prints the learning curve. It is measured by the arena, in other games, against a `regular` that also remembers how the
learner bid in earlier rounds.
"""

import sys
import time
from collections.abc import Iterator
from random import Random

import numpy as np

import perudo_core as pc
from perudo_core.agents import Memory, create_agent
from perudo_core.agents.arena import play
from perudo_core.gymnasium import PerudoVectorEnv, agent_opponent, observation_of

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

RULES = pc.Rules(starting_dice=2)
SEED = 1
ROWS, STEPS = 1024, 16  # the games at once, and the learner's calls in each of them before an update
EPOCHS, MINIBATCHES = 4, 8
HIDDEN = 128
RATE, CLIP, TRACE, ENTROPY = 3e-3, 0.2, 0.95, 0.01


def features(observation: Array) -> Array:
    """Return a one for the value of each number of the observation, and a constant."""
    chosen = (observation[..., None] == np.arange(7)).reshape(len(observation), -1)
    return np.column_stack([chosen, np.ones(len(observation))]).astype(np.float32)


class Learner:
    """The network with its optimizer Adam; a player of the arena."""

    name = "learner"

    def __init__(self, rng: np.random.Generator) -> None:
        self.encoding = pc.ActionEncoding(RULES, 2)
        shapes = (7 * 16 + 1, HIDDEN, 0.2), (HIDDEN, self.encoding.size, 0.01), (HIDDEN, 1, 0.01)
        self.weights = [(rng.standard_normal(shape) * scale).astype(np.float32) for *shape, scale in shapes]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.updates = 0

    def forward(self, inputs: Array, mask: Array) -> tuple[Array, Array, Array]:
        """Return the hidden layer, the logarithms of the probabilities of the calls, and the expected result."""
        hidden = np.tanh(inputs @ self.weights[0])
        logits = np.where(mask, hidden @ self.weights[1], -1e9)
        logits -= logits.max(axis=1, keepdims=True)
        return hidden, logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), (hidden @ self.weights[2])[:, 0]

    def choose(self, view: pc.Observation, _memory: Memory, _rng: Random) -> pc.Call:
        """Make the most probable call."""
        seen = observation_of(view, self.encoding)
        chances = self.forward(features(seen["observation"][None]), seen["action_mask"][None])[1]
        return self.encoding.decode(int(chances.argmax()), view.own_seat)

    def interrupt(self, _view: pc.Observation, _memory: Memory, _rng: Random) -> None:
        """Make no call out of turn."""

    def update(self, batch: tuple[Array, ...], action: Numbers, left: float) -> None:
        """Follow the gradient of PPO's loss by one step; `left` falls from 1 to 0."""
        inputs, mask, before, advantage, result = batch
        hidden, log, value = self.forward(inputs, mask)
        chance, row = np.exp(log), np.arange(len(log))
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = np.exp(log[row, action] - before)
        within = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        by_logits = -(within * ratio * advantage)[:, None] * (np.eye(log.shape[1])[action] - chance)
        surprise = np.where(mask, log, 0)
        by_logits += ENTROPY * left * chance * (surprise - (chance * surprise).sum(axis=1, keepdims=True))
        by_value = (value - result)[:, None] / 2
        by_hidden = (by_logits @ self.weights[1].T + by_value @ self.weights[2].T) * (1 - hidden**2)
        gradients = inputs.T @ by_hidden, hidden.T @ by_logits, hidden.T @ by_value
        self.updates += 1
        for which, sum_of in enumerate(gradients):
            gradient = sum_of / len(log)
            self.means[which] += 0.1 * (gradient - self.means[which])
            self.squares[which] += 0.001 * (gradient**2 - self.squares[which])
            mean, square = self.means[which] / (1 - 0.9**self.updates), self.squares[which] / (1 - 0.999**self.updates)
            self.weights[which] -= RATE * left * mean / (np.sqrt(square) + 1e-8)


def train(learner: Learner, updates: int, rng: np.random.Generator) -> Iterator[int]:
    """Learn from games against a regular; yields before each update, and at the end, the number of calls so far."""
    envs = PerudoVectorEnv(ROWS, RULES, opponent=agent_opponent(create_agent("regular"), samples=1))
    seen, _ = envs.reset(seed=SEED)
    for update in range(updates):
        yield update * ROWS * STEPS
        calls = []
        for _ in range(STEPS):
            inputs, mask = features(seen["observation"]), seen["action_mask"]
            _, log, value = learner.forward(inputs, mask)
            action = (log + rng.gumbel(size=log.shape)).argmax(axis=1)
            seen, reward, over, _, _ = envs.step(action)
            calls.append((inputs, mask, log[np.arange(ROWS), action], value, action, reward, over))
        following = learner.forward(features(seen["observation"]), seen["action_mask"])[2]
        inputs, mask, before, value, action, reward, over = map(np.stack, zip(*calls, strict=True))
        advantage, later = np.zeros_like(value), np.zeros(ROWS)
        for step in reversed(range(STEPS)):
            later = reward[step] + ~over[step] * (following + TRACE * later) - value[step]
            advantage[step], following = later, value[step]
        lists = [
            array.reshape(ROWS * STEPS, -1).squeeze() for array in (inputs, mask, before, advantage, advantage + value)
        ]
        for _ in range(EPOCHS):
            for rows in np.split(rng.permutation(ROWS * STEPS), MINIBATCHES):
                learner.update(tuple(array[rows] for array in lists), action.ravel()[rows], 1 - update / updates)
    yield updates * ROWS * STEPS


if __name__ == "__main__":
    updates, games = map(int, sys.argv[1:] or ("80", "4000"))
    rng = np.random.default_rng(SEED)
    learner = Learner(rng)
    measured = {0, *(updates // 2**halved for halved in range(6))}
    seconds, begun = 0.0, time.process_time()
    print("| calls of the learner | seconds of processor time | games won | 95 % |\n|--:|--:|--:|---|")
    for update, calls in enumerate(train(learner, updates, rng)):
        if update in measured:
            seconds += time.process_time() - begun
            result = play([learner, "regular"], RULES, games=games, seed=2).players[0]
            low, high = result.interval
            print(f"| {calls:,} | {seconds:.0f} | {result.wins:.1%} | {low:.1%} to {high:.1%} |", flush=True)
            begun = time.process_time()
