"""Rounds of two players, solved: the value of a round, a strategy that hardly loses to anybody, and how far others are.

>>> from perudo_core import Rules
>>> solved = solve(Rules(), (1, 1), iterations=400)
>>> round(solved.value, 3), solved.exploitability < 0.002
(-0.056, True)

A **round** is one of two players who hold `dice`, as `(1, 2)`: the first opens, and whoever loses it pays 1 to the
other. Bids are limited to all dice on the table, because a higher one is always doubted. With `faces` below 6 the dice
have fewer faces, as in the toy games of the literature. With `palifico` it is a palifico round of the player who opens
with one die: the face is locked and no ones are wild. Needs the extra `numpy`.

The **value** is the opener's expected result, from -1 to 1. The **exploitability** of a strategy is the expected result
of a perfect opponent, as the mean of both seats, minus that of a perfect strategy: 0 is unbeatable. It is OpenSpiel's
`exploitability`, half of NashConv.

The **method** is CFR+ (Tammelin, "Solving large imperfect information games using CFR+") on all sequences of bids, with
the hands of a player in arrays. The best responses to a strategy give bounds for the value, so that a solution proves
how exact it is.
"""

from __future__ import annotations

from perudo_core._errors import missing_extra

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise missing_extra(error, "perudo_core.solving", "numpy") from None

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from random import Random
from typing import Any, Final, TypeAlias

from perudo_core._actions import FACES, Bid, Call, Dudo
from perudo_core._bid_numbers import bid_number, count_bids, quantity_and_face
from perudo_core._bidding import ONE
from perudo_core._errors import RulesError, expect_int, expect_tuple_of, expect_type
from perudo_core._hands import Hand
from perudo_core._observation import Observation, observe
from perudo_core._positions import set_up
from perudo_core._public_names import publish
from perudo_core._rules import IN_THE_BOOKS, MAX_STARTING_DICE, Rules, expect_supported
from perudo_core.agents import Agent, new_memory
from perudo_core.odds import count_matching

__all__ = ["Policy", "Solution", "agent_policy", "exploitability", "solve", "uniform_policy"]

Policy: TypeAlias = Callable[[Observation], Mapping[Call, float]]
"""A strategy: for an observation of the player to call the probability of each call; a call without one has 0."""

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

MOST_SEQUENCES: Final = 2_000_000
"""The most sequences of bids of a round: larger rounds would need gigabytes."""
PLAYERS: Final = 2
SUPPORTED: Final = frozenset(
    IN_THE_BOOKS - {"calza", "lose_by_difference", "out_of_turn_dudo"}
    | {"extra_die", "first_out_wins", "ones_rank", "reverse_after_call"}
)
"""The options of rules whose rounds can be solved."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved round: `solve` makes it. Each is equal to itself alone."""

    rules: Rules
    dice: tuple[int, int]
    faces: int
    palifico: bool
    bounds: tuple[float, float]
    """The value of the round lies between these numbers, by the best responses to the strategy."""
    _tree: _Tree = field(repr=False)
    _strategy: _Strategy = field(repr=False)

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return sum(self.bounds) / 2

    @property
    def exploitability(self) -> float:
        """The exploitability of the strategy: half the distance of the bounds."""
        return (self.bounds[1] - self.bounds[0]) / 2

    def probabilities(self, hand: Sequence[int], bids: Sequence[tuple[int, int]] = ()) -> dict[str, float]:
        """Return the probability of each call, as `2x3` or `dudo`, with this hand and after these bids.

        Each of `bids` is a quantity and a face. Raises `ValueError` for a hand or for bids that the round cannot have.

        >>> from perudo_core import Rules
        >>> solved = solve(Rules(), (1, 1), iterations=400)
        >>> round(solved.probabilities((2,), [(2, 5)])["dudo"], 2)
        1.0
        """
        depth, node = 0, 0
        for bid in bids:
            node = self._tree.child(depth, node, bid)
            depth += 1
        hands = self._tree.hands[depth % PLAYERS]
        held = tuple(sorted(hand))
        if held not in hands:
            raise ValueError(f"no hand of {self.dice[depth % PLAYERS]} dice with {self.faces} faces: {hand}")
        raises, dudo = self._strategy[depth]
        level, row = self._tree.levels[depth], hands.index(held)
        bids_after = [(level.bid_of(edge), edge) for edge in level.following(node)]
        named = {f"{quantity}x{face}": float(raises[edge, row]) for (quantity, face), edge in bids_after}
        return named | ({"dudo": float(dudo[node, row])} if depth else {})


