"""States, actions and events are values: equal by content, fit for sets, never changed, copied and pickled whole."""

import inspect
import json
import operator
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, astuple, fields, replace
from random import Random
from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import changed, table


def values() -> list[Any]:
    state = table(pc.Rules(), "234", "55", "", calls="1x2")
    pc.legal_calls(state)
    roll = pc.sample_roll(pc.new_game(pc.Rules(), 2, opener=0), Random(1))
    ended = pc.apply(state, pc.Dudo(1))
    return [state, ended, *ended.events, pc.Bid(0, 3, 4), roll, pc.RoundStarted(1, 0, None)]


def test_values_of_different_types_differ_though_their_fields_are_equal() -> None:
    kinds = (pc.Dudo, pc.Calza, pc.Concede, pc.Leave, pc.OpenerDraw, pc.OpenerChosen, pc.RoundVoided)
    alike: list[object] = [kind(1) for kind in kinds]
    assert len(set(alike)) == len(alike)
    assert all((one == other) == (one is other) for one in alike for other in alike)
    assert all((one != other) == (one is not other) for one in alike for other in alike)
    assert pc.Dudo(1) == pc.Dudo(1)


def test_values_have_no_order_and_are_no_sequences() -> None:
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
    derived = (
        "open_dice current_bid total_dice active_seats is_chance is_terminal ones_are_wild max_quantity outcome left_of"
    )
    assert shown == {*pc.State.__match_args__, *derived.split()}


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
    for value in values():
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
