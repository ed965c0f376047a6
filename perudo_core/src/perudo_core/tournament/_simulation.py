"""Plays whole tournaments with computer players."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from perudo_core._actions import Action
from perudo_core._chance import sample_roll
from perudo_core._engine import apply
from perudo_core._observation import observe
from perudo_core._rules import Rules
from perudo_core._state import new_game
from perudo_core.agents import Agent, new_memory, remember_all
from perudo_core.tournament import MOST_AT_A_TABLE, draw_tables, going_on, ranking

__all__ = ["play_tournament"]


def play_tournament(
    agents: Sequence[Agent], rules: Rules, rng: Random, *, most_at_a_table: int, share: Fraction
) -> tuple[int, int]:
    """Play every stage and the final; return the winner's index and the number of games."""
    left, games = list(range(len(agents))), 0
    while len(left) > 1:
        is_final = len(left) <= MOST_AT_A_TABLE
        tables = draw_tables(left, rng, most_at_a_table=MOST_AT_A_TABLE if is_final else most_at_a_table)
        games += len(tables)
        left = []
        for table in tables:
            wanted = 1 if is_final else going_on(len(table), share)
            best = _played([agents[player] for player in table], rules, rng, wanted)
            left += [table[seat] for seat in best]
    return left[0], games


def _played(agents: Sequence[Agent], rules: Rules, rng: Random, wanted: int) -> tuple[int, ...]:
    """Return the best seats of one table, which stops as soon as they are decided."""
    state, memory = new_game(rules, len(agents)), new_memory(rules, len(agents))
    while len(state.active_seats) > wanted:
        action: Action
        if state.turn is None:
            action = sample_roll(state, rng)
        else:
            action = agents[state.turn].choose(observe(state, state.turn), memory, rng)
        state, events = apply(state, action)
        memory = remember_all(memory, events)
    return ranking(state)[:wanted]
