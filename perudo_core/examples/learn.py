"""Learns to beat a `novice` heads-up: Monte Carlo control with a table, in less than a minute on one core.

    python learn.py [games to learn from] [games to measure]

Before each call the learner knows two chances by its dice alone: that the last bid holds, and that its most probable
bid holds. Each is rounded to twentieths. For each pair of chances the table has the average result of a doubt and of
that bid: +1 if the other player lost a die in the round, -1 if the learner did. The learner chooses the better one;
while it learns, it chooses the other one in one of ten calls.

Measured by the arena: fresh games with another seed, both players at both seats with the same dice.
"""

import sys
from collections import defaultdict
from random import Random

import perudo_core as pc
from perudo_core.agents import Agent, Memory, create_agent, new_memory, remember_all
from perudo_core.agents.arena import play

RULES = pc.Rules.preset("box_2009")
Decision = tuple[tuple[int, int], bool]  # the two chances, and whether the learner doubts
NEXT_BIDS = 12  # only so many of the least raises are considered


class Learner:
    """Plays by its table, and never calls out of turn."""

    name = "learner"

    def __init__(self) -> None:
        self.won: defaultdict[Decision, float] = defaultdict(float)  # the mean
        self.times: defaultdict[Decision, int] = defaultdict(int)
        self.decisions: list[Decision] = []  # of the current round
        self.explore = 0.1

    def choose(self, view: pc.Observation, _memory: Memory, rng: Random) -> pc.Call:
        """Doubt, or make the most probable of the next bids."""
        bids = [call for call in view.legal_calls[:NEXT_BIDS] if isinstance(call, pc.Bid)]
        chances = [float(pc.bid_odds(view, bid).holds) for bid in bids]
        best = max(chances, default=0.0)
        if view.current_bid is None:
            return bids[chances.index(best)]
        holds = float(pc.bid_odds(view, view.current_bid).holds)
        situation = round(20 * holds), round(20 * best)
        doubts = not bids or self.won[situation, True] > self.won[situation, False]
        if bids and rng.random() < self.explore:
            doubts = not doubts
        self.decisions.append((situation, doubts))
        return pc.Dudo(view.turn or 0) if doubts else bids[chances.index(best)]

    def interrupt(self, _view: pc.Observation, _memory: Memory, _rng: Random) -> None:
        """Make no call out of turn."""

    def learn(self, won: int) -> None:
        """Add the round's result to the means of its decisions."""
        for decision in self.decisions:
            self.times[decision] += 1
            self.won[decision] += (won - self.won[decision]) / self.times[decision]
        self.decisions.clear()


def train(learner: Learner, games: int, rng: Random) -> None:
    """Play games against a novice, and learn from each round."""
    players: list[Agent] = [learner, create_agent("novice")]
    for game in range(games):
        state, memory = pc.new_game(RULES, 2, opener=game % 2), new_memory(RULES, 2)
        while not state.is_terminal:
            if state.is_chance:
                action: pc.Action = pc.sample_roll(state, rng)
            else:
                seat = state.turn or 0
                action = players[seat].choose(pc.observe(state, seat), memory, rng)
            state, events = pc.apply(state, action)
            memory = remember_all(memory, events)
            for lost in (event for event in events if isinstance(event, pc.DiceLost)):
                learner.learn(-1 if lost.seat == 0 else 1)


if __name__ == "__main__":
    to_learn, to_measure = map(int, sys.argv[1:] or ("2000", "1000"))
    learner = Learner()
    train(learner, to_learn, Random(1))
    learner.explore = 0
    result = play([learner, "novice"], RULES, games=to_measure, seed=2).players[0]
    low, high = result.interval
    print(f"{result.wins:.1%} of {result.games} games won (95 %: {low:.1%} to {high:.1%})")
