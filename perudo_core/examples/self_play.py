"""Learns the whole game of two players with five dice each by self-play: PPO in one file, in NumPy, in 12 minutes.

    OPENBLAS_NUM_THREADS=1 python self_play.py [updates] [games to measure] [games to learn from at once]

Needs `pip install perudo-core[gymnasium]`. The learner meets itself in each row of a vector environment, and sees what
the rules let it see, with the chance of each bid by its own dice. It has no other teacher: it meets a `regular` only in
the arena, which measures it. The bonus for entropy keeps its bluffs from being learned and unlearned in circles.

Prints the learning curve, and leaves the network in self_play.npz.
"""

import sys
import time
from collections.abc import Iterator
from math import comb
from random import Random
from typing import Any

import numpy as np

import perudo_core as pc
from perudo_core.agents import Memory
from perudo_core.agents.arena import play
from perudo_core.batch import Batch
from perudo_core.gymnasium import PerudoVectorEnv, observation_of

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

RULES, DICE = pc.Rules(), 5
SEED = 1
STEPS = 16  # the learner's calls in each game before an update
EPOCHS, MINIBATCHES = 2, 8
HIDDEN = 256
RATE, CLIP, TRACE, ENTROPY = 1e-3, 0.2, 0.95, 0.03
BIDS = 6 * 2 * DICE
QUANTITIES, FACES = np.arange(BIDS) // 6 + 1, np.arange(BIDS) % 6


def tails(chance: float) -> Array:
    """Return [unknown dice, wanted]: the chance that at least so many of them count."""
    exactly = [[comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(2 * DICE + 1)] for n in range(DICE + 1)]
    return np.cumsum(np.array(exactly)[:, ::-1], axis=1)[:, ::-1].astype(np.float32)


TAILS = np.stack([tails(1 / 6), tails(1 / 3)])


def features(seen: Array) -> Array:
    """Return a one for each number of the observation, the chance of each bid by the own dice, and a constant."""
    numbers = seen.astype(np.int64)
    chosen = (numbers[..., None] == np.arange(2 * DICE + 1)).reshape(len(seen), -1)
    own, unknown, wild = numbers[:, :6], numbers[:, 7], numbers[:, 14]
    counted = own[:, FACES] + np.where(FACES > 0, (own[:, 0] * wild)[:, None], 0)
    doubled = wild[:, None] * (FACES > 0)
    holds = TAILS[doubled, unknown[:, None], np.maximum(QUANTITIES - counted, 0)]
    return np.column_stack([chosen, holds, np.ones(len(seen))]).astype(np.float32)


