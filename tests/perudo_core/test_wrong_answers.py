"""Each answer of an engine is understood, or refused with its place, the wanted answer and the given one."""

import pickle
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import Any

import pytest

from perudo_conformance import ConformanceError, CoreEngine, Refused, Report, check_engine
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._optional_parts import check_odds
from perudo_core import State

Action = dict[str, Any]


class FloatDice(CoreEngine):
    def facts(self, state: State) -> Action:
        facts = super().facts(state)
        return {**facts, "dice_counts": [float(count) for count in facts["dice_counts"]]}


class Facts(CoreEngine):
    """An engine whose facts are changed in some way."""

    def __init__(self, change: Callable[[Action], Any]) -> None:
        self.change = change

    def facts(self, state: State) -> Any:
        return self.change(super().facts(state))


class Calls(CoreEngine):
    """An engine whose legal calls are changed in some way."""

    def __init__(self, change: Callable[[list[Action]], Any]) -> None:
        self.change = change

    def legal_calls(self, state: State) -> Any:
        return self.change(list(super().legal_calls(state)))


class ReturnsNoState(CoreEngine):
    def apply(self, state: State, action: Action) -> State:
        following: Any = None
        return following if action["type"] == "calza" else super().apply(state, action)


class RaisesKeyError(CoreEngine):
    def apply(self, state: State, action: Action) -> State:
        return super().apply(state, {"type": action["kind"]} if action["type"] == "dudo" else action)


class Sly:
    """A value that cannot be printed, hashed or compared."""

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


class SlyError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class RaisesWhatCannotBePrinted(CoreEngine):
    def facts(self, state: State) -> Action:
        raise SlyError(state)


class RefusesFacts(CoreEngine):
    def facts(self, state: State) -> Action:
        raise Refused(f"seat/unknown\n{state.round}")


def without(key: str) -> Callable[[Action], Action]:
    return lambda facts: {each: value for each, value in facts.items() if each != key}


def endless(calls: list[Action]) -> Iterator[Action]:
    return ({"type": "bid", "seat": 0, "quantity": quantity, "face": 2} for quantity in count(len(calls)))


def raising(calls: list[Action]) -> Iterator[Action]:
    yield from calls[:2]
    raise ZeroDivisionError("division by zero")


def circle(facts: Action) -> Action:
    facts["placements"] = [facts]
    return facts


GAME = "playthroughs.json: records/schema_1_aces.json: "


@cache
def our_own() -> Report:
    """The kit's report on this library."""
    return check_engine(presets=["aces"])


