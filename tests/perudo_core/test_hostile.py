"""Documents from outside, damaged in any place and way: a clear error or a good game, never a crash."""

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_conformance import data

pytestmark = pytest.mark.usefixtures("untraced")

GAME: dict[str, Any] = data("records/schema_2_box_2009.json")
FAIR: dict[str, Any] = data("fair_record.json")
KEYS = st.sampled_from(["schema", "rules", "seats", "opener", "rounds", "dice", "calls", "type", "seat", "bid", "face"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 8)
    | st.sampled_from([10**30, -(10**30), float("nan"), float("inf"), 1.0])
    | st.sampled_from(
        ["dudo", "calza", "leave", "3x3", "x", "box_2009", "opening", "over", "\ud800", "perudo-record/1"]
    )
)
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@contextmanager
def refused_in_one_line(error: type[pc.PerudoError]) -> Iterator[None]:
    """Accept a block that works or raises this error, in one line."""
    try:
        yield
    except error as refusal:
        assert 0 < len(str(refusal)) < 400  # noqa: PT017 - a block that works is good too


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Each place of a document at which a test can put another value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def spoilt(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    value = copy.deepcopy(value)
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = by
    return value


def example_state() -> dict[str, Any]:
    actions = [step.action for step in pc.replay(pc.Record.from_dict(GAME))]
    state = pc.new_game(pc.Rules(), GAME["seats"], opener=GAME["opener"])
    for action in actions[:14]:
        state = pc.apply(state, action).state
    return pc.dump_state(state)


STATES = [pc.dump_state(pc.new_game(pc.Rules.preset("azteca"), 3)), example_state()]
OBSERVED = [pc.dump_observation(pc.observe(pc.load_state(state), seat)) for state in STATES for seat in (None, 0, 1)]


def plays_on(data: Any) -> None:
    state = pc.load_state(data)
    assert isinstance(pc.observe(state, 0), pc.Observation)
    assert pc.smallest_raise(state) in {None, *pc.legal_calls(state)}
    for call in pc.legal_calls(state):
        pc.apply(state, call)


def is_a_seats(data: Any) -> None:
    assert pc.dump_observation(pc.load_observation(data)) | {"rules": 0} == data | {"rules": 0}


READERS: dict[str, tuple[list[dict[str, Any]], Callable[[Any], object], type[pc.PerudoError]]] = {
    "record": ([GAME], lambda data: pc.replay(pc.Record.from_dict(data)), pc.RecordError),
    "proof": ([FAIR], lambda data: pc.FairRecord.from_dict(data).verify(), pc.RecordError),
    "state": (STATES, plays_on, pc.StateError),
    "observation": (OBSERVED, is_a_seats, pc.StateError),
}
SPOTS = {name: [(each, path) for each in READERS[name][0] for path in places(each)] for name in READERS}


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=200)
@given(drawn=st.data())
def test_a_spoilt_document_is_refused_or_is_a_good_one(name: str, drawn: st.DataObject) -> None:
    _, read, error = READERS[name]
    document, path = drawn.draw(st.sampled_from(SPOTS[name]))
    with refused_in_one_line(error):
        read(spoilt(document, path, drawn.draw(ANYTHING)))


CALLS = st.sampled_from(["dudo", "calza", "bid", "leave", "5x3", "concede"])
SENT = CALLS | ANYTHING | st.dictionaries(KEYS | st.sampled_from(["quantity"]), CALLS | st.integers(0, 6))


@settings(max_examples=150)
@given(SENT)
def test_whatever_a_client_sends_is_its_own_call_or_refused(data: Any) -> None:
    with refused_in_one_line(pc.StateError):
        call = pc.load_call(data, 3)
        assert type(call) in {pc.Bid, pc.Dudo, pc.Calza}
        assert call.seat == 3


@settings(max_examples=150)
@given(st.text() | st.text(alphabet='[]{}",:0123456789eE+-.truefalsn \\u'))
def test_any_text_at_all(text: str) -> None:
    book = partial(pc.Rulebook.from_toml, "mine")
    for load in (pc.Record.from_json, pc.Rules.from_toml, book, pc.FairRecord.from_json, pc.read_record):
        with refused_in_one_line(pc.PerudoError):
            load(text)


@settings(max_examples=150)
@given(ANYTHING, ANYTHING, ANYTHING)
def test_actions_of_any_content_are_refused_with_a_reason(seat: Any, quantity: Any, face: Any) -> None:
    state = pc.new_game(pc.Rules(calza=True, out_of_turn_dudo=True), 3, opener=0)
    rolled = pc.apply(state, pc.sample_roll(state, random.Random(1))).state
    for position in (state, rolled, pc.new_game(pc.Rules(), 2)):
        for action in (
            pc.Bid(seat, quantity, face), pc.Dudo(seat), pc.Calza(seat), pc.Concede(seat), pc.Leave(seat),
            pc.OpenerDraw(seat), pc.Roll(seat), pc.Roll((seat, quantity, face)), pc.OpeningRoll(quantity),
        ):  # fmt: skip
            if pc.why_illegal(position, action) is None:
                pc.apply(position, action)
