"""The sources and the compiled build behave alike as Python objects: copies, pickles, documentation."""

import copy
import doctest
import inspect
import pickle
import subprocess
import sys
import typing
from enum import Enum
from multiprocessing import get_context
from random import Random
from typing import Any

import pytest

import perudo_core as pc
from perudo_core import agents, analysis
from perudo_core.agents import Agent, arena, create_agent, new_memory
from perudo_core.agents._situation import situation_of
from perudo_core.agents.arena import play
from tests.perudo_core.builds import SOURCES_FIRST, values

PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (pc, agents, arena, analysis)
    for name in module.__all__
}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isroutine(value)}
CLASSES = {
    name: value
    for name, value in PUBLIC.items()
    if isinstance(value, type) and value.__module__.startswith("perudo_core") and value is not Agent
}


SEEN = pc.observe(pc.set_up(pc.Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))), 0)


def same(one: Any, other: Any) -> bool:
    """Whether two objects tell the same: exceptions and a `Recorder`, which goes on changing, have no equality."""
    if isinstance(one, pc.Recorder):
        return same(one.record(), other.record())
    if isinstance(one, BaseException):
        return type(one) is type(other) and one.args == other.args and str(one) == str(other)
    return bool(one == other)


def test_a_value_of_every_public_class_is_copied_and_pickled_whole() -> None:
    for value in (values()[cls.__name__] for cls in CLASSES.values()):
        copies = [pickle.loads(pickle.dumps(value, at)) for at in range(2, pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301 - our own
        for again in (*copies, copy.copy(value), copy.deepcopy(value)):
            assert type(again) is type(value)
            assert same(again, value)
            if type(value).__hash__ is not None:
                assert isinstance(value, BaseException | pc.Recorder) or hash(again) == hash(value)


def test_what_agents_decide_on_is_pickled_too_and_an_encoding_equals_one_of_the_same_table() -> None:
    situation = situation_of(SEEN, new_memory(pc.Rules(), 2))
    assert pickle.loads(pickle.dumps(situation)) == copy.deepcopy(situation) == situation  # noqa: S301 - our own
    encoding = pc.ActionEncoding(pc.Rules(), 2)
    assert encoding == pc.ActionEncoding(pc.Rules(), 2) != pc.ActionEncoding(pc.Rules(), 3)
    assert encoding != object()
    assert repr(encoding) == "<ActionEncoding: 62 numbers, 2 seats>"


def test_what_one_build_pickles_the_other_one_reads() -> None:
    """With the sources both sides are the same; `.ci/run wheels` runs this on the compiled wheel."""
    pickled = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", SOURCES_FIRST.format(module="tests.perudo_core.builds")], capture_output=True, check=True
    ).stdout
    for name, value in pickle.loads(pickled).items():  # noqa: S301 - our own
        assert same(value, values()[name])


@pytest.mark.usefixtures("untraced")
def test_agents_work_in_other_processes() -> None:
    asked = (SEEN, new_memory(pc.Rules(), 2), Random(1))
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(create_agent("strong", "bold").choose, asked) == create_agent("strong", "bold").choose(*asked)
    rules = pc.Rules(starting_dice=1)
    bold = [create_agent("regular", "bold"), create_agent("novice", "honest")]
    assert play(bold, rules, games=4, processes=2) == play(bold, rules, games=4)


@pytest.mark.usefixtures("untraced")
def test_every_public_function_and_class_is_documented_with_its_methods() -> None:
    for function in FUNCTIONS.values():
        assert inspect.getdoc(function)
        assert function.__name__ in inspect.getsource(function)
        hints = typing.get_type_hints(function)
        assert set(inspect.signature(function).parameters) | {"return"} == set(hints)
        if ">>>" in (function.__doc__ or ""):
            assert any(found.examples for found in doctest.DocTestFinder().find(function))
    for cls in CLASSES.values():
        assert "filler" not in (inspect.getdoc(cls) or "filler")
        if not issubclass(cls, BaseException | Enum):
            assert inspect.signature(cls)
        for method, member in vars(cls).items():
            made = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not method.startswith("_") and (inspect.isroutine(made) or isinstance(made, property)):
                assert inspect.getdoc(made), method
                if inspect.isfunction(made):
                    assert f"def {method}(" in inspect.getsource(made)


def test_a_compiled_engine_is_called_through_the_functions_that_are_documented() -> None:
    state = pc.new_game(pc.Rules(), 2, opener=0)
    roll = pc.Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)))
    bidding = inspect.unwrap(pc.apply)(state, roll).state
    assert bidding == pc.apply(state, roll).state
    assert inspect.unwrap(pc.legal_calls)(bidding, 0) == pc.legal_calls(bidding, seat=0)
