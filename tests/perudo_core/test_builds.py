"""The sources and the compiled build behave alike as Python objects: values, copies, pickles, documentation."""

import copy
import doctest
import inspect
import json
import operator
import pickle
import subprocess
import sys
import typing
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, astuple, fields, replace
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
from tests.perudo_core.notation import changed, table

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


def test_a_value_of_every_public_class_and_what_agents_decide_on_is_copied_and_pickled_whole() -> None:
    for value in (values()[cls.__name__] for cls in CLASSES.values()):
        copies = [pickle.loads(pickle.dumps(value, at)) for at in range(2, pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301 - our own
        for again in (*copies, copy.copy(value), copy.deepcopy(value)):
            assert type(again) is type(value)
            assert same(again, value)
            if type(value).__hash__ is not None:
                assert isinstance(value, BaseException | pc.Recorder) or hash(again) == hash(value)
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


# States, actions and events are values: equal by content, fit for sets, never changed

DERIVED = """
    open_dice current_bid total_dice active_seats is_chance is_terminal ones_are_wild max_quantity outcome left_of
"""


def test_values_of_different_types_differ_though_their_fields_are_equal_and_have_no_order_and_no_items() -> None:
    kinds = (pc.Dudo, pc.Calza, pc.Concede, pc.Leave, pc.OpenerDraw, pc.OpenerChosen, pc.RoundVoided)
    alike: list[object] = [kind(1) for kind in kinds]
    assert len(set(alike)) == len(alike)
    assert all((one == other) == (one is other) for one in alike for other in alike)
    assert all((one != other) == (one is not other) for one in alike for other in alike)
    assert pc.Dudo(1) == pc.Dudo(1)
    for value in (pc.Bid(0, 1, 2), pc.Dudo(1), pc.OpenerChosen(1)):
        for compare in (operator.lt, operator.le, operator.gt, operator.ge):
            with pytest.raises(TypeError, match="not supported"):
                compare(value, value)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="not iterable"):
            iter(value)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="not JSON serializable"):
            json.dumps(value)


def test_a_state_shows_its_public_names_alone_and_its_repr_nobodys_dice() -> None:
    one, two = table(pc.Rules(), "234", "55", calls="1x2"), table(pc.Rules(), "661", "16", calls="1x2")
    assert repr(one) == repr(two) == "<State: round 1, bidding, turn 1, 1x2>"
    shown = {name for name in dir(one) if not name.startswith("_")}
    assert shown == {*pc.State.__match_args__, *DERIVED.split()}


def test_a_state_is_read_field_by_field_but_made_by_the_game_alone() -> None:
    state = table(pc.Rules(), "234", "55", "", calls="1x2 2x2")
    assert tuple(each.name for each in fields(pc.State)) == pc.State.__match_args__
    assert asdict(state)["bids"] == ({"seat": 0, "quantity": 1, "face": 2}, {"seat": 1, "quantity": 2, "face": 2})
    assert len(astuple(state)) == len(pc.State.__match_args__)
    match state:
        case pc.State(turn=0, bids=[pc.Bid(), pc.Bid(face=face)]):
            assert face == 2
        case _:
            raise AssertionError
    makers: list[Callable[[], pc.State]] = [lambda: pc.State(turn=1), lambda: replace(state, turn=1)]
    for make in makers:
        with pytest.raises(TypeError, match="a state is made by new_game, set_up, apply or load_state"):
            make()
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'round'"):
        state.round = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'bids'"):
        del state.bids
    assert state != object()


def test_nothing_can_be_changed_added_or_taken_away() -> None:
    state = table(pc.Rules(), "234", "55", "", calls="1x2")
    pc.legal_calls(state)  # which it keeps
    roll = pc.sample_roll(pc.new_game(pc.Rules(), 2, opener=0), Random(1))
    ended = pc.apply(state, pc.Dudo(1))
    kept: tuple[Any, ...] = (state, ended, *ended.events, pc.Bid(0, 3, 4), roll, pc.RoundStarted(1, 0, None))
    for value in kept:
        for change in (lambda v, n: setattr(v, n, 1), delattr, lambda v, _: setattr(v, "more", 1)):
            with pytest.raises((AttributeError, TypeError)):  # Python 3.11 answers a new name with a TypeError
                change(value, value.__match_args__[0])
        assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("kind", [pc.Transition, pc.Bid, pc.Revealed, pc.RoundStarted, pc.DiceLost])
def test_a_value_is_made_by_the_names_of_its_fields(kind: Any) -> None:
    names = kind.__match_args__
    assert tuple(inspect.signature(kind).parameters) == names
    made = kind(**{name: name for name in names})
    assert tuple(getattr(made, name) for name in names) == names
    assert kind(*names) == made
    with pytest.raises(TypeError, match="missing"):
        kind(1)
    with pytest.raises(TypeError, match="unexpected"):
        kind(**dict.fromkeys(names, 1), more=1)


def test_a_state_tells_whether_it_waits_for_chance_and_who_is_the_next_player_in() -> None:
    state = pc.new_game(pc.Rules(), 3, opener=0)
    assert state.is_chance, "for the dice"
    assert pc.new_game(pc.Rules(), 2).is_chance, "for who opens"
    bidding = table(pc.Rules(), "2", "3", calls="1x2")
    over = pc.apply(bidding, pc.Leave(0)).state
    assert (bidding.is_chance, over.is_chance, over.is_terminal) == (False, False, True)
    assert state.left_of(2) == 0
    for nobody in (-1, 3):
        with pytest.raises(ValueError, match="seat must be from 0 to 2"):
            state.left_of(nobody)
    assert changed(state, dice_counts=(5, 0, 5), eliminated=(1,)).left_of(0) == 2
    assert changed(state, dice_counts=(0, 5, 0), eliminated=(0, 2)).left_of(1) == 1
