"""Any value in place of each argument, any damage to a document: a typed error in one line, soon, never a crash."""

import copy
import inspect
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, reduce
from itertools import product
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_conformance import check_engine, data
from perudo_core import agents, analysis, fair_record, notation, odds, stirs
from perudo_core.agents import create_agent, new_memory
from perudo_core.analysis import analyse, analysis_lines, weigh
from perudo_core.english import differences

NEW = pc.new_game(pc.Rules(calza=True), 3, opener=0)
STATE = pc.apply(pc.apply(NEW, pc.sample_roll(NEW, random.Random(1))).state, pc.Bid(0, 2, 3)).state
BID_AGAIN = pc.set_up(pc.Rules(reroll_after_bid=True), ((2, 3), (4, 5)), [pc.Bid(0, 1, 2)])
AGAIN = pc.FairDice(bytes(32), BID_AGAIN.rules)
VIEW = pc.observe(STATE, 1)
MEMORY = new_memory(STATE.rules, 3)
ACTIONS: list[pc.Action] = [pc.Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))), pc.Bid(0, 5, 2), pc.Dudo(1)]
FINISHED = pc.record_of(pc.Rules(starting_dice=1), 2, [pc.Roll(((2,), (3,))), pc.Bid(0, 2, 2), pc.Dudo(1)], opener=0)
RECORD = pc.record_of(pc.Rules(), ["Ana", "Bo"], ACTIONS, opener=0)
DICE = pc.FairDice(bytes(32))
FAIR = pc.FairRecord.of(DICE, 2, [DICE.roll(pc.new_game(pc.Rules(), 2))])
LINE = pc.RoundText.parse("A 1x2 B dudo! 1/1 B-1")


NESTED_DEEP: list[Any] = reduce(lambda inner, _: [inner], range(100_000), [])
BAD: list[Any] = [
    *(None, True, -1, 10**30, 10**5000, 1.5, float("nan"), float("inf"), "x", "x" * 1_000_000, "\ud800", b"x"),
    *([], [None], {}, {None: None}, (), (None,), ((None,),), object(), NESTED_DEEP, {1, 2}, int),
    *(STATE, pc.Rules(), RECORD, pc.Bid(0, 1, 2), pc.Outcome(0, ()), pc.Reason.NO_BID),
    *(pc.Bid("a", None, []), pc.Bid(10**30, 10**30, 10**30), pc.Dudo([]), pc.Roll(None)),  # type: ignore[arg-type]
]


def played(*fields: Any) -> object:
    record = pc.Record(*fields)
    record.to_json()
    return pc.replay(record)


def played_round(*fields: Any) -> object:
    return played("perudo-record/1", pc.Rules(), ("Ana", "Bo"), 0, (pc.RecordRound(*fields),))


def written_game(*fields: Any) -> object:
    game = pc.GameText(*fields)
    str(game)
    return game.record()


def set_up_with(*values: Any) -> object:
    names = ("seats", "opener", "palifico", "had_palifico", "eliminated", "round")
    return pc.set_up(pc.Rules(), ((1, 2), (3, 4)), **dict(zip(names, values, strict=True)))