def solve(
    rules: Rules, dice: tuple[int, int], *, faces: int = len(FACES), palifico: bool = False, iterations: int = 1000
) -> Solution:
    """Return the value and a nearly perfect strategy of a round in which the first player opens.

    The exploitability falls faster than in proportion to the iterations. Raises `RulesError` for rules with calza,
    with a dudo out of turn, with losses by the difference, with dice that are rolled again or with only palifico
    rounds, and for a palifico round that the rules do not have; `ValueError` for a round with too many sequences of
    bids.
    """
    tree = _Tree(rules, dice, faces, palifico=palifico)
    expect_int(iterations, "iterations", 1, 10**9)
    solver = _Solver(tree)
    for iteration in range(1, iterations + 1):
        solver.iterate(iteration)
    strategy = solver.average()
    first, second = tree.best_results(strategy)
    return Solution(rules, dice, faces, palifico, (-second, first), tree, strategy)


def exploitability(policy: Policy, rules: Rules, dice: tuple[int, int], *, palifico: bool = False) -> float:
    """Return the exploitability of a policy in rounds of these dice, in which the first player opens.

    The policy is asked once for each hand of each player and each sequence of bids. Raises `ValueError` for
    probabilities that do not add up to 1 or are not those of legal calls.

    >>> from perudo_core import Rules
    >>> round(exploitability(uniform_policy, Rules(), (1, 1)), 2)
    0.73
    """
    if not callable(policy):
        raise TypeError(f"policy must be a function of an Observation, not {type(policy).__name__}: agent_policy(…)")
    tree = _Tree(rules, dice, len(FACES), palifico=palifico)
    return sum(tree.best_results(tree.strategy_of(policy))) / PLAYERS


def uniform_policy(observation: Observation) -> dict[Call, float]:
    """Return the same probability for each legal call of at most all dice on the table."""
    total = observation.total_dice
    calls = [call for call in observation.legal_calls if not isinstance(call, Bid) or call.quantity <= total]
    return dict.fromkeys(calls, 1 / len(calls))


def agent_policy(agent: Agent, *, samples: int = 100, seed: int = 0) -> Policy:
    """Return the policy of an agent that remembers nothing, from so many of its choices in each situation."""
    expect_int(samples, "samples", 1, 10**6)

    def policy(observation: Observation) -> dict[Call, float]:
        memory = new_memory(observation.rules, len(observation.seats))
        hand = f"{seed} {observation.seat} {observation.dice} {observation.bids}"
        rng = Random(hand)  # noqa: S311 - a seed makes it repeatable
        chosen = Counter(agent.choose(observation, memory, rng) for _ in range(samples))
        return {call: count / samples for call, count in chosen.items()}

    return policy


_Strategy: TypeAlias = list[tuple[Array, Array]]
"""For each number of bids: the probability of each raise, and of a dudo after each sequence, by the hand."""


