"""The legal calls as a sequence."""

import json
from collections.abc import Sequence

import numpy as np
import pytest

from perudo_core import (
    PRESETS,
    ActionEncoding,
    Bid,
    Calza,
    Concede,
    Dudo,
    OpenerDraw,
    Reason,
    Record,
    Recorder,
    Roll,
    Rules,
    apply,
    dump_state,
    is_legal,
    legal_calls,
    load_state,
    new_game,
    why_illegal,
)
from tests.perudo_core.conftest import Table


def test_bids_by_quantity_and_face_then_dudo_then_calza(table: Table) -> None:
    rules = Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True)
    legal = legal_calls(table(rules, "1", "2", "3", calls="1x5"))
    bids = [
        Bid(1, 1, 1),
        Bid(1, 1, 6),
        Bid(1, 2, 1),
        Bid(1, 2, 5),
        Bid(1, 2, 6),
        Bid(1, 3, 1),
        Bid(1, 3, 5),
        Bid(1, 3, 6),
    ]
    assert list(legal) == [*bids, Dudo(1), Dudo(2), Calza(1), Calza(2)]
    assert len(legal) == 12
    assert legal[-1] == Calza(2)
    assert legal[:2] == tuple(bids[:2])
    assert Bid(1, 2, 5) in legal
    assert Bid(1, 2, 4) not in legal
    assert Bid(2, 2, 5) not in legal
    assert Bid([], 2, 5) not in legal  # type: ignore[arg-type]


def test_numpys_integers_are_numbers_like_any_other() -> None:
    """As a learning program has them; the state has plain numbers all the same."""
    rolled, rng = np.int64, np.random.default_rng(1)
    state = new_game(Rules.preset("aces").with_options(calza=True), 3)
    state = apply(state, OpenerDraw(rolled(1))).state  # type: ignore[arg-type]
    recorder = Recorder(state)
    recorder.apply(Roll(tuple(tuple(rng.integers(1, 7, 5)) for _ in range(3))))
    for call in (Bid(1, 2, 3), Bid(rolled(2), rolled(3), rolled(3)), Bid(0, 4, rolled(3)), Dudo(rolled(1))):  # type: ignore[arg-type]
        assert is_legal(recorder.state, call)
        assert call in legal_calls(recorder.state)
        assert legal_calls(recorder.state, rolled(call.seat)) == legal_calls(recorder.state, int(call.seat))
        recorder.apply(call)
    assert Record.from_json(recorder.record().to_json()) == recorder.record()
    assert load_state(json.loads(json.dumps(dump_state(recorder.state)))) == recorder.state
    encoding = ActionEncoding(Rules(), rolled(3))  # type: ignore[arg-type]
    assert encoding.decode(rolled(8), rolled(1)) == Bid(1, 2, 3)
    assert type(encoding.decode(rolled(8), rolled(1)).seat) is int
    assert encoding.encode(Bid(rolled(1), rolled(2), rolled(3))) == 8  # type: ignore[arg-type]
    for no_number in (True, 1.0, "1", None):
        assert why_illegal(recorder.state, Bid(no_number, 1, 2)) is Reason.SEAT_UNKNOWN  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="seat must be a whole number"):
            encoding.decode(8, no_number)  # type: ignore[arg-type]


def test_of_one_seat(table: Table) -> None:
    state = table(Rules(calza=True), "1", "2", "3", calls="3x6")
    assert repr(legal_calls(state, 2)) == "<LegalCalls: Calza(seat=2)>"
    assert list(legal_calls(state, 0)) == []
    assert Dudo(1) not in legal_calls(state, 2)
    for nobody in (-1, 3):
        with pytest.raises(ValueError, match="seat must be from 0 to 2, not"):
            legal_calls(state, nobody)


def test_an_action_is_legal_or_there_is_a_reason(table: Table) -> None:
    state = table(Rules(), "1", "2", calls="1x3")
    for action in (Bid(1, 2, 3), Bid(1, 1, 2), Dudo(1), Dudo(0), Calza(1)):
        assert is_legal(state, action) == (why_illegal(state, action) is None) == (action in legal_calls(state))


def test_none_while_the_game_waits_for_chance() -> None:
    assert list(legal_calls(new_game(Rules(), 2))) == []
    assert list(legal_calls(new_game(Rules(), 2, opener=0))) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_a_sequence_as_any_other(preset: str, table: Table) -> None:
    state = table(Rules.preset(preset).with_options(calza=True), "22345", "1", "66", "", "12345", calls="1x6 2x6")
    legal = legal_calls(state)
    listed = list(legal)
    assert isinstance(legal, Sequence)
    assert [legal.index(call) for call in legal] == list(range(len(legal)))
    with pytest.raises(ValueError, match="not in tuple"):
        legal.index(Dudo(0))
    assert (legal.count(listed[0]), legal.count(Dudo(0))) == (1, 0)
    assert list(reversed(legal)) == listed[::-1]
    assert [legal[index] for index in range(len(legal))] == listed
    assert [legal[index] for index in range(-len(legal), 0)] == listed
    for part in (slice(None), slice(3, -3), slice(None, None, -2), slice(9, 2)):
        assert legal[part] == tuple(listed[part])
    for index in (len(legal), -len(legal) - 1):
        with pytest.raises(IndexError):
            legal[index]
    assert repr(legal) == f"<LegalCalls: {listed[0]!r}, {len(listed) - 2} more, {listed[-1]!r}>"
    assert all(call in legal for call in listed)


def test_equal_calls_make_equal_legal_calls(table: Table) -> None:
    state, again = (table(Rules(calza=True), "12", "34", "55", calls="2x3") for _ in range(2))
    assert legal_calls(state) == legal_calls(again)
    assert hash(legal_calls(state)) == hash(legal_calls(again))
    assert len(list(legal_calls(state))) == len(legal_calls(state)), "looking at the calls changes nothing"
    assert legal_calls(state) == legal_calls(again)
    assert legal_calls(state) != legal_calls(state, 1)
    assert legal_calls(state, 0) == legal_calls(again, 0) != legal_calls(state, 2)
    assert legal_calls(state) == tuple(legal_calls(state))
    assert legal_calls(table(Rules(), "12", "34", calls="4x6")) == legal_calls(table(Rules(), "12", "66", calls="4x6"))


def test_the_largest_table() -> None:
    rules = Rules.preset("azteca").with_options(calza=True, starting_dice=10)
    state = apply(new_game(rules, 50, opener=0), Roll(((1, 2, 3, 4, 5) * 2,) * 50)).state
    assert len(legal_calls(state)) == 5 * 500
    legal = legal_calls(apply(state, Bid(0, 200, 4)).state)
    assert len(legal) == 401 + 300 + 2 * 301 + 1 + 48, "ones, fours, fives and sixes, dudo, calzas"
    assert Bid(1, 499, 5) in legal
    assert Bid(1, 499, 3) not in legal
    assert legal[0] == next(iter(legal)) == Bid(1, 100, 1)
    assert legal[-1] == Calza(49)


@pytest.mark.parametrize("call", [Bid(1, 2, True), Bid(True, 2, 5), Bid(1, 2.0, 5), Dudo(True), Concede(1), None])  # type: ignore[arg-type]
def test_what_only_looks_like_a_legal_call_is_none(table: Table, call: object) -> None:
    legal = legal_calls(table(Rules.preset("aces").with_options(ones_may_open=True), "12", "23", "34", calls="1x5"))
    assert Bid(1, 2, 5) in legal
    assert Bid(1, 1, 1) in legal
    assert Dudo(1) in legal
    assert call not in legal
