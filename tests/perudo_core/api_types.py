"""What a type checker makes of the library. Nobody runs this file: mypy reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import assert_type

from perudo_core import (
    Bid,
    Call,
    Calza,
    ChanceAction,
    Dudo,
    Event,
    LegalActions,
    Observation,
    Outcome,
    Reason,
    Record,
    Replay,
    Rules,
    Seat,
    State,
    apply,
    bid_probability,
    check,
    legal_actions,
    new_game,
    observe,
    record_of,
    replay,
    sample_roll,
    settle_claims,
    smallest_raise,
)

assert_type(Rules.preset, Callable[[str], Rules])
assert_type(Rules().preset, str)
assert_type(Rules.clauses("aces"), Mapping[str, str])
state = assert_type(new_game(Rules.preset("aces"), ["Ana", "Bo"]), State)
assert_type(sample_roll(state, Random(1)), ChanceAction)
assert_type(legal_actions(state), LegalActions)
assert_type(legal_actions(state)[0], Bid | Dudo | Calza)
assert_type(list(legal_actions(state, 0)), list[Call])
assert_type(check(state, Dudo(0)), Reason | None)
assert_type(apply(state, Dudo(0)).events, tuple[Event, ...])
assert_type(smallest_raise(state), Bid | None)
assert_type(settle_claims(state, [1]), Seat | None)
assert_type(state.outcome, Outcome | None)
assert_type(observe(state, None), Observation)
assert_type(bid_probability(observe(state, 0), Bid(0, 1, 2)), Fraction)
assert_type(record_of(Rules(), 2, []), Record)
assert_type(replay(record_of(Rules(), 2, [])), Replay)
state.round = 3  # type: ignore[misc]