@dataclass(frozen=True)
class _Level:
    """All sequences of so many bids, in order; the sequences that follow one of them lie next to each other."""

    last: Integers
    """The number of the last bid of each sequence."""
    first: Integers
    """The first sequence of the next level that follows each."""
    count: Integers
    """The number of sequences of the next level that follow each."""
    next_last: Integers
    """The number of the last bid of each sequence of the next level."""

    def following(self, node: int) -> range:
        """Return the sequences of the next level that follow one."""
        return range(int(self.first[node]), int(self.first[node] + self.count[node]))

    def bid_of(self, edge: int) -> tuple[int, int]:
        """Return the quantity and the face of a bid that leads to the next level."""
        return quantity_and_face(int(self.next_last[edge]))

    @cached_property
    def parent(self) -> Integers:
        """For each sequence of the next level the one that it follows."""
        return np.repeat(np.arange(len(self.last)), self.count)

    def sums(self, of_next: Array) -> Array:
        """Return for each sequence the sum over those that follow it."""
        ends = np.concatenate([np.zeros((1, of_next.shape[1])), np.cumsum(of_next, axis=0)])
        return np.asarray(ends[self.first + self.count] - ends[self.first])

    def best(self, of_next: Array, least: Array) -> Array:
        """Return for each sequence the maximum over those that follow it, and `least`."""
        best = least.copy()
        np.maximum.at(best, self.parent, of_next)
        return best