class Learner:
    """The network with its optimizer Adam; a player of the arena."""

    name = "learner"

    def __init__(self, rng: np.random.Generator) -> None:
        self.encoding, self.rng = pc.ActionEncoding(RULES, 2), rng
        inputs = 16 * (2 * DICE + 1) + BIDS + 1
        shapes = (inputs, HIDDEN, 0.1), (HIDDEN, self.encoding.size, 0.01), (HIDDEN, 1, 0.01)
        self.weights = [(rng.standard_normal(shape) * scale).astype(np.float32) for *shape, scale in shapes]
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.updates = 0

    def forward(self, inputs: Array, mask: Flags) -> tuple[Array, Array, Array]:
        """Return the hidden layer, the logarithms of the probabilities of the calls, and the expected result."""
        hidden = np.maximum(inputs @ self.weights[0], 0)
        logits = np.where(mask, hidden @ self.weights[1], np.float32(-1e9))
        logits -= logits.max(axis=1, keepdims=True)
        return hidden, logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), (hidden @ self.weights[2])[:, 0]

    def draw(self, log: Array) -> Numbers:
        """Draw a call by these logarithms of probabilities."""
        chosen: Numbers = (log - np.log(-np.log(self.rng.random(log.shape, np.float32) + 1e-12))).argmax(axis=1)
        return chosen

    def oppose(self, batch: Batch) -> Numbers:
        """Make a call for the player whose turn it is in each row."""
        return self.draw(self.forward(features(batch.observation()), batch.legal_mask())[1])

    def choose(self, view: pc.Observation, _memory: Memory, _rng: Random) -> pc.Call:
        """Draw a call."""
        seen = observation_of(view, self.encoding)
        chances = self.forward(features(seen["observation"][None]), seen["action_mask"][None] == 1)[1]
        return self.encoding.decode(int(self.draw(chances)[0]), view.own_seat)

    def interrupt(self, _view: pc.Observation, _memory: Memory, _rng: Random) -> None:
        """Make no call out of turn."""

    def update(self, batch: tuple[Any, ...], action: Numbers, left: float) -> None:
        """Follow the gradient of PPO's loss by one step; `left` falls from 1 to 0."""
        inputs, mask, before, advantage, result = batch
        hidden, log, value = self.forward(inputs, mask)
        chance, row = np.exp(log), np.arange(len(log))
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        ratio = np.exp(log[row, action] - before)
        within = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        gain = within * ratio * advantage
        by_logits = gain[:, None] * chance
        by_logits[row, action] -= gain
        surprise = np.where(mask, log, 0)
        by_logits += ENTROPY * (0.2 + 0.8 * left) * chance * (surprise - (chance * surprise).sum(axis=1, keepdims=True))
        by_value = (value - result)[:, None] / 2
        by_hidden = (by_logits @ self.weights[1].T + by_value @ self.weights[2].T) * (hidden > 0)
        gradients = inputs.T @ by_hidden, hidden.T @ by_logits, hidden.T @ by_value
        self.updates += 1
        for which, sum_of in enumerate(gradients):
            gradient = sum_of / len(log)
            self.means[which] += 0.1 * (gradient - self.means[which])
            self.squares[which] += 0.001 * (gradient**2 - self.squares[which])
            mean, square = self.means[which] / (1 - 0.9**self.updates), self.squares[which] / (1 - 0.999**self.updates)
            self.weights[which] -= (RATE * left * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def train(learner: Learner, updates: int, games: int) -> Iterator[int]:
    """Learn from games of the learner against itself; yields the calls so far before each update, and at the end."""
    envs = PerudoVectorEnv(games, RULES, opponent=learner.oppose)
    seen, _ = envs.reset(seed=SEED)
    for update in range(updates):
        yield update * games * STEPS
        calls = []
        for _ in range(STEPS):
            inputs, mask = features(seen["observation"]), seen["action_mask"] == 1
            _, log, value = learner.forward(inputs, mask)
            action = learner.draw(log)
            seen, reward, over, _, _ = envs.step(action)
            calls.append((inputs, mask, log[np.arange(games), action], value, action, reward, over))
        following = learner.forward(features(seen["observation"]), seen["action_mask"] == 1)[2]
        inputs, mask, before, value, action, reward, over = map(np.stack, zip(*calls, strict=True))
        advantage, later = np.zeros_like(value), np.zeros(games)
        for step in reversed(range(STEPS)):
            later = reward[step] + ~over[step] * (following + TRACE * later) - value[step]
            advantage[step], following = later, value[step]
        lists = [
            array.reshape(games * STEPS, -1).squeeze() for array in (inputs, mask, before, advantage, advantage + value)
        ]
        for _ in range(EPOCHS):
            for rows in np.split(learner.rng.permutation(games * STEPS), MINIBATCHES):
                learner.update(tuple(array[rows] for array in lists), action.ravel()[rows], 1 - update / updates)
    yield updates * games * STEPS


if __name__ == "__main__":
    updates, measures, at_once = map(int, sys.argv[1:] or ("1500", "4000", "1024"))
    learner = Learner(np.random.default_rng(SEED))
    measured = {0, *(updates // 2**halved for halved in range(6))}
    seconds, begun = 0.0, time.process_time()
    print("| calls of the learner | seconds of processor time | games won | 95 % |\n|--:|--:|--:|---|")
    for update, calls in enumerate(train(learner, updates, at_once)):
        if update in measured:
            seconds += time.process_time() - begun
            result = play([learner, "regular"], RULES, games=measures, seed=2).players[0]
            low, high = result.interval
            print(f"| {calls:,} | {seconds:.0f} | {result.wins:.1%} | {low:.1%} to {high:.1%} |", flush=True)
            begun = time.process_time()
    np.savez("self_play.npz", *learner.weights)