GOOD: dict[str, Any] = {"state": STATE, "seen": STATE, "observation": VIEW, "memory": MEMORY, "record": RECORD}
GOOD |= {"action": pc.Bid(1, 3, 3), "bid": pc.Bid(0, 1, 2), "event": pc.BidMade(pc.Bid(0, 1, 2)), "claims": [1, 2]}
GOOD |= {"events": [GOOD["event"]], "dice": [1], "unknown_dice": 2, "bid_quantity": 3, "face": 2, "ones_are_wild": True}
GOOD |= {"rules": pc.Rules(), "seats": ["Ana", "Bo"], "seat": 1, "rng": random.Random(1), "data": {}, "text": "5x3"}
GOOD |= {"level": "novice", "character": "bold", "reason": pc.Reason.NO_BID, "salt": "perudo-stirs/3"}
GOOD |= {"game": analyse(FINISHED, worlds=10), "stirs": ["llama"]}
"""A good argument of each name."""
OTHERS: dict[str, tuple[Callable[..., object], tuple[Any, ...]]] = {
    "new_game, opener": (lambda opener: pc.new_game(pc.Rules(), 2, opener=opener), (1,)),
    "legal_calls": (lambda state, seat: len(pc.legal_calls(state, seat)), (STATE, 1)),
    "set_up": (pc.set_up, (pc.Rules(), ((1, 2), (3, 4)), ())),
    "set_up, options": (set_up_with, (["Ana", "Bo"], 0, None, (), (), 1)),
    "sample_roll": (pc.sample_roll, (NEW, random.Random(1))),
    "sample_reroll": (pc.sample_reroll, (BID_AGAIN, 0, (2,), random.Random(1))),
    "load_call": (pc.load_call, ("5x3", 1)),
    "describe": (lambda event: pc.describe(event, ["Ana"]), (pc.BidMade(pc.Bid(0, 1, 2)),)),
    "record_of": (lambda seats, actions: pc.record_of(pc.Rules(), seats, actions, opener=0), (["Ana", "Bo"], ACTIONS)),
    "Recorder": (pc.Recorder, (NEW,)),
    "Recorder.resume": (pc.Recorder.resume, (RECORD,)),
    "Recorder.apply": (lambda action: pc.Recorder(NEW).apply(action), (ACTIONS[0],)),
    "replay_steps": (lambda record: list(pc.replay_steps(record)), (RECORD,)),
    "Record": (played, ("perudo-record/1", pc.Rules(), ("Ana", "Bo"), 0, RECORD.rounds)),
    "RecordRound": (played_round, (RECORD.rounds[0].dice, RECORD.rounds[0].actions)),
    "Record.from_json": (pc.Record.from_json, ("{}",)),
    "Record.from_dict": (pc.Record.from_dict, ({},)),
    "FairDice": (pc.FairDice, (bytes(32), pc.Rules(), "", "")),
    "FairDice.new": (pc.FairDice.new, (pc.Rules(), "")),
    "FairDice.with_salt": (DICE.with_salt, ("",)),
    "FairDice.roll": (DICE.roll, (NEW,)),
    "FairDice.reroll": (AGAIN.reroll, (BID_AGAIN, 0, (2,))),
    "FairDice.choice_seed": (DICE.choice_seed, (NEW, 0)),
    "FairRecord": (pc.FairRecord, (RECORD, "", FAIR.commitment, "", bytes(32), (), ())),
    "FairRecord.of": (pc.FairRecord.of, (DICE, 2, [])),
    "FairRecord.from_json": (pc.FairRecord.from_json, ("{}",)),
    "FairRecord.from_dict": (pc.FairRecord.from_dict, ({},)),
    "FairRecord.verify": (FAIR.verify, (None,)),
    "Rules": (lambda dice, opener, most: pc.Rules(2, most, dice, opener), (5, "random", 6)),
    "Rules.preset": (pc.Rules.preset, ("aces",)),
    "Rulebook.preset": (pc.Rulebook.preset, ("aces",)),
    "Rulebook.from_toml": (pc.Rulebook.from_toml, ("aces", "")),
    "Rules.from_dict": (pc.Rules.from_dict, ({},)),
    "Rules.from_toml": (pc.Rules.from_toml, ("",)),
    "Rules.with_options": (lambda value: pc.Rules().with_options(lost_dice=value, calza=value), ("hidden",)),
    "RoundText.parse": (pc.RoundText.parse, ("",)),
    "RoundText": (lambda *fields: str(pc.RoundText(*fields)), (LINE.actions, None, 1, LINE.changes)),
    "GameText": (written_game, (pc.Rules(), ("Ana", "Bo"), 0, (LINE,))),
    "GameText.parse": (pc.GameText.parse, ("",)),
    "GameText.of": (pc.GameText.of, (RECORD,)),
    "legal_calls.in": (lambda call: call in pc.legal_calls(STATE), (pc.Bid(1, 3, 3),)),
    "data": (data, ("perft.json",)),
    "check_engine": (lambda presets: check_engine(presets=presets), ((),)),
    "chance_outcomes": (lambda state: len(pc.chance_outcomes(state)), (NEW,)),
    "hand_outcomes": (lambda count: len(pc.hand_outcomes(count)), (2,)),
    "differences": (differences, (pc.Rules(), pc.Rules())),
    "Rulebook": (lambda name, rules, title: pc.Rulebook(name=name, rules=rules, title=title), ("a", pc.Rules(), "A")),
    "ActionEncoding": (pc.ActionEncoding, (pc.Rules(), 2)),
    "ActionEncoding.encode": (pc.ActionEncoding(pc.Rules(), 2).encode, (pc.Bid(0, 1, 2),)),
    "ActionEncoding.decode": (pc.ActionEncoding(pc.Rules(), 2).decode, (1, 1)),
    "new_memory": (new_memory, (pc.Rules(), 2)),
    "agents.choose": (create_agent("novice").choose, (VIEW, MEMORY, random.Random(1))),
    "agents.interrupt": (
        lambda view, memory: create_agent("novice").interrupt(view, memory, random.Random(1)),
        (pc.observe(STATE, 2), MEMORY),
    ),
    "analyse": (lambda record: analyse(record, worlds=10), (FINISHED,)),
    "analysis_lines": (lambda game: list(analysis_lines(game)), (analyse(FINISHED, worlds=10),)),
    "weigh": (lambda *given: weigh(*given, worlds=10), (VIEW, MEMORY, random.Random(1))),
}
MODULES = (pc, agents, analysis, fair_record, notation, odds, stirs)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__}


