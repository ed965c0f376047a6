"""Each answer of an engine is understood, or refused with its place, the wanted answer and the given one."""

import pickle
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import count
from types import MappingProxyType
from typing import Any

import pytest

from perudo_conformance import ConformanceError, CoreEngine, Refused, Report, check_engine
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._optional_parts import check_odds
from perudo_core import State

Action = dict[str, Any]


def but(**methods: Callable[..., Any]) -> CoreEngine:
    """Our engine, except that each of these methods gets our own one before its arguments."""
    engine = CoreEngine()
    for name, method in methods.items():
        setattr(engine, name, partial(method, getattr(engine, name)))
    return engine


def facts(change: Callable[[Action], Any]) -> CoreEngine:
    """Our engine with its facts changed in some way."""
    return but(facts=lambda own, state: change(own(state)))


def calls(change: Callable[[list[Action]], Any]) -> CoreEngine:
    """Our engine with its legal calls changed in some way."""
    return but(legal_calls=lambda own, state: change(list(own(state))))


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


def raises(error: BaseException) -> Callable[..., Any]:
    def method(*_: object) -> Any:
        raise error

    return method


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


def raises_a_key_error() -> CoreEngine:
    return but(
        apply=lambda own, state, action: own(state, {"type": action["kind"]} if action["type"] == "dudo" else action)
    )


GAME = "playthroughs.json: records/schema_1_aces.json: "
NEW, ROLLED, NONE = "new game", "step 1, roll: legal calls", "new game: legal calls"
DICE = f"{NEW}: dice_counts"
LEAVE, ROLL = {"type": "leave", "seat": 0}, {"type": "roll", "dice": []}
FLOAT = "{'type': 'bid', 'seat': 2, 'quantity': 1.0, 'face': 2}"
UNPRINTABLE = "a dict that cannot be printed"


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
    ("engine", "said"),
    [
        (facts(lambda own: own | {"dice_counts": [5.0] * 3}), f"{DICE}: wanted [5, 5, 5], got [5.0, 5.0, 5.0]"),
        (facts(lambda _: None), f"{NEW}: wanted facts by their names, got None"),
        (facts(without("palifico")), f"{NEW}: palifico: wanted None, got nothing"),
        (facts(lambda own: own | {"turn": Sly()}), f"{NEW}: turn: wanted None, got a Sly that cannot be printed"),
        (facts(lambda own: own | {"ones_wild": 1}), f"{NEW}: ones_wild: wanted True, got 1"),
        (but(facts=raises(SlyError())), f"{NEW}: wanted facts by their names, got SlyError"),
        (but(facts=raises(Refused("no\n0"))), f"{NEW}: wanted facts by their names, got refused, no\\n0"),
        (calls(lambda own: own * 2), f"{ROLLED}: wanted each call once, got C 1x2 2 times"),
        (calls(lambda own: own[1:]), f"{ROLLED}: wanted 75 calls with C 1x2, got 74 calls without C 1x2"),
        (calls(lambda own: [*own[1:], LEAVE]), f"{NONE}: wanted 0 calls without A leave, got 1 calls with A leave"),
        (
            calls(lambda own: [{**call, "quantity": 1.0} for call in own]),
            f"{ROLLED}: wanted 75 calls with C 1x2 without {FLOAT}, got 75 calls with {FLOAT} without C 1x2",
        ),
        (
            calls(lambda own: [*own, {"type": Sly()}]),
            f"{NONE}: wanted 0 calls without {UNPRINTABLE}, got 1 calls with {UNPRINTABLE}",
        ),
        (
            calls(lambda own: [*own, ROLL]),
            f"{NONE}: wanted 0 calls without {ROLL}, got 1 calls with {ROLL}",
        ),
        (calls(lambda own: {"calls": own}), f"{NONE}: wanted a list of calls, got {{'calls': []}}"),
        (calls(lambda _: None), f"{NONE}: wanted a list of calls, got None"),
        (calls(endless), f"{NONE}: wanted at most 10000 calls, got more"),
        (calls(raising), f"{NONE}: wanted a list of calls, got ZeroDivisionError: division by zero"),
        (
            but(apply=lambda own, state, action: None if action["type"] == "calza" else own(state, action)),
            "step 8, A calza: wanted a state, got None",
        ),
        (raises_a_key_error(), "step 22, B dudo: wanted a state, got KeyError: 'kind'"),
    ],
)
def test_a_malformed_answer_is_refused(engine: Any, said: str) -> None:
    place, _, answers = said.partition(": wanted ")
    refused(engine, "aces", GAME + place, f"wanted {answers}")


def test_facts_in_a_circle_are_refused() -> None:
    with pytest.raises(ConformanceError, match=r"new game: wanted facts by their names, got RecursionError"):
        check_engine(facts(circle))


def test_the_engines_own_exception_is_the_cause() -> None:
    """A traceback that leads into the engine helps its author."""
    with pytest.raises(ConformanceError) as caught:
        check_engine(raises_a_key_error(), presets=["aces"])
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("method", ["facts", "commitment"])
def test_a_stop_is_no_mistake_of_the_engine(stop: type[BaseException], method: str) -> None:
    with pytest.raises(stop):
        check_engine(but(**{method: raises(stop())}), presets=["aces"])


def test_an_error_that_is_stored_and_loaded_says_the_same() -> None:
    error = ConformanceError("perft.json: aces", "20", "19")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "perft.json: aces: wanted 20, got 19"  # noqa: S301 - our own


def other_facts(own: Any, state: State) -> Any:
    more: dict[Any, Any] = {"dice_counts": state.dice_counts, "phase": state.phase, "bids": state.bids, 7: object()}
    return MappingProxyType(own(state) | more)


def other_odds(own: Any, *question: Any) -> Action:
    chances = {name: chance.as_integer_ratio() for name, chance in own(*question).items()}
    return {name: [str(2 * over), 2 * under] for name, (over, under) in chances.items()}


TUPLES_AND_MORE = but(
    facts=other_facts,
    odds=other_odds,
    legal_calls=lambda own, state: map(MappingProxyType, reversed(list(own(state)))),
)
"""Tuples for lists, facts of its own, calls in another order, and fractions not in lowest terms."""


@pytest.mark.usefixtures("untraced")
def test_an_engine_may_answer_in_other_ways() -> None:
    assert check_engine(TUPLES_AND_MORE, presets=["aces"]) == our_own()


def test_an_engine_may_write_numbers_as_texts() -> None:
    assert check_odds(CheckedEngine(TUPLES_AND_MORE)) == 384


def emptying(at: int) -> Callable[..., Any]:
    """A method that empties this argument: the kit hands out copies."""

    def method(own: Any, *asked: Any) -> Any:
        try:
            return own(*asked)
        finally:
            asked[at].clear()

    return method


@pytest.mark.usefixtures("untraced")
def test_an_engine_may_change_its_arguments() -> None:
    engine = but(new_game=emptying(0), apply=emptying(1), write_game=emptying(0))
    assert check_engine(engine, presets=["aces"]) == our_own()
