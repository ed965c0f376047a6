"""Known values of small games: by an exact linear program, by OpenSpiel's solver, and by the example.

The value of one round with one die each is the first player's. Dudo's order of claims puts ones right above sixes of
the same quantity, and gives -7/258 (Neller and Hnath, "Approximating optimal Dudo play with fixed-strategy iteration
counterfactual regret minimization"); `PlainRaise.ONES_HIGHEST` is this order. In Perudo n ones are above 2n of any
other face, which gives -1/18 by every preset.
"""

import importlib.util
import random
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pyspiel
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

import perudo_core.openspiel  # noqa: F401 - registers the game
from perudo_core import PRESETS, PlainRaise, Rules
from tests.perudo_core.builds import PROJECT

DUDOS_ORDER = "options=plain_raise:ones_highest ones_may_open:true"
EXAMPLE = PROJECT / "examples" / "cfr_2x2.py"


class SequenceForm:
    """A round of one die each as a linear program (Koller, Megiddo and von Stengel): exact, but for rounding."""

    def __init__(self, parameters: str, *, wild: bool = True) -> None:
        self.wild = wild
        self.sequences: list[dict[Any, int]] = [{(): 0}, {(): 0}]
        self.constraints: list[list[tuple[int, list[int]]]] = [[], []]
        """For each information state: the sequence that leads there, and those that go on."""
        self.payoffs: dict[tuple[int, int], float] = {}
        start = pyspiel.load_game(f"python_perudo({parameters},dice=1)").new_initial_state()
        for hand in (0, 0):  # what may be said does not depend on the dice
            start.apply_action(hand)
        self.walk(start, (), [[0] * 6, [0] * 6])

    def walk(self, state: Any, said: tuple[str, ...], reached: list[list[int]]) -> None:
        player, calls = state.current_player(), {state.action_to_string(each): each for each in state.legal_actions()}
        known = self.sequences[player]
        on = {call: [known.setdefault((die, *said, call), len(known)) for die in range(6)] for call in calls}
        for die in range(6):
            self.constraints[player].append((reached[player][die], [sequences[die] for sequences in on.values()]))
        for call, action in calls.items():
            following = [on[call], reached[1]] if player == 0 else [reached[0], on[call]]
            if call == "dudo":
                quantity, face = map(int, said[-1].split("x"))
                for dice in product(range(1, 7), repeat=2):
                    holds = sum(die == face or (self.wild and die == 1) for die in dice) >= quantity
                    pair = (following[0][dice[0] - 1], following[1][dice[1] - 1])
                    self.payoffs[pair] = (1 if holds == (player == 1) else -1) / 36
            else:
                self.walk(state.child(action), (*said, call), following)

    def realization(self, player: int) -> Any:
        """The matrix that is (1, 0, 0, ...) times a plan: what goes on from an information state led there."""
        entries = [(0, 0, 1)]
        for row, (before, after) in enumerate(self.constraints[player], 1):
            entries += [(row, before, -1), *((row, each, 1) for each in after)]
        rows, columns, values = zip(*entries, strict=True)
        return coo_array((values, (rows, columns)), (max(rows) + 1, len(self.sequences[player])))

    def value(self) -> float:
        first, second = self.realization(0), self.realization(1)
        rows, columns = zip(*self.payoffs, strict=True)
        payoffs = coo_array((list(self.payoffs.values()), (rows, columns)), (first.shape[1], second.shape[1]))
        plans, prices = first.shape[1], second.shape[0]
        objective = np.zeros(plans + prices)
        objective[plans] = -1
        solved = linprog(
            objective,
            A_ub=hstack([-payoffs.T, second.T]),
            b_ub=np.zeros(second.shape[1]),
            A_eq=hstack([first, coo_array((first.shape[0], prices))]),
            b_eq=np.eye(1, first.shape[0])[0],
            bounds=[(0, None)] * plans + [(None, None)] * prices,
        )
        assert solved.success
        return -float(solved.fun)


@pytest.mark.usefixtures("untraced")
def test_one_die_each_in_dudos_order() -> None:
    """In one round with one die each, the other presets differ by the kind of raise alone."""
    assert SequenceForm(DUDOS_ORDER).value() == pytest.approx(-7 / 258, abs=1e-9)


def test_dudos_claims_rise_as_neller_and_hnath_say() -> None:
    """Any claim opens, and is higher than all before it: 1x2 < 1x3 < ... < 1x6 < 1x1 < 2x2 < ... < 2x1."""
    order = [f"{quantity}x{face}" for quantity in (1, 2) for face in (2, 3, 4, 5, 6, 1)]
    for index, claim in enumerate(order):
        state = pyspiel.load_game(f"python_perudo({DUDOS_ORDER},dice=1)").new_initial_state()
        for hand in (0, 0):
            state.apply_action(hand)
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order}
        state.apply_action(state.string_to_action(claim))
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order[index + 1 :], "dudo"}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("preset", ["box_2009", "aces"])
def test_one_die_each_in_perudos_order(preset: str) -> None:
    """In one round with one die each the other presets are one of these two: the next test."""
    assert SequenceForm(f"preset={preset}").value() == pytest.approx(-1 / 18, abs=1e-9)


def test_with_one_die_each_the_presets_differ_by_the_kind_of_raise_alone() -> None:
    kinds = {
        (rules.plain_raise, rules.wild_ones, rules.ones_may_open, rules.calza) for rules in map(Rules.preset, PRESETS)
    }
    assert kinds == {(PlainRaise.ONE_THING, True, False, False), (PlainRaise.NO_DECREASE, True, False, False)}


def test_one_die_each_without_wild_ones() -> None:
    assert SequenceForm("options=wild_ones:false", wild=False).value() == pytest.approx(-1 / 9, abs=1e-9)


@pytest.mark.usefixtures("untraced")
def test_openspiels_sampling_cfr_learns_two_dice_each() -> None:
    """It wins against random calls; the whole tree would take minutes and gigabytes."""
    game = pyspiel.load_game("python_perudo(dice=2,options=wild_ones:false)")
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 7)
    for _ in range(150):
        solver.run_iteration()
    policy, rng = solver.average_policy(), random.Random(3)
    assert sum(won(game, policy, number % 2, rng) for number in range(400)) > 40


def won(game: Any, policy: Any, player: int, rng: random.Random) -> float:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            choices = dict(state.chance_outcomes())
        elif state.current_player() == player:
            choices = policy.action_probabilities(state)
        else:
            choices = dict.fromkeys(state.legal_actions(), 1)
        state.apply_action(rng.choices([*choices], [*choices.values()])[0])
    return float(state.returns()[player])


def example() -> Any:
    spec = importlib.util.spec_from_file_location("cfr_2x2", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_solves_one_die_each() -> None:
    run = subprocess.run([sys.executable, EXAMPLE, "1", "60"], check=True, capture_output=True, text=True)  # noqa: S603
    *_, last, exploitability = run.stdout.splitlines()
    assert last == "60: seat 0 wins -0.0556 -0.0556"
    assert 0 < float(exploitability.removeprefix("exploitability ")) < 0.005


def test_the_example_learns_two_dice_each() -> None:
    solver = example().Solver(Rules().with_options(wild_ones=False), 2)
    exploitabilities = []
    for iteration in range(1, 9):
        for player in (0, 1):
            solver.win(player, iteration)
        if iteration in {1, 8}:
            exploitabilities.append((solver.win(0, best=True) + solver.win(1, best=True)) / 2)
    assert 0 < 3 * exploitabilities[1] < exploitabilities[0]
