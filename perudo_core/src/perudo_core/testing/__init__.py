"""The conformance kit: prove another engine, or a port to another language, against this one.

The data files are plain JSON in the folder that `python -m perudo_core.testing` prints, so that a port can read them
itself:

- `perft.json`: in how many ways a game can go on, for 1, 2, 3 ... calls, by every book and some houses. Each round is
  rolled in a fixed pattern: die d of seat s, all from 0, shows (s + d + rounds rolled before) mod 6, plus 1. A game
  that ends before so many calls counts as one way.
- `records/`: whole games, one file for each schema and book, frozen for ever.
- `playthroughs.json`: what is so after each step of those games, and how many calls are then legal.
- `houses.json`: the same for short games by the rules of some houses, with the record in the case.
- `refusals.json`: records that go wrong: the round and the call (from 1) that is refused, and the reason.
- `notation_2.json`: each record's line, in the full form and in the short one; `notation.json` has the lines that were
  written before 0.2, with `forfeit` for `concedes`, which every reader still reads.
- `fair.json`: a secret, a salt, and the dice that follow; `fair_record.json` is a whole game of them.
- `odds.json`: chances as [numerator, denominator].

Or write an `Engine` around the port, four methods that speak JSON values, and call `check_engine`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sized
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

from perudo_core.calls import LegalActions, legal_actions
from perudo_core.codec import dump_action, load_action
from perudo_core.engine import apply
from perudo_core.errors import IllegalActionError, PerudoError, abbreviated, expect_type
from perudo_core.record import Record
from perudo_core.rules import PRESETS, Rules
from perudo_core.state import State, new_game

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["ConformanceError", "CoreEngine", "Engine", "Refused", "Report", "check_engine", "data", "facts_of"]

S = TypeVar("S")

FOLDER: Final = "data"


class ConformanceError(PerudoError, AssertionError):
    """An engine that does not do what this one does; the message says where."""


class Refused(Exception):  # noqa: N818 - what an engine answers, not what went wrong
    """What an engine raises for an illegal action, with the reason's code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Engine(Protocol[S]):
    """What is proved. Actions are the JSON values of `dump_action`; a state is whatever the engine likes."""

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> S:
        """A game before its first roll, by rules as `Rules.to_dict` gives them."""

    def apply(self, state: S, action: dict[str, Any]) -> S:
        """The next state; `Refused` with the reason's code for an illegal action."""

    def legal_calls(self, state: S) -> Iterable[dict[str, Any]]:
        """Every legal bid, dudo and calza of every seat, in any order."""

    def facts(self, state: S) -> dict[str, Any]:
        """What is so now: the keys that `facts_of` gives."""