class _Tree:
    """All sequences of bids of a round, and the results of a dudo."""

    def __init__(self, rules: Rules, dice: tuple[int, int], faces: int, *, palifico: bool) -> None:
        expect_type(rules, Rules, "rules")
        expect_tuple_of(dice, int, "dice")
        if len(dice) != PLAYERS:
            raise ValueError(f"dice must be of two players, not {len(dice)}")
        for count in dice:
            expect_int(count, "each of dice", 1, MAX_STARTING_DICE)
        expect_int(faces, "faces", 2, len(FACES))
        expect_supported(rules, SUPPORTED, "a solved round")
        if palifico and not (rules.palifico and rules.palifico_with_two_players and dice[0] == 1):
            raise RulesError("in a palifico round the opener has one die, and the rules have palifico with two players")
        self.rules, self.dice, self.faces, self.palifico = rules, dice, faces, palifico
        self.ones_are_wild = rules.wild_ones and not palifico
        bid_rules = rules.palifico_bid_rules if palifico else rules.normal_bid_rules
        changes = palifico and rules.palifico_face_change and dice[1] == 1
        self.bid_rules = (bid_rules, rules.face_change_bid_rules if changes else bid_rules)
        self.hands: tuple[list[tuple[int, ...]], ...] = tuple(
            list(combinations_with_replacement(range(1, faces + 1), count)) for count in dice
        )
        self.chances: tuple[Array, ...] = tuple(
            np.array([_orders(hand) / faces ** len(hand) for hand in hands]) for hands in self.hands
        )
        self.levels = list(self._levels())
        self._dudo: dict[tuple[int, int], Array] = {}

    def _levels(self) -> list[_Level]:
        @cache
        def following(mover: int, last: int) -> Integers:
            ranges = self.bid_rules[mover].next_bids[None if last < 0 else quantity_and_face(last)].ranges
            numbers = (
                number
                for number in range(count_bids(sum(self.dice)))
                for quantity, face in [quantity_and_face(number)]
                if face <= self.faces and ranges[face][0] <= quantity < ranges[face][1]
            )
            return np.fromiter(numbers, np.int64)

        levels, sequences, last = list[_Level](), 1, np.array([-1])
        while len(last):
            lists = [following(len(levels) % PLAYERS, number) for number in last.tolist()]
            count = np.array([len(each) for each in lists])
            next_last = np.concatenate(lists)
            sequences += len(next_last)
            if sequences > MOST_SEQUENCES:
                raise ValueError(
                    f"more than {MOST_SEQUENCES} sequences of bids: fewer dice or fewer faces can be solved"
                )
            levels.append(_Level(last, np.cumsum(count) - count, count, next_last))
            last = next_last
        return levels

    def child(self, depth: int, node: int, bid: tuple[int, int]) -> int:
        """Return the sequence of the next level that continues a sequence of this one with a bid."""
        level = self.levels[depth]
        for edge in level.following(node):
            if level.bid_of(edge) == tuple(bid):
                return edge
        raise ValueError(f"the bid {bid[0]}x{bid[1]} may not follow")

    def doubted(self, depth: int, reach: Array) -> Array:
        """Return the result of the player to call who says dudo, by the own hand.

        `reach` is the probability, by the other's hand, that the other's hand and calls lead to each sequence.
        """
        mover, level = depth % PLAYERS, self.levels[depth]
        result = np.zeros((len(level.last), len(self.hands[mover])))
        for number in np.unique(level.last):
            rows = level.last == number
            result[rows] = reach[rows] @ self.dudo(mover, int(number)).T
        return result

    def dudo(self, mover: int, number: int) -> Array:
        """Return the result of a dudo to this bid, by the hands of the player and of the other: 1 or -1."""
        if (mover, number) not in self._dudo:
            own, other = self.hands[mover], self.hands[1 - mover]
            self._dudo[mover, number] = _dudo_results(own, other, number, ones_are_wild=self.ones_are_wild)
        return self._dudo[mover, number]

    def best_results(self, strategy: _Strategy) -> tuple[float, float]:
        """Return the expected result of a perfect opponent in each seat against this strategy in the other."""
        first, second = (self._best_result(player, strategy) for player in range(PLAYERS))
        return first, second

    def _best_result(self, player: int, strategy: _Strategy) -> float:
        reaches = self.reaches(1 - player, strategy)
        values = np.zeros((0, len(self.hands[player])))
        for depth in range(len(self.levels) - 1, -1, -1):
            level, reach = self.levels[depth], reaches[depth]
            if depth % PLAYERS == player:
                doubt = self.doubted(depth, reach) if depth else np.full((1, values.shape[1]), -np.inf)
                values = level.best(values, doubt)
            else:
                values = level.sums(values) - self.doubted_by_other(depth, reach * strategy[depth][1])
        return float(values[0] @ self.chances[player])

    def doubted_by_other(self, depth: int, reach: Array) -> Array:
        """Return the result of the player to call who says dudo, by the other's hand; 0 for the opening."""
        mover, level = depth % PLAYERS, self.levels[depth]
        result = np.zeros((len(level.last), len(self.hands[1 - mover])))
        for number in np.unique(level.last) if depth else ():
            rows = level.last == number
            result[rows] = reach[rows] @ self.dudo(mover, int(number))
        return result

    def reaches(self, player: int, strategy: _Strategy, *, with_chance: bool = True) -> list[Array]:
        """Return for each level the probability of the player's hand and calls that lead to each sequence, by hand."""
        start = self.chances[player] if with_chance else np.ones_like(self.chances[player])
        reaches = [start[None, :]]
        for depth, level in enumerate(self.levels[:-1]):
            following = reaches[-1][level.parent]
            reaches.append(following * strategy[depth][0] if depth % PLAYERS == player else following)
        return reaches

    def strategy_of(self, policy: Policy) -> _Strategy:
        """Return the policy's probabilities, asked for each hand and each sequence of bids."""
        strategy: _Strategy = []
        sequences: list[tuple[tuple[int, int], ...]] = [()]
        for depth, level in enumerate(self.levels):
            hands = self.hands[depth % PLAYERS]
            raises, dudo = np.zeros((len(level.next_last), len(hands))), np.zeros((len(level.last), len(hands)))
            for node, bids in enumerate(sequences):
                edges = {int(level.next_last[edge]): edge for edge in level.following(node)}
                for row, hand in enumerate(hands):
                    self._ask(policy, bids, hand, edges, raises[:, row], dudo[node : node + 1, row])
            strategy.append((raises, dudo))
            sequences = [
                (*bids, level.bid_of(edge)) for node, bids in enumerate(sequences) for edge in level.following(node)
            ]
        return strategy

    def _ask(  # noqa: PLR0917 - called once
        self,
        policy: Policy,
        bids: tuple[tuple[int, int], ...],
        hand: tuple[int, ...],
        edges: dict[int, int],
        raises: Array,
        dudo: Array,
    ) -> None:
        """Write the policy's probabilities with this hand after these bids."""
        seat = len(bids) % PLAYERS
        other = (ONE,) * self.dice[1 - seat]
        start = max(*self.dice, 1 + self.palifico)
        rules = self.rules.with_options(starting_dice=start, extra_die=False, lost_dice="visible")
        made = [Bid(turn % PLAYERS, *bid) for turn, bid in enumerate(bids)]
        hands, opened = (hand, other) if seat == 0 else (other, hand), 0 if self.palifico else None
        view = observe(set_up(rules, hands, made, palifico=opened), seat)
        given = policy(view)
        for call, probability in given.items():
            if isinstance(call, Dudo) and bids:
                dudo[0] += probability
            elif isinstance(call, Bid) and bid_number(call.quantity, call.face) in edges:
                raises[edges[bid_number(call.quantity, call.face)]] += probability
            elif probability:
                raise ValueError(f"{call} is no call of the round")
        if abs(sum(given.values()) - 1) > 1e-6 or min(given.values()) < 0:  # noqa: PLR2004 - rounding
            raise ValueError(f"the probabilities of {hand} must add up to 1: {dict(given)}")


