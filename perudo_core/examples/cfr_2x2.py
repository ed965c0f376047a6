"""Solves one round of two players with two dice each by CFR+ (counterfactual regret minimization).

    python cfr_2x2.py [DICE [ITERATIONS]]

Needs NumPy. The bids are public and the hands are not: the program visits the sequences of bids, and each of its arrays
has a number for each hand. Exploitability is a perfect opponent's gain in a round; it falls to 0.
"""

import sys

import numpy as np

from perudo_core import FACES, Bid, Rules, State, apply, hand_outcomes, legal_calls, probability_holds, set_up

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
MINE, THEIRS = 0, 1


class Node:
    """The calls of the player whose turn it is after some bids; the arrays have a row for each call."""

    def __init__(self, state: State, hands: int) -> None:
        self.turn, self.last_bid, self.calls = state.turn, state.current_bid, list(legal_calls(state))
        self.after = [Node(apply(state, call).state, hands) if isinstance(call, Bid) else None for call in self.calls]
        self.regrets, self.sums = np.zeros((2, len(self.calls), hands))

    def strategy(self, *, average: bool) -> Array:
        """Return the probability of each call."""
        weights = self.sums if average else np.maximum(self.regrets, 0)
        total = weights.sum(axis=0)
        return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / len(weights))


class Solver:
    """CFR+ on one round in which seat 0 begins."""

    def __init__(self, rules: Rules, dice: int) -> None:
        rules = rules.with_options(starting_dice=dice)
        hands, chances = zip(*hand_outcomes(dice), strict=True)
        self.chances = np.array(chances, float)
        self.root = Node(set_up(rules, (hands[0], hands[0])), len(hands))
        self.dudo_wins = {  # by the hands of both players: 1 if the bid fails, -1 if it holds
            (quantity, face): 1 - 2 * np.array([[probability_holds(one + two, 0, quantity, face, rules.wild_ones)
                                                 for two in hands] for one in hands], float)
            for quantity in range(1, 2 * dice + 1) for face in FACES
        }  # fmt: skip

    def win(self, player: int, weight: int = 0, *, best: bool = False) -> float:
        """Return the player's gain by the average strategies, or by the best response.

        With a weight the strategies learn.
        """
        reach = [np.ones_like(self.chances)] * 2
        return float(self._values(self.root, player, reach, weight, best) @ self.chances)

    def _values(self, node: Node, player: int, reach: list[Array], weight: int, best: bool) -> Array:
        """Return the player's gain with each hand, times the probability of the opponent's calls so far."""
        strategy = node.strategy(average=not weight)
        mover = MINE if node.turn == player else THEIRS
        values = np.empty_like(strategy)
        for row, (after, probability) in enumerate(zip(node.after, strategy, strict=True)):
            here = [each * probability if who == mover else each for who, each in enumerate(reach)]
            if after is not None:
                values[row] = self._values(after, player, here, weight, best)
            elif node.last_bid is not None:  # a dudo
                won = self.dudo_wins[node.last_bid.quantity, node.last_bid.face] @ (here[THEIRS] * self.chances)
                values[row] = won if mover == MINE else -won
        if mover == THEIRS:
            return np.asarray(values.sum(axis=0))
        value = values.max(axis=0) if best else (values * strategy).sum(axis=0)
        if weight:
            node.regrets = np.maximum(node.regrets + values - value, 0)
            node.sums += weight * reach[MINE] * strategy
        return np.asarray(value)


if __name__ == "__main__":
    dice, iterations = (*map(int, sys.argv[1:]), *(2, 10)[len(sys.argv) - 1 :])
    solver = Solver(Rules(), dice)
    for iteration in range(1, iterations + 1):
        print(f"{iteration}: seat 0 wins", *(f"{solver.win(seat, iteration) * (1 - 2 * seat):+.4f}" for seat in (0, 1)))
    print(f"exploitability {(solver.win(0, best=True) + solver.win(1, best=True)) / 2:.4f}")
