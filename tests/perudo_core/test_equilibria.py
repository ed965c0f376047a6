"""Small games in Dudo's order of claims, by OpenSpiel's solver, and by the example.

Dudo's order of claims puts ones right above sixes of the same quantity (Neller and Hnath, "Approximating optimal Dudo
play with fixed-strategy iteration counterfactual regret minimization"); `PlainRaise.ONES_HIGHEST` is this order. In
Perudo n ones are above 2n of any other face. test_solving.py has the values of both.
"""

import importlib.util
import random
import subprocess
import sys
from typing import Any

import pyspiel
import pytest

import perudo_core.openspiel  # noqa: F401 - registers the game
from perudo_core import Rules
from tests.perudo_core.builds import PROJECT

EXAMPLE = PROJECT / "examples" / "cfr_2x2.py"


def test_dudos_claims_rise_as_neller_and_hnath_say() -> None:
    """Any claim opens, and is higher than all before it: 1x2 < 1x3 < ... < 1x6 < 1x1 < 2x2 < ... < 2x1."""
    order = [f"{quantity}x{face}" for quantity in (1, 2) for face in (2, 3, 4, 5, 6, 1)]
    game = pyspiel.load_game("python_perudo(dice=1,options=plain_raise:ones_highest ones_may_open:true)")
    for index, claim in enumerate(order):
        state = game.new_initial_state()
        for hand in (0, 0):
            state.apply_action(hand)
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order}
        state.apply_action(state.string_to_action(claim))
        assert {state.action_to_string(action) for action in state.legal_actions()} == {*order[index + 1 :], "dudo"}


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