class _Dumped(Collection[dict[str, Any]]):
    """Calls that become JSON values when somebody looks at them, for most are only counted."""

    def __init__(self, calls: LegalActions) -> None:
        self._calls = calls

    def __contains__(self, call: object) -> bool:
        return call in list(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(dump_action, self._calls)

    def __len__(self) -> int:
        return len(self._calls)


class CoreEngine:
    """This library as an `Engine`, and an example of one."""

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> State:
        """A game before its first roll."""
        return new_game(Rules.from_dict(rules), seats, opener=opener)

    def apply(self, state: State, action: dict[str, Any]) -> State:
        """The next state."""
        try:
            return apply(state, load_action(action)).state
        except IllegalActionError as error:
            raise Refused(error.reason.value) from None

    def legal_calls(self, state: State) -> Iterable[dict[str, Any]]:
        """Every legal call."""
        return _Dumped(legal_actions(state))

    def facts(self, state: State) -> dict[str, Any]:
        """What is so now."""
        return facts_of(state)


class Report(NamedTuple):
    """How much was compared."""

    perft: int
    steps: int
    refusals: int


def data(name: str) -> Any:
    """The JSON value of a data file, by its path in the folder: `perft.json`, `records/schema_1_aces.json`."""
    expect_type(name, str, "name")
    known = dict(_all_files())
    if name not in known:
        outside_records = ", ".join(sorted(each for each in known if "/" not in each))
        raise ValueError(f"no data file {abbreviated(name)}; there are {outside_records} and those of records/")
    return json.loads(known[name].read_text(encoding="utf-8"))


def facts_of(state: State) -> dict[str, Any]:
    """What a playthrough holds of a state."""
    outcome = state.outcome
    return {
        "phase": state.phase.value,
        "round": state.round,
        "turn": state.turn,
        "opener": state.opener,
        "palifico": state.palifico,
        "dice_counts": list(state.dice_counts),
        "ones_wild": state.ones_are_wild,
        "max_quantity": state.max_quantity,
        "placements": None if outcome is None else list(outcome.placements),
    }


def check_engine(engine: Engine[Any] | None = None, *, presets: Collection[str] = PRESETS) -> Report:
    """Prove an engine (this library's own where none is given), or raise a `ConformanceError` at the first difference.

    It says nothing of how an opener is found, of events, or of what a seat may see.
    """
    proved: Engine[Any] = CoreEngine() if engine is None else engine
    expect_type(presets, Collection, "presets")
    unknown = [preset for preset in presets if preset not in PRESETS]
    if unknown:
        raise ValueError(f"presets must be of {', '.join(PRESETS)}, not {abbreviated(unknown[0])}")
    steps = sum(_check_playthrough(proved, case) for case in _cases("playthroughs.json", presets))
    steps += sum(_check_house(proved, case) for case in _cases("houses.json", presets))
    refusals = sum(_check_refusal(proved, case) for case in _cases("refusals.json", presets))
    perft = sum(_check_perft(proved, case) for case in _cases("perft.json", presets))
    return Report(perft, steps, refusals)


def _all_files() -> Iterable[tuple[str, Traversable]]:
    for file in files(__name__).joinpath(FOLDER).iterdir():
        if file.is_dir():
            yield from ((f"{file.name}/{inner.name}", inner) for inner in file.iterdir())
        else:
            yield file.name, file


def _cases(name: str, presets: Collection[str]) -> list[dict[str, Any]]:
    return [case for case in data(name)["cases"] if case["rules"]["preset"] in presets]


def _check_perft(engine: Engine[Any], case: dict[str, Any]) -> int:
    for calls, ways in enumerate(case["ways"], 1):
        found = _perft(engine, engine.new_game(case["rules"], case["seats"], 0), calls)
        _same(found, ways, f"perft.json: {case['name']}: ways to make {calls} calls")
    return len(case["ways"])


def _perft(engine: Engine[Any], state: Any, calls: int) -> int:
    facts = engine.facts(state)
    if facts["phase"] == "rolling":
        state = engine.apply(state, {"type": "roll", "dice": _pattern(facts["dice_counts"], facts["round"])})
    legal = engine.legal_calls(state)
    if facts["phase"] == "over" or calls == 1:
        return max(1, _count(legal))
    return sum(_perft(engine, engine.apply(state, call), calls - 1) for call in legal)


def _count(calls: Iterable[object]) -> int:
    return len(calls) if isinstance(calls, Sized) else sum(1 for _ in calls)


def _pattern(counts: Iterable[int], rolled: int) -> list[list[int]]:
    return [[(seat + die + rolled) % 6 + 1 for die in range(count)] for seat, count in enumerate(counts)]


def _check_playthrough(engine: Engine[Any], case: dict[str, Any]) -> int:
    return _check_steps(engine, case, data(case["record"]), f"playthroughs.json: {case['record']}")


def _check_house(engine: Engine[Any], case: dict[str, Any]) -> int:
    return _check_steps(engine, case, case["record"], f"houses.json: {case['name']}")


def _check_steps(engine: Engine[Any], case: dict[str, Any], written: dict[str, Any], game: str) -> int:
    record = Record.from_dict(written)
    state = engine.new_game(case["rules"], len(record.seats), record.opener)
    steps = list(_actions(record))
    for number, (action, step) in enumerate(zip(steps, case["steps"], strict=True), 1):
        where = f"{game}: after step {number}, {action['type']}"
        state = _legal(engine, state, action, where)
        _same({key: engine.facts(state).get(key) for key in step["facts"]}, step["facts"], where)
        _same(_count(engine.legal_calls(state)), step["legal"], f"{where}: legal calls")
    return len(steps)


def _check_refusal(engine: Engine[Any], case: dict[str, Any]) -> int:
    record = Record.from_dict({**case["record"], "rules": case["rules"]})
    *before, refused = _actions(record)
    where = f"refusals.json: {case['name']}"
    state = engine.new_game(case["rules"], len(record.seats), record.opener)
    for action in before:
        state = _legal(engine, state, action, where)
    try:
        engine.apply(state, refused)
    except Refused as error:
        _same(error.reason, case["reason"], f"{where}: the reason")
        return 1
    raise ConformanceError(f"{where}: accepted, not {case['reason']}")


def _legal(engine: Engine[Any], state: Any, action: dict[str, Any], where: str) -> Any:
    try:
        return engine.apply(state, action)
    except Refused as error:
        raise ConformanceError(f"{where}: refused, {error.reason}") from None


def _actions(record: Record) -> Iterable[dict[str, Any]]:
    for entry in record.rounds:
        if entry.dice:
            yield {"type": "roll", "dice": [list(hand) for hand in entry.dice]}
        yield from map(dump_action, entry.actions)


def _same(found: object, expected: object, where: str) -> None:
    if found != expected:
        raise ConformanceError(f"{where}: {found}, not {expected}")
