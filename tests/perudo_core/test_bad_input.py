"""Every public function gets any value in place of each argument: it raises a typed error that names it, and soon."""

import inspect
import random
import re
from collections.abc import Callable
from itertools import product
from time import process_time
from typing import Any

import pytest

import perudo_core as pc
from perudo_conformance import check_engine, data
from perudo_core import agents, analysis, fair_record, notation, odds, stirs
from perudo_core.agents import bid_chances, create_agent, dump_memory, load_memory, new_memory, remember, remember_all
from perudo_core.analysis import analyse, analysis_lines, highlights, weigh
from perudo_core.english import differences
from perudo_core.stirs import canonical_word, salt_from_stirs, stirs_in_salt

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


def nest() -> list[Any]:
    inner: list[Any] = []
    for _ in range(100_000):
        inner = [inner]
    return inner


BAD: list[Any] = [
    *(None, True, -1, 10**30, 10**5000, 1.5, float("nan"), float("inf"), "x", "x" * 1_000_000, "\ud800", b"x"),
    *([], [None], {}, {None: None}, (), (None,), ((None,),), object(), nest(), {1, 2}, int),
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


FUNCTIONS: dict[str, tuple[Callable[..., object], tuple[Any, ...]]] = {
    "new_game": (pc.new_game, (pc.Rules(), ["Ana", "Bo"])),
    "new_game, opener": (lambda opener: pc.new_game(pc.Rules(), 2, opener=opener), (1,)),
    "apply": (pc.apply, (STATE, pc.Bid(1, 3, 3))),
    "why_illegal": (pc.why_illegal, (STATE, pc.Bid(1, 3, 3))),
    "legal_calls": (lambda state, seat: len(pc.legal_calls(state, seat)), (STATE, 1)),
    "smallest_raise": (pc.smallest_raise, (STATE,)),
    "settle_claims": (pc.settle_claims, (STATE, [1, 2])),
    "set_up": (pc.set_up, (pc.Rules(), ((1, 2), (3, 4)), ())),
    "set_up, options": (set_up_with, (["Ana", "Bo"], 0, None, (), (), 1)),
    "sample_roll": (pc.sample_roll, (NEW, random.Random(1))),
    "sample_reroll": (pc.sample_reroll, (BID_AGAIN, 0, (2,), random.Random(1))),
    "observe": (pc.observe, (STATE, 1)),
    "dump_state": (pc.dump_state, (STATE,)),
    "dump_action": (pc.dump_action, (pc.Bid(0, 1, 2),)),
    "dump_event": (pc.dump_event, (pc.BidMade(pc.Bid(0, 1, 2)),)),
    "load_state": (pc.load_state, ({},)),
    "dump_observation": (pc.dump_observation, (VIEW,)),
    "load_observation": (pc.load_observation, ({},)),
    "load_call": (pc.load_call, ("5x3", 1)),
    "parse_call": (pc.parse_call, ("5x3", 1)),
    "describe": (lambda event: pc.describe(event, ["Ana"]), (pc.BidMade(pc.Bid(0, 1, 2)),)),
    "load_action": (pc.load_action, ({},)),
    "load_event": (pc.load_event, ({},)),
    "record_of": (lambda seats, actions: pc.record_of(pc.Rules(), seats, actions, opener=0), (["Ana", "Bo"], ACTIONS)),
    "Recorder": (pc.Recorder, (NEW,)),
    "Recorder.resume": (pc.Recorder.resume, (RECORD,)),
    "Recorder.apply": (lambda action: pc.Recorder(NEW).apply(action), (ACTIONS[0],)),
    "replay": (pc.replay, (RECORD,)),
    "replay_steps": (lambda record: list(pc.replay_steps(record)), (RECORD,)),
    "Record": (played, ("perudo-record/1", pc.Rules(), ("Ana", "Bo"), 0, RECORD.rounds)),
    "RecordRound": (played_round, (RECORD.rounds[0].dice, RECORD.rounds[0].actions)),
    "Record.from_json": (pc.Record.from_json, ("{}",)),
    "Record.from_dict": (pc.Record.from_dict, ({},)),
    "read_record": (pc.read_record, ("{}",)),
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
    "count_matching": (pc.count_matching, ((1, 2), 2, True)),
    "bid_probability": (pc.bid_probability, (VIEW, pc.Bid(0, 1, 2))),
    "bid_odds": (pc.bid_odds, (VIEW, pc.Bid(0, 1, 2))),
    "probability_holds": (pc.probability_holds, ([1], 2, 3, 2, True)),
    "probability_exact": (pc.probability_exact, ([1], 2, 3, 2, True)),
    "count_probabilities": (pc.count_probabilities, ([1], 2, 2, True)),
    "explain": (pc.explain, (pc.Reason.NO_BID, STATE)),
    "clause": (pc.clause, (pc.Reason.NO_BID, pc.Rules())),
    "RoundText.parse": (pc.RoundText.parse, ("",)),
    "RoundText": (lambda *fields: str(pc.RoundText(*fields)), (LINE.actions, None, 1, LINE.changes)),
    "GameText": (written_game, (pc.Rules(), ("Ana", "Bo"), 0, (LINE,))),
    "GameText.parse": (pc.GameText.parse, ("",)),
    "GameText.of": (pc.GameText.of, (RECORD,)),
    "legal_calls.in": (lambda call: call in pc.legal_calls(STATE), (pc.Bid(1, 3, 3),)),
    "data": (data, ("perft.json",)),
    "check_engine": (lambda presets: check_engine(presets=presets), ((),)),
    "is_legal": (pc.is_legal, (STATE, pc.Bid(1, 3, 3))),
    "chance_outcomes": (lambda state: len(pc.chance_outcomes(state)), (NEW,)),
    "hand_outcomes": (lambda count: len(pc.hand_outcomes(count)), (2,)),
    "information_state_string": (pc.information_state_string, (STATE, 1)),
    "sample_state": (pc.sample_state, (VIEW, random.Random(1))),
    "audience": (pc.audience, (pc.BidMade(pc.Bid(0, 1, 2)),)),
    "visible_events": (pc.visible_events, ([pc.BidMade(pc.Bid(0, 1, 2))], 1)),
    "differences": (differences, (pc.Rules(), pc.Rules())),
    "Rulebook": (lambda name, rules, title: pc.Rulebook(name=name, rules=rules, title=title), ("a", pc.Rules(), "A")),
    "ActionEncoding": (pc.ActionEncoding, (pc.Rules(), 2)),
    "ActionEncoding.encode": (pc.ActionEncoding(pc.Rules(), 2).encode, (pc.Bid(0, 1, 2),)),
    "ActionEncoding.decode": (pc.ActionEncoding(pc.Rules(), 2).decode, (1, 1)),
    "agents.new_memory": (new_memory, (pc.Rules(), 2)),
    "agents.remember": (remember, (MEMORY, pc.BidMade(pc.Bid(0, 1, 2)))),
    "agents.remember_all": (remember_all, (MEMORY, [])),
    "agents.dump_memory": (dump_memory, (MEMORY,)),
    "agents.load_memory": (load_memory, ({},)),
    "agents.create_agent": (create_agent, ("novice", "bold")),
    "agents.choose": (create_agent("novice").choose, (VIEW, MEMORY, random.Random(1))),
    "agents.interrupt": (
        lambda view, memory: create_agent("novice").interrupt(view, memory, random.Random(1)),
        (pc.observe(STATE, 2), MEMORY),
    ),
    "agents.bid_chances": (bid_chances, (VIEW, MEMORY, pc.Bid(0, 2, 3))),
    "analysis.analyse": (lambda record: analyse(record, worlds=10), (FINISHED,)),
    "analysis.highlights": (highlights, (analyse(FINISHED, worlds=10),)),
    "analysis.analysis_lines": (lambda game: list(analysis_lines(game)), (analyse(FINISHED, worlds=10),)),
    "analysis.weigh": (lambda *given: weigh(*given, worlds=10), (VIEW, MEMORY, random.Random(1))),
    "stirs.salt_from_stirs": (salt_from_stirs, (["llama"],)),
    "stirs.stirs_in_salt": (stirs_in_salt, ("perudo-stirs/3",)),
    "stirs.canonical_word": (canonical_word, ("llama",)),
}


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
    from_outside = name in DATA or name.removeprefix("agents.").startswith("load_")
    for at in range(len(good) - (name in OTHERWISE)):
        with pytest.raises(pc.PerudoError if from_outside and (at == 0 or name in DATA) else TypeError):
            function(*good[:at], object(), *good[at + 1 :])


def test_no_public_function_is_left_out() -> None:
    tried = {name.rpartition(".")[2] for name in FUNCTIONS} | {"load_tables"}  # which takes no argument
    for module in (pc, agents, analysis, fair_record, notation, odds, stirs):
        assert {name for name in module.__all__ if inspect.isroutine(getattr(module, name))} <= tried


def test_a_refused_argument_changes_nothing() -> None:
    recorder = pc.Recorder(NEW)
    for bad in BAD:
        with pytest.raises((pc.PerudoError, TypeError)):
            recorder.apply(bad)
    assert recorder.state is NEW
    assert recorder.record().rounds == ()


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


def test_half_a_letter_is_in_no_name() -> None:
    names = ("\ud800", "Bo")
    with pytest.raises(pc.RulesError, match=r"seats must be names that can be written, not '.ud800'"):
        pc.new_game(pc.Rules(), names)
    with pytest.raises(pc.RecordError, match=r"a seat's name is not a whole text: '.ud800'"):
        pc.Record(RECORD.schema, RECORD.rules, names, 0, ())
    with pytest.raises(ValueError, match=r"each of seats must be a whole text, not '.ud800'"):
        pc.GameText(pc.Rules(), names, 0, ())
