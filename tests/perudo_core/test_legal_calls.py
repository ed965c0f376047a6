import json
from collections.abc import Sequence

import numpy as np
import pytest

import perudo_core as pc
from tests.perudo_core.notation import table


def test_bids_by_quantity_and_face_then_dudo_then_calza() -> None:
    rules = pc.Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True)
    legal = pc.legal_calls(table(rules, "1", "2", "3", calls="1x5"))
    bids = [pc.Bid(1, *bid) for bid in ((1, 1), (1, 6), (2, 1), (2, 5), (2, 6), (3, 1), (3, 5), (3, 6))]
    assert list(legal) == [*bids, pc.Dudo(1), pc.Dudo(2), pc.Calza(1), pc.Calza(2)]
    assert len(legal) == 12
    assert legal[-1] == pc.Calza(2)
    assert legal[:2] == tuple(bids[:2])
    assert pc.Bid(1, 2, 5) in legal
    assert pc.Bid(1, 2, 4) not in legal
    assert pc.Bid(2, 2, 5) not in legal
    assert pc.Bid([], 2, 5) not in legal  # type: ignore[arg-type]
    legal = pc.legal_calls(table(rules.with_options(ones_may_open=True), "12", "23", "34", calls="1x5"))
    assert {pc.Bid(1, 2, 5), pc.Bid(1, 1, 1), pc.Dudo(1)} <= set(legal)
    for call in (pc.Bid(1, 2, True), pc.Bid(True, 2, 5), pc.Bid(1, 2.0, 5), pc.Dudo(True), pc.Concede(1), None):  # type: ignore[arg-type]
        assert call not in legal, "what only looks like a legal call"


def test_numpys_integers_are_numbers_like_any_other() -> None:
    """As a learning program has them; the state has plain numbers all the same."""
    rolled, rng = np.int64, np.random.default_rng(1)
    state = pc.new_game(pc.Rules.preset("aces").with_options(calza=True), 3)
    state = pc.apply(state, pc.OpenerDraw(rolled(1))).state  # type: ignore[arg-type]
    recorder = pc.Recorder(state)
    recorder.apply(pc.Roll(tuple(tuple(rng.integers(1, 7, 5)) for _ in range(3))))
    for call in (pc.Bid(1, 2, 3), pc.Bid(rolled(2), rolled(3), rolled(3)), pc.Bid(0, 4, rolled(3)), pc.Dudo(rolled(1))):  # type: ignore[arg-type]
        assert pc.is_legal(recorder.state, call)
        assert call in pc.legal_calls(recorder.state)
        assert pc.legal_calls(recorder.state, rolled(call.seat)) == pc.legal_calls(recorder.state, int(call.seat))
        recorder.apply(call)
    assert pc.Record.from_json(recorder.record().to_json()) == recorder.record()
    assert pc.load_state(json.loads(json.dumps(pc.dump_state(recorder.state)))) == recorder.state
    encoding = pc.ActionEncoding(pc.Rules(), rolled(3))  # type: ignore[arg-type]
    assert encoding.decode(rolled(8), rolled(1)) == pc.Bid(1, 2, 3)
    assert type(encoding.decode(rolled(8), rolled(1)).seat) is int
    assert encoding.encode(pc.Bid(rolled(1), rolled(2), rolled(3))) == 8  # type: ignore[arg-type]
    for no_number in (True, 1.0, "1", None):
        assert pc.why_illegal(recorder.state, pc.Bid(no_number, 1, 2)) is pc.Reason.SEAT_UNKNOWN  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="seat must be a whole number"):
            encoding.decode(8, no_number)  # type: ignore[arg-type]


def test_a_sequence_as_any_other() -> None:
    state = table(pc.Rules(calza=True), "22345", "1", "66", "", "12345", calls="1x6 2x6")
    legal = pc.legal_calls(state)
    listed = list(legal)
    assert isinstance(legal, Sequence)
    assert [legal.index(call) for call in legal] == list(range(len(legal)))
    with pytest.raises(ValueError, match="not in tuple"):
        legal.index(pc.Dudo(0))
    assert (legal.count(listed[0]), legal.count(pc.Dudo(0))) == (1, 0)
    assert list(reversed(legal)) == listed[::-1]
    assert [legal[index] for index in range(-len(legal), len(legal))] == listed * 2
    for part in (slice(None), slice(3, -3), slice(None, None, -2), slice(9, 2)):
        assert legal[part] == tuple(listed[part])
    for index in (len(legal), -len(legal) - 1):
        with pytest.raises(IndexError):
            legal[index]
    assert repr(legal) == f"<LegalCalls: {listed[0]!r}, {len(listed) - 2} more, {listed[-1]!r}>"
    assert all(call in legal for call in listed)


def test_equal_calls_make_equal_legal_calls_and_each_seat_has_its_own() -> None:
    state, again = (table(pc.Rules(calza=True), "12", "34", "55", calls="2x3") for _ in range(2))
    assert pc.legal_calls(state) == pc.legal_calls(again) == tuple(pc.legal_calls(state)) != pc.legal_calls(state, 1)
    assert hash(pc.legal_calls(state)) == hash(pc.legal_calls(again))
    assert len(list(pc.legal_calls(state))) == len(pc.legal_calls(state)), "looking at the calls changes nothing"
    assert pc.legal_calls(state, 0) == pc.legal_calls(again, 0) != pc.legal_calls(state, 2)
    one, other = (table(pc.Rules(), "12", hand, calls="4x6") for hand in ("34", "66"))
    assert pc.legal_calls(one) == pc.legal_calls(other)
    state = table(pc.Rules(calza=True), "1", "2", "3", calls="3x6")
    assert repr(pc.legal_calls(state, 2)) == "<LegalCalls: Calza(seat=2)>"
    assert list(pc.legal_calls(state, 0)) == []
    assert pc.Dudo(1) not in pc.legal_calls(state, 2)
    for nobody in (-1, 3):
        with pytest.raises(ValueError, match="seat must be from 0 to 2, not"):
            pc.legal_calls(state, nobody)


def test_the_largest_table() -> None:
    rules = pc.Rules.preset("azteca").with_options(calza=True, starting_dice=10)
    state = pc.apply(pc.new_game(rules, 50, opener=0), pc.Roll(((1, 2, 3, 4, 5) * 2,) * 50)).state
    assert len(pc.legal_calls(state)) == 5 * 500
    legal = pc.legal_calls(pc.apply(state, pc.Bid(0, 200, 4)).state)
    assert len(legal) == 401 + 300 + 2 * 301 + 1 + 48, "ones, fours, fives and sixes, dudo, calzas"
    assert pc.Bid(1, 499, 5) in legal
    assert pc.Bid(1, 499, 3) not in legal
    assert legal[0] == next(iter(legal)) == pc.Bid(1, 100, 1)
    assert legal[-1] == pc.Calza(49)
