"""The number of ways in which a game can continue, for 1, 2, 3 ... calls: the counts of `perft.json`."""

from __future__ import annotations

from typing import Any

from perudo_conformance._checked_engine import CheckedEngine, call_text
from perudo_conformance._core_engine import facts_of
from perudo_conformance._differences import STATE_BEFORE, ConformanceError
from perudo_core._actions import Dice, Roll
from perudo_core._codec import dump_action
from perudo_core._engine import apply, legal_calls
from perudo_core._phase import Phase
from perudo_core._rules import Rules
from perudo_core._state import State, new_game

__all__ = ["check_perft", "count_ways"]


def check_perft(engine: CheckedEngine, case: dict[str, Any]) -> int:
    """Check a case of `perft.json`; return the number of its counts."""
    place = f"perft.json: {case['name']}"
    wanted = case["ways"]
    found = count_ways(engine, case["rules"], case["seats"], len(wanted), place)
    for calls, (got, ways) in enumerate(zip(found, wanted, strict=True), 1):
        if got != ways:
            raise ConformanceError(f"{place}: ways to make {calls} calls", str(ways), str(got))
    return len(wanted)


def count_ways(engine: CheckedEngine, rules: dict[str, Any], seats: int, calls: int, place: str) -> list[int]:
    """Return the number of ways to continue a game for 1, 2, ...

    `calls` calls; a game that ends earlier counts as one way.

    This library plays the same games, so a difference is found in the position in which it arises.
    """
    walk = _Walk(engine, [0] * calls)
    start = new_game(Rules.from_dict(rules), seats, opener=0)
    walk.visit(f"{place}: new game", engine.new_game(f"{place}: new game", rules, seats, 0), start, 0)
    return walk.ways


class _Walk:
    def __init__(self, engine: CheckedEngine, ways: list[int]) -> None:
        self._engine = engine
        self.ways = ways

    def visit(self, place: str, state: Any, known: State, made: int) -> None:
        """Count the ways to continue from a position after so many calls; `known` is this library's state of it."""
        if known.phase is not Phase.BIDDING:
            self._engine.expect_state(place, state, facts_of(known), [])
        if known.phase is Phase.OVER:
            for calls in range(made, len(self.ways)):
                self.ways[calls] += 1
            return
        if known.phase is Phase.ROLLING:
            roll = Roll(_pattern(known))
            place = f"{place}, roll"
            state = self._engine.apply(place, state, dump_action(roll))
            known = apply(known, roll).state
        self.ways[made] += self._count(place, state, known)
        if made + 1 < len(self.ways):
            for call in legal_calls(known):
                after = f"{place}, {call_text(call.seat, str(call))}"
                self.visit(
                    after, self._engine.apply(after, state, dump_action(call)), apply(known, call).state, made + 1
                )
            self._count(f"{place}, a call: {STATE_BEFORE}", state, known)

    def _count(self, place: str, state: Any, known: State) -> int:
        """Return the number of calls that the engine counts; a difference from this library's number names a call."""
        calls = legal_calls(known)
        count = self._engine.count_calls(place, state)
        if count != len(calls):
            self._engine.expect_calls(place, state, [call_text(call.seat, str(call)) for call in calls])
        return count


def _pattern(state: State) -> Dice:
    """Die d of seat s, all from 0, shows (s + d + rounds rolled before) mod 6, plus 1."""
    return tuple(
        tuple((seat + die + state.round) % 6 + 1 for die in range(count))
        for seat, count in enumerate(state.dice_counts)
    )
