"""States, actions and events are values: equal by content, fit for sets, never changed, copied and pickled whole."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from perudo_core import (
    Bid,
    DiceLost,
    Dudo,
    Outcome,
    Revealed,
    Roll,
    RoundStarted,
    Rules,
    State,
    Transition,
    apply,
    legal_actions,
    new_game,
    sample_roll,
)
from perudo_core._quick import maker, replacer

if TYPE_CHECKING:
    from tests.perudo_core.conftest import Table


def values(table: Table) -> list[Any]:
    state = table(Rules(), "234", "55", "", calls="1x2")
    legal_actions(state)
    roll = sample_roll(new_game(Rules(), 2, opener=0), Random(1))
    return [state, apply(state, Dudo(1)), *apply(state, Dudo(1)).events, Bid(0, 3, 4), roll, RoundStarted(1, 0, None)]


def test_a_value_equals_its_copies(table: Table) -> None:
    for value in values(table):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(value, protocol))  # noqa: S301 - our own
            assert again == value
            assert type(again) is type(value)
        assert copy.copy(value) == copy.deepcopy(value) == replace(value) == value
        assert hash(copy.copy(value)) == hash(value)
        assert repr(replace(value)) == repr(value)
        assert value != object()


def test_nothing_can_be_changed_added_or_taken_away(table: Table) -> None:
    for value in values(table):
        name = fields(value)[0].name
        for change in (lambda v, n: setattr(v, n, 1), delattr, lambda v, _: setattr(v, "more", 1)):
            with pytest.raises((FrozenInstanceError, TypeError)):  # a TypeError is what some Pythons say of `more`
                change(value, name)
        assert not hasattr(value, "__dict__")


def test_what_a_state_works_out_is_no_part_of_it(table: Table) -> None:
    state = table(Rules(), "234", "55", calls="1x2")
    again = replace(state)
    assert state.judged_by is not None
    assert not hasattr(again, "judged_by")
    assert again == state
    assert "judged_by" not in repr(state)
    assert "judged_by" not in {field.name for field in fields(State)}
    assert legal_actions(again) is legal_actions(state), "rounds that are alike share what was found out"
    fewer = replace(state, rules=state.rules.with_options(starting_dice=3))
    assert fewer.max_quantity < state.max_quantity


@pytest.mark.parametrize("kind", [State, Transition, Bid, Revealed, RoundStarted, DiceLost])
def test_a_value_is_made_by_the_names_of_its_fields(kind: Any) -> None:
    names = [field.name for field in fields(kind)]
    assert list(inspect.signature(kind).parameters) == names
    made = kind(**{name: name for name in names})
    assert [getattr(made, name) for name in names] == names
    assert kind(*names) == made
    assert kind.__match_args__ == tuple(names)
    with pytest.raises(TypeError, match="missing"):
        kind(1)
    with pytest.raises(TypeError, match="unexpected"):
        kind(**dict.fromkeys(names, 1), more=1)


def test_the_next_player_in() -> None:
    state = new_game(Rules(), 3, opener=0)
    assert state.left_of(2) == 0
    assert replace(state, dice_counts=(5, 0, 5), gone=(1,)).left_of(0) == 2
    assert replace(state, dice_counts=(0, 5, 0), gone=(0, 2)).left_of(1) == 1
    assert Outcome(1, (3, 1, 2)) == Outcome(1, (3, 1, 2))
    assert Roll(((1,), (2,))) != Roll(((1,), (3,)))


def test_classes_may_be_derived() -> None:
    class Mine(State):
        __slots__ = ()

    @dataclass(frozen=True, slots=True)
    class Noted(Bid):
        note: str

    start = new_game(Rules(), 2, opener=0)
    mine = Mine(*(getattr(start, field.name) for field in fields(start)))
    assert type(mine) is Mine
    assert list(legal_actions(mine)) == []
    assert replace(mine, round=3).round == 3
    assert Noted(0, 1, 2, "a bluff").note == "a bluff"
    with pytest.raises(FrozenInstanceError):
        mine.round = 3  # type: ignore[misc]


def test_a_maker_makes_what_its_class_makes() -> None:
    make = maker(Bid)
    for made in (make(0, 3, 4), make(seat=0, quantity=3, face=4)):
        assert made == Bid(0, 3, 4)
        assert type(made) is Bid
        with pytest.raises(FrozenInstanceError):
            made.face = 5  # type: ignore[misc]
    for wrong in ((0, 3), (0, 3, 4, 5)):
        with pytest.raises(TypeError):
            make(*wrong)


def test_a_replacer_makes_what_replace_makes(table: Table) -> None:
    state = table(Rules(), "234", "55", calls="1x2")
    legal_actions(state)
    made = replacer(State, "round", "gone")(state, 7, (1,))
    assert made == replace(state, round=7, gone=(1,))
    assert type(made) is State
    assert not hasattr(made, "judged_by")
    assert replacer(State, "judged_by")(state, state.judged_by).judged_by is state.judged_by
    with pytest.raises(FrozenInstanceError):
        made.round = 8  # type: ignore[misc]
