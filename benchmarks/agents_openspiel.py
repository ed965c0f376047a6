"""OpenSpiel's own exploitability of the heads-up table of one die each: a check that shares no code with the training.

    python -m benchmarks.agents_openspiel

OpenSpiel keeps the tree of the whole round, in which the players forget nothing, and finds what a perfect opponent
wins.
Rounds with more dice are too large for it. Takes half a minute.
"""

from typing import Any

import pyspiel

import perudo_core.openspiel  # noqa: F401 - registers the game
from benchmarks.core_tables import head, row
from perudo_core import Bid
from perudo_core._bid_numbers import bid_number, quantity_and_face
from perudo_core.agents._headup_tree import DUDO, Round, RoundKind, tree_of
from test_support.heads_up import shipped_strategy


def policy_of(game: Any, kind: RoundKind) -> Any:
    """Return the table as OpenSpiel's policy."""
    strategy, tree = shipped_strategy(Round(kind, 1, 1)), tree_of(kind, 2)
    policy: dict[str, list[tuple[int, float]]] = {}
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_chance_node():
            waiting += [state.child(action) for action, _ in state.chance_outcomes()]
        elif not state.is_terminal():
            key = state.information_state_string(state.current_player())
            if key not in policy:
                words = dict(part.split("=", 1) for part in key.split(" "))
                said = () if words["bids"] == "-" else tuple(map(number_of, words["bids"].split(",")))
                recent = said[-tree.recall :]
                calls, rows = tree.actions[recent], strategy(state.current_player(), recent)
                names = ["dudo" if call == DUDO else str(Bid(0, *quantity_and_face(call))) for call in calls]
                chances = dict(zip(names, map(float, rows[int(words["dice"]) - 1]), strict=True))
                policy[key] = [(action, chances[state.action_to_string(action)]) for action in state.legal_actions()]
            waiting += [state.child(action) for action in state.legal_actions()]
    return pyspiel.TabularPolicy(policy)


def number_of(text: str) -> int:
    """Return the number of a bid, as 1x3."""
    quantity, face = text.split("x")
    return bid_number(int(quantity), int(face))


def main() -> None:
    """Print a row for each kind of raise."""
    head("raise", "exploitability of a round", "of a match", "seat 0 wins", "known")
    for preset, kind in (("box_2009", RoundKind.ONE_THING), ("aces", RoundKind.NO_DECREASE)):
        game = pyspiel.convert_to_cached_tree(pyspiel.load_game(f"python_perudo(preset={preset},dice=1)"))
        policy = policy_of(game, kind)
        lost = pyspiel.exploitability(game, policy)
        wins = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0]
        row(kind.value, f"{lost:.4f}", f"{lost / 2:.4f}", f"{wins:+.4f}", f"{-1 / 18:+.4f}")


if __name__ == "__main__":
    main()