def arguments(function: Callable[..., object]) -> tuple[Any, ...]:
    known, more = inspect.signature(function).parameters.items(), {"seat", "state", "character"}
    return tuple(GOOD[name] for name, each in known if each.default is each.empty or name in more)


ROUTINES = {name: value for name, value in PUBLIC.items() if inspect.isroutine(value) and name not in OTHERS}
FUNCTIONS = OTHERS | {name: (function, arguments(function)) for name, function in ROUTINES.items()}
"""Every public function, and the others."""


NAMED_FAULTS = " must be |no seat |is no level|is no character|no canonical stir|no data file |events name "
OTHERWISE = {"apply", "Recorder.apply", "why_illegal", "is_legal", "legal_calls.in", "audience"}
"""These accept any value in place of an action or an event: it counts as an unknown one, which is illegal, or secret.
"""
DATA = {"Rules", "Rules.with_options", "Record.from_dict", "FairRecord.from_dict"}
"""Options and data come from outside: a `PerudoError`, whatever their types; and so for the functions that load."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_anything_in_place_of_an_argument_is_refused_by_name_and_another_type_by_a_type_error(name: str) -> None:
    function, good = FUNCTIONS[name]
    before = pc.dump_state(STATE)
    for at, (number, bad) in product(range(len(good)), enumerate(BAD)):
        started = process_time()
        try:
            function(*good[:at], bad, *good[at + 1 :])
        except (pc.PerudoError, TypeError, ValueError, IndexError) as error:
            said = str(error)
            assert 0 < len(said) < 400, (at, number, said[:100])
            named = isinstance(error, pc.PerudoError) or re.search(NAMED_FAULTS, said)
            assert named, (at, number, said)
        assert process_time() - started < 5, (at, number)
    assert pc.dump_state(STATE) == before
    from_outside = name in DATA or name.startswith("load_")
    for at in range(len(good) - (name in OTHERWISE)):
        with pytest.raises(pc.PerudoError if from_outside and (at == 0 or name in DATA) else TypeError):
            function(*good[:at], object(), *good[at + 1 :])


def test_a_refused_argument_changes_nothing_and_half_a_letter_is_in_no_name() -> None:
    recorder = pc.Recorder(NEW)
    for bad in BAD:
        with pytest.raises((pc.PerudoError, TypeError)):
            recorder.apply(bad)
    assert recorder.state is NEW
    assert recorder.record().rounds == ()
    names = ("\ud800", "Bo")
    with pytest.raises(pc.RulesError, match=r"seats must be names that can be written, not '.ud800'"):
        pc.new_game(pc.Rules(), names)
    with pytest.raises(pc.RecordError, match=r"a seat's name is not a whole text: '.ud800'"):
        pc.Record(RECORD.schema, RECORD.rules, names, 0, ())
    with pytest.raises(ValueError, match=r"each of seats must be a whole text, not '.ud800'"):
        pc.GameText(pc.Rules(), names, 0, ())


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ((LINE.actions, ((0, (12,)),)), "each die of hands must be from 1 to 6, not 12"),
        ((LINE.actions, ((0, (0,)),)), "each die of hands must be from 1 to 6, not 0"),
        ((LINE.actions, ((0, ()),)), "each of hands must be of one die at least"),
        (((), None, 5), "matching must be None where nothing was bid"),
        (((pc.Dudo(0),), None, 5), "matching must be None where nothing was bid"),
        ((LINE.actions, ((0,),)), "must be pairs"),
        ((LINE.actions, None, None, ((0,),)), "must be pairs"),
        ((LINE.actions, None, None, ((0, 1, 2),)), "must be pairs"),
    ],
)
def test_a_line_that_would_say_something_else(fields: tuple[Any, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        pc.RoundText(*fields)


GAME: dict[str, Any] = data("records/schema_2_box_2009.json")
PROOF: dict[str, Any] = data("fair_record.json")
KEYS = st.sampled_from(["schema", "rules", "seats", "opener", "rounds", "dice", "calls", "type", "seat", "bid", "face"])
TEXTS = ["dudo", "calza", "leave", "3x3", "x", "box_2009", "opening", "over", "\ud800", "perudo-record/1"]
NUMBERS = [10**30, -(10**30), float("nan"), float("inf"), 1.0]
LEAVES = st.none() | st.booleans() | st.integers(-3, 8) | st.sampled_from(NUMBERS) | st.sampled_from(TEXTS)
NESTED = lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)  # noqa: E731
ANYTHING = st.recursive(LEAVES, NESTED, max_leaves=12)


@contextmanager
def refused_in_one_line(error: type[pc.PerudoError]) -> Iterator[None]:
    """Accept a block that works or raises this error, in one line."""
    try:
        yield
    except error as refusal:
        assert 0 < len(str(refusal)) < 400  # noqa: PT017 - a block that works is good too


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
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
    "proof": ([PROOF], lambda data: pc.FairRecord.from_dict(data).verify(), pc.RecordError),
    "state": (STATES, plays_on, pc.StateError),
    "observation": (OBSERVED, is_a_seats, pc.StateError),
}
SPOTS = {name: [(each, path) for each in READERS[name][0] for path in places(each)] for name in READERS}


@pytest.mark.usefixtures("untraced")
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


@pytest.mark.usefixtures("untraced")
@settings(max_examples=150)
@given(SENT)
def test_whatever_a_client_sends_is_its_own_call_or_refused(data: Any) -> None:
    with refused_in_one_line(pc.StateError):
        call = pc.load_call(data, 3)
        assert type(call) in {pc.Bid, pc.Dudo, pc.Calza}
        assert call.seat == 3


@pytest.mark.usefixtures("untraced")
@settings(max_examples=150)
@given(st.text() | st.text(alphabet='[]{}",:0123456789eE+-.truefalsn \\u'))
def test_any_text_at_all(text: str) -> None:
    book = partial(pc.Rulebook.from_toml, "mine")
    for load in (pc.Record.from_json, pc.Rules.from_toml, book, pc.FairRecord.from_json, pc.read_record):
        with refused_in_one_line(pc.PerudoError):
            load(text)


@pytest.mark.usefixtures("untraced")
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