class _Solver:
    """CFR+: regrets never fall below 0, and the average weighs an iteration by its number."""

    def __init__(self, tree: _Tree) -> None:
        self.tree = tree
        self.regrets: _Strategy = self._zeros()
        self.totals: _Strategy = self._zeros()

    def _zeros(self) -> _Strategy:
        sizes = [len(self.tree.hands[depth % PLAYERS]) for depth in range(len(self.tree.levels))]
        return [
            (np.zeros((len(level.next_last), size)), np.zeros((len(level.last), size)))
            for level, size in zip(self.tree.levels, sizes, strict=True)
        ]

    def iterate(self, weight: int) -> None:
        """Update the regrets of one player after the other."""
        for player in range(PLAYERS):
            strategy = self._normalized(self.regrets)
            others = self.tree.reaches(1 - player, strategy)
            own = self.tree.reaches(player, strategy, with_chance=False)
            values = np.zeros((0, len(self.tree.hands[player])))
            for depth in range(len(self.tree.levels) - 1, -1, -1):
                level, reach, (raises, dudo) = self.tree.levels[depth], others[depth], strategy[depth]
                if depth % PLAYERS != player:
                    values = level.sums(values) - self.tree.doubted_by_other(depth, reach * dudo)
                    continue
                doubt = self.tree.doubted(depth, reach) if depth else np.zeros_like(dudo)
                value = level.sums(values * raises) + doubt * dudo
                regrets, totals = self.regrets[depth], self.totals[depth]
                np.maximum(regrets[0] + values - value[level.parent], 0, out=regrets[0])
                totals[0][:] += weight * own[depth][level.parent] * raises
                if depth:  # there is no dudo before the first bid
                    np.maximum(regrets[1] + doubt - value, 0, out=regrets[1])
                    totals[1][:] += weight * own[depth] * dudo
                values = value

    def average(self) -> _Strategy:
        """Return the average strategy."""
        return self._normalized(self.totals)

    def _normalized(self, weights: _Strategy) -> _Strategy:
        strategy = []
        for depth, (level, (raises, dudo)) in enumerate(zip(self.tree.levels, weights, strict=True)):
            total = level.sums(raises) + dudo
            calls = level.count + (depth > 0)
            even = np.broadcast_to(1 / np.maximum(calls, 1)[:, None], total.shape)
            scale = np.where(total > 0, 1 / np.where(total > 0, total, 1), 0)
            spread = np.where(total > 0, 0, even)
            evenly = spread if depth else np.zeros_like(spread)
            strategy.append((raises * scale[level.parent] + spread[level.parent], dudo * scale + evenly))
        return strategy


def _dudo_results(own: Sequence[Hand], other: Sequence[Hand], number: int, *, ones_are_wild: bool) -> Array:
    """Return the result of a dudo to this bid, by the hands of the player and of the other: 1 or -1."""
    quantity, face = quantity_and_face(number)
    held, others = (np.array([count_matching(hand, face, ones_are_wild) for hand in hands]) for hands in (own, other))
    return np.where(held[:, None] + others >= quantity, -1.0, 1.0)


def _orders(hand: tuple[int, ...]) -> int:
    """Return the number of orders in which the dice of a sorted hand can lie."""
    return factorial(len(hand)) // prod(map(factorial, Counter(hand).values()))


publish(globals())