def refused(engine: Any, preset: str, place: str, said: str) -> None:
    """The report names the place and the error, in a line that can be printed."""
    with pytest.raises(ConformanceError) as caught:
        check_engine(engine, presets=[preset])
    error = caught.value
    assert str(error) == f"{place}: {said}"
    assert (error.place, f"wanted {error.wanted}, got {error.got}") == (place, said)
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("engine", "place", "wanted", "got"),
    [
        (FloatDice(), "new game: dice_counts", "[5, 5, 5]", "[5.0, 5.0, 5.0]"),
        (Facts(lambda _: None), "new game", "facts by their names", "None"),
        (Facts(without("palifico")), "new game: palifico", "None", "nothing"),
        (Facts(lambda facts: {**facts, "turn": Sly()}), "new game: turn", "None", "a Sly that cannot be printed"),
        (Facts(lambda facts: {**facts, "ones_wild": 1}), "new game: ones_wild", "True", "1"),
        (Calls(lambda calls: calls * 2), "step 1, roll: legal calls", "each call once", "C 1x2 2 times"),
        (Calls(lambda calls: calls[1:]), "step 1, roll: legal calls", "75 calls with C 1x2", "74 calls without C 1x2"),
        (
            Calls(lambda calls: [*calls[1:], {"type": "leave", "seat": 0}]),
            "new game: legal calls",
            "0 calls without A leave",
            "1 calls with A leave",
        ),
        (
            Calls(lambda calls: [{**call, "quantity": 1.0} for call in calls]),
            "step 1, roll: legal calls",
            "75 calls with C 1x2 without {'type': 'bid', 'seat': 2, 'quantity': 1.0, 'face': 2}",
            "75 calls with {'type': 'bid', 'seat': 2, 'quantity': 1.0, 'face': 2} without C 1x2",
        ),
        (
            Calls(lambda calls: [*calls, {"type": Sly()}]),
            "new game: legal calls",
            "0 calls without a dict that cannot be printed",
            "1 calls with a dict that cannot be printed",
        ),
        (Calls(lambda calls: {"calls": calls}), "new game: legal calls", "a list of calls", "{'calls': []}"),
        (
            Calls(lambda calls: [*calls, {"type": "roll", "dice": []}]),
            "new game: legal calls",
            "0 calls without {'type': 'roll', 'dice': []}",
            "1 calls with {'type': 'roll', 'dice': []}",
        ),
        (Calls(lambda _: None), "new game: legal calls", "a list of calls", "None"),
        (Calls(endless), "new game: legal calls", "at most 10000 calls", "more"),
        (Calls(raising), "new game: legal calls", "a list of calls", "ZeroDivisionError: division by zero"),
        (ReturnsNoState(), "step 8, A calza", "a state", "None"),
        (RaisesKeyError(), "step 22, B dudo", "a state", "KeyError: 'kind'"),
        (RaisesWhatCannotBePrinted(), "new game", "facts by their names", "SlyError"),
        (RefusesFacts(), "new game", "facts by their names", "refused, seat/unknown\\n0"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_malformed_answer_is_refused(engine: Any, place: str, wanted: str, got: str) -> None:
    refused(engine, "aces", GAME + place, f"wanted {wanted}, got {got}")


def test_facts_in_a_circle_are_refused() -> None:
    with pytest.raises(ConformanceError, match=r"new game: wanted facts by their names, got RecursionError"):
        check_engine(Facts(circle))


def test_the_engines_own_exception_is_the_cause() -> None:
    """A traceback that leads into the engine helps its author."""
    with pytest.raises(ConformanceError) as caught:
        check_engine(RaisesKeyError(), presets=["aces"])
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("method", ["facts", "commitment"])
def test_a_stop_is_no_mistake_of_the_engine(stop: type[BaseException], method: str) -> None:
    def stopped(*_: object) -> None:
        raise stop

    engine = CoreEngine()
    setattr(engine, method, stopped)
    with pytest.raises(stop):
        check_engine(engine, presets=["aces"])


def test_an_error_that_is_stored_and_loaded_says_the_same() -> None:
    error = ConformanceError("perft.json: aces", "20", "19")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "perft.json: aces: wanted 20, got 19"  # noqa: S301 - our own


class TuplesAndMore(CoreEngine):
    """An engine with tuples for lists, facts of its own, calls in another order, and fractions not in lowest terms."""

    def facts(self, state: State) -> Any:
        facts = super().facts(state)
        more: dict[Any, Any] = {
            **facts,
            "dice_counts": state.dice_counts,
            "phase": state.phase,
            "bids": state.bids,
            7: object(),
        }
        return MappingProxyType(more)

    def legal_calls(self, state: State) -> Any:
        return map(MappingProxyType, reversed(list(super().legal_calls(state))))

    def odds(self, *question: Any) -> Action:
        chances = {name: chance.as_integer_ratio() for name, chance in super().odds(*question).items()}
        return {name: [str(2 * over), 2 * under] for name, (over, under) in chances.items()}


@pytest.mark.usefixtures("untraced")
def test_an_engine_may_answer_in_other_ways() -> None:
    assert check_engine(TuplesAndMore(), presets=["aces"]) == our_own()


def test_an_engine_may_write_numbers_as_texts() -> None:
    assert check_odds(CheckedEngine(TuplesAndMore())) == 384


class Mutating(CoreEngine):
    """An engine that empties what it is given: the kit hands out copies."""

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> State:
        state = super().new_game(rules, seats, opener)
        rules.clear()
        return state

    def apply(self, state: State, action: Action) -> State:
        try:
            return super().apply(state, action)
        finally:
            action.clear()

    def write_game(self, record: dict[str, Any], dice: bool) -> str:
        line = super().write_game(record, dice)
        record.clear()
        return line


@pytest.mark.usefixtures("untraced")
def test_an_engine_may_change_its_arguments() -> None:
    assert check_engine(Mutating(), presets=["aces"]) == our_own()
