"""Every public function gets any value in place of each argument: it raises a typed error that names it, and soon."""

import inspect
import random
from collections.abc import Callable
from itertools import product
from time import process_time
from typing import Any

import pytest

import perudo_core
from perudo_conformance import check_engine, data
from perudo_core import (
    Action,
    ActionEncoding,
    Bid,
    BidMade,
    Dudo,
    FairDice,
    FairRecord,
    GameText,
    NotationError,
    Outcome,
    PerudoError,
    Reason,
    Record,
    Recorder,
    RecordError,
    RecordRound,
    Roll,
    RoundText,
    Rulebook,
    Rules,
    RulesError,
    agents,
    analysis,
    apply,
    audience,
    bid_odds,
    bid_probability,
    chance_outcomes,
    clause,
    count_matching,
    count_probabilities,
    describe,
    dump_action,
    dump_event,
    dump_observation,
    dump_state,
    explain,
    fair_record,
    hand_outcomes,
    information_state_string,
    is_legal,
    legal_calls,
    load_action,
    load_call,
    load_event,
    load_observation,
    load_state,
    new_game,
    notation,
    observe,
    odds,
    parse_call,
    probability_exact,
    probability_holds,
    read_record,
    record_of,
    replay,
    replay_steps,
    sample_reroll,
    sample_roll,
    sample_state,
    set_up,
    settle_claims,
    smallest_raise,
    stirs,
    visible_events,
    why_illegal,
)
from perudo_core.agents import (
    bid_chances,
    create_agent,
    dump_memory,
    load_memory,
    new_memory,
    remember,
    remember_all,
)
from perudo_core.analysis import analyse, analysis_lines, highlights, weigh
from perudo_core.english import differences
from perudo_core.stirs import canonical_word, salt_from_stirs, stirs_in_salt

NEW = new_game(Rules(calza=True), 3, opener=0)
STATE = apply(apply(NEW, sample_roll(NEW, random.Random(1))).state, Bid(0, 2, 3)).state
BID_AGAIN = set_up(Rules(reroll_after_bid=True), ((2, 3), (4, 5)), [Bid(0, 1, 2)])
AGAIN = FairDice(bytes(32), BID_AGAIN.rules)
VIEW = observe(STATE, 1)
MEMORY = new_memory(STATE.rules, 3)
ACTIONS: list[Action] = [Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4))), Bid(0, 5, 2), Dudo(1)]
FINISHED = record_of(Rules(starting_dice=1), 2, [Roll(((2,), (3,))), Bid(0, 2, 2), Dudo(1)], opener=0)
RECORD = record_of(Rules(), ["Ana", "Bo"], ACTIONS, opener=0)
DICE = FairDice(bytes(32))
FAIR = FairRecord.of(DICE, 2, [DICE.roll(new_game(Rules(), 2))])
LINE = RoundText.parse("A 1x2 B dudo! 1/1 B-1")


def nest() -> list[Any]:
    inner: list[Any] = []
    for _ in range(100_000):
        inner = [inner]
    return inner


BAD: dict[str, Any] = {
    "None": None,
    "True": True,
    "-1": -1,
    "huge": 10**30,
    "unprintable": 10**5000,
    "1.5": 1.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "text": "x",
    "1 MB": "x" * 1_000_000,
    "half a text": "\ud800",
    "bytes": b"x",
    "[]": [],
    "[None]": [None],
    "{}": {},
    "{None}": {None: None},
    "()": (),
    "(None,)": (None,),
    "((None,),)": ((None,),),
    "object": object(),
    "nest": nest(),
    "state": STATE,
    "rules": Rules(),
    "record": RECORD,
    "bid": Bid(0, 1, 2),
    "no bid": Bid("a", None, []),  # type: ignore[arg-type]
    "huge bid": Bid(10**30, 10**30, 10**30),
    "no dudo": Dudo([]),  # type: ignore[arg-type]
    "no roll": Roll(None),  # type: ignore[arg-type]
    "outcome": Outcome(0, ()),
    "reason": Reason.NO_BID,
    "set": {1, 2},
    "type": int,
}


def played(*fields: Any) -> object:
    record = Record(*fields)
    record.to_json()
    return replay(record)


def played_round(*fields: Any) -> object:
    return played("perudo-record/1", Rules(), ("Ana", "Bo"), 0, (RecordRound(*fields),))


def written_game(*fields: Any) -> object:
    game = GameText(*fields)
    str(game)
    return game.record()


def set_up_with(*values: Any) -> object:
    names = ("seats", "opener", "palifico", "had_palifico", "eliminated", "round")
    return set_up(Rules(), ((1, 2), (3, 4)), **dict(zip(names, values, strict=True)))


FUNCTIONS: dict[str, tuple[Callable[..., object], tuple[Any, ...]]] = {
    "new_game": (new_game, (Rules(), ["Ana", "Bo"])),
    "new_game, opener": (lambda opener: new_game(Rules(), 2, opener=opener), (1,)),
    "apply": (apply, (STATE, Bid(1, 3, 3))),
    "why_illegal": (why_illegal, (STATE, Bid(1, 3, 3))),
    "legal_calls": (lambda state, seat: len(legal_calls(state, seat)), (STATE, 1)),
    "smallest_raise": (smallest_raise, (STATE,)),
    "settle_claims": (settle_claims, (STATE, [1, 2])),
    "set_up": (set_up, (Rules(), ((1, 2), (3, 4)), ())),
    "set_up, options": (set_up_with, (["Ana", "Bo"], 0, None, (), (), 1)),
    "sample_roll": (sample_roll, (NEW, random.Random(1))),
    "sample_reroll": (sample_reroll, (BID_AGAIN, 0, (2,), random.Random(1))),
    "observe": (observe, (STATE, 1)),
    "dump_state": (dump_state, (STATE,)),
    "dump_action": (dump_action, (Bid(0, 1, 2),)),
    "dump_event": (dump_event, (BidMade(Bid(0, 1, 2)),)),
    "load_state": (load_state, ({},)),
    "dump_observation": (dump_observation, (VIEW,)),
    "load_observation": (load_observation, ({},)),
    "load_call": (load_call, ("5x3", 1)),
    "parse_call": (parse_call, ("5x3", 1)),
    "describe": (lambda event: describe(event, ["Ana"]), (BidMade(Bid(0, 1, 2)),)),
    "load_action": (load_action, ({},)),
    "load_event": (load_event, ({},)),
    "record_of": (lambda seats, actions: record_of(Rules(), seats, actions, opener=0), (["Ana", "Bo"], ACTIONS)),
    "Recorder": (Recorder, (NEW,)),
    "Recorder.resume": (Recorder.resume, (RECORD,)),
    "Recorder.apply": (lambda action: Recorder(NEW).apply(action), (ACTIONS[0],)),
    "replay": (replay, (RECORD,)),
    "replay_steps": (lambda record: list(replay_steps(record)), (RECORD,)),
    "Record": (played, ("perudo-record/1", Rules(), ("Ana", "Bo"), 0, RECORD.rounds)),
    "RecordRound": (played_round, (RECORD.rounds[0].dice, RECORD.rounds[0].actions)),
    "Record.from_json": (Record.from_json, ("{}",)),
    "Record.from_dict": (Record.from_dict, ({},)),
    "read_record": (read_record, ("{}",)),
    "FairDice": (FairDice, (bytes(32), Rules(), "", "")),
    "FairDice.new": (FairDice.new, (Rules(), "")),
    "FairDice.with_salt": (DICE.with_salt, ("",)),
    "FairDice.roll": (DICE.roll, (NEW,)),
    "FairDice.reroll": (AGAIN.reroll, (BID_AGAIN, 0, (2,))),
    "FairDice.choice_seed": (DICE.choice_seed, (NEW, 0)),
    "FairRecord": (FairRecord, (RECORD, "", FAIR.commitment, "", bytes(32), (), ())),
    "FairRecord.of": (FairRecord.of, (DICE, 2, [])),
    "FairRecord.from_json": (FairRecord.from_json, ("{}",)),
    "FairRecord.from_dict": (FairRecord.from_dict, ({},)),
    "FairRecord.verify": (FAIR.verify, (None,)),
    "Rules": (lambda dice, opener, most: Rules(2, most, dice, opener), (5, "random", 6)),
    "Rules.preset": (Rules.preset, ("aces",)),
    "Rulebook.preset": (Rulebook.preset, ("aces",)),
    "Rulebook.from_toml": (Rulebook.from_toml, ("aces", "")),
    "Rules.from_dict": (Rules.from_dict, ({},)),
    "Rules.from_toml": (Rules.from_toml, ("",)),
    "Rules.with_options": (lambda value: Rules().with_options(lost_dice=value, calza=value), ("hidden",)),
    "count_matching": (count_matching, ((1, 2), 2, True)),
    "bid_probability": (bid_probability, (VIEW, Bid(0, 1, 2))),
    "bid_odds": (bid_odds, (VIEW, Bid(0, 1, 2))),
    "probability_holds": (probability_holds, ([1], 2, 3, 2, True)),
    "probability_exact": (probability_exact, ([1], 2, 3, 2, True)),
    "count_probabilities": (count_probabilities, ([1], 2, 2, True)),
    "explain": (explain, (Reason.NO_BID, STATE)),
    "clause": (clause, (Reason.NO_BID, Rules())),
    "RoundText.parse": (RoundText.parse, ("",)),
    "RoundText": (lambda *fields: str(RoundText(*fields)), (LINE.actions, None, 1, LINE.changes)),
    "GameText": (written_game, (Rules(), ("Ana", "Bo"), 0, (LINE,))),
    "GameText.parse": (GameText.parse, ("",)),
    "GameText.of": (GameText.of, (RECORD,)),
    "legal_calls.in": (lambda call: call in legal_calls(STATE), (Bid(1, 3, 3),)),
    "data": (data, ("perft.json",)),
    "check_engine": (lambda presets: check_engine(presets=presets), ((),)),
    "is_legal": (is_legal, (STATE, Bid(1, 3, 3))),
    "chance_outcomes": (lambda state: len(chance_outcomes(state)), (NEW,)),
    "hand_outcomes": (lambda count: len(hand_outcomes(count)), (2,)),
    "information_state_string": (information_state_string, (STATE, 1)),
    "sample_state": (sample_state, (VIEW, random.Random(1))),
    "audience": (audience, (BidMade(Bid(0, 1, 2)),)),
    "visible_events": (visible_events, ([BidMade(Bid(0, 1, 2))], 1)),
    "differences": (differences, (Rules(), Rules())),
    "Rulebook": (lambda *given: Rulebook(name=given[0], rules=given[1], title=given[2]), ("mine", Rules(), "Mine")),
    "ActionEncoding": (ActionEncoding, (Rules(), 2)),
    "ActionEncoding.encode": (ActionEncoding(Rules(), 2).encode, (Bid(0, 1, 2),)),
    "ActionEncoding.decode": (ActionEncoding(Rules(), 2).decode, (1, 1)),
    "agents.new_memory": (new_memory, (Rules(), 2)),
    "agents.remember": (remember, (MEMORY, BidMade(Bid(0, 1, 2)))),
    "agents.remember_all": (remember_all, (MEMORY, [])),
    "agents.dump_memory": (dump_memory, (MEMORY,)),
    "agents.load_memory": (load_memory, ({},)),
    "agents.create_agent": (create_agent, ("novice", "bold")),
    "agents.choose": (create_agent("novice").choose, (VIEW, MEMORY, random.Random(1))),
    "agents.interrupt": (
        lambda view, memory: create_agent("novice").interrupt(view, memory, random.Random(1)),
        (observe(STATE, 2), MEMORY),
    ),
    "agents.bid_chances": (bid_chances, (VIEW, MEMORY, Bid(0, 2, 3))),
    "analysis.analyse": (lambda record: analyse(record, worlds=10), (FINISHED,)),
    "analysis.highlights": (highlights, (analyse(FINISHED, worlds=10),)),
    "analysis.analysis_lines": (lambda game: list(analysis_lines(game)), (analyse(FINISHED, worlds=10),)),
    "analysis.weigh": (lambda *given: weigh(*given, worlds=10), (VIEW, MEMORY, random.Random(1))),
    "stirs.salt_from_stirs": (salt_from_stirs, (["llama"],)),
    "stirs.stirs_in_salt": (stirs_in_salt, ("perudo-stirs/3",)),
    "stirs.canonical_word": (canonical_word, ("llama",)),
}


NAMED_FAULTS = (
    *(" must be ", "no seat ", "is no level", "is no character", "no canonical stir", "no data file "),
    *("lost dice are hidden", "events name "),
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_anything_in_place_of_an_argument(name: str) -> None:
    function, good = FUNCTIONS[name]
    before = dump_state(STATE)
    for at, (kind, bad) in product(range(len(good)), BAD.items()):
        started = process_time()
        try:
            function(*good[:at], bad, *good[at + 1 :])
        except (PerudoError, TypeError, ValueError, IndexError) as error:
            said = str(error)
            assert 0 < len(said) < 400, (at, kind, said[:100])
            native = not isinstance(error, PerudoError)
            assert not native or any(word in said for word in NAMED_FAULTS), (at, kind, said)
        assert process_time() - started < 5, (at, kind)
    assert dump_state(STATE) == before


OTHERWISE = {"apply", "Recorder.apply", "why_illegal", "is_legal", "legal_calls.in", "audience"}
"""These accept any value in place of an action or an event: it counts as an unknown one, which is illegal, or secret.
"""
DATA = {"Rules", "Rules.with_options", "Record.from_dict", "FairRecord.from_dict"}
"""Options and data come from outside: a `PerudoError`, whatever their types; and so for the functions that load."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument_of_the_wrong_type_is_a_type_error(name: str) -> None:
    function, good = FUNCTIONS[name]
    from_outside = name in DATA or name.removeprefix("agents.").startswith("load_")
    for at in range(len(good) - (name in OTHERWISE)):
        with pytest.raises(PerudoError if from_outside and (at == 0 or name in DATA) else TypeError):
            function(*good[:at], object(), *good[at + 1 :])


def test_no_public_function_is_left_out() -> None:
    tried = {name.rpartition(".")[2] for name in FUNCTIONS} | {"load_tables"}  # which takes no argument
    for module in (perudo_core, agents, analysis, fair_record, notation, odds, stirs):
        assert {name for name in module.__all__ if inspect.isroutine(getattr(module, name))} <= tried


def test_a_refused_argument_changes_nothing() -> None:
    recorder = Recorder(NEW)
    for bad in BAD.values():
        with pytest.raises((PerudoError, TypeError)):
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
        (((Dudo(0),), None, 5), "matching must be None where nothing was bid"),
        ((LINE.actions, ((0,),)), "must be pairs"),
        ((LINE.actions, None, None, ((0,),)), "must be pairs"),
        ((LINE.actions, None, None, ((0, 1, 2),)), "must be pairs"),
    ],
)
def test_a_line_that_would_say_something_else(fields: tuple[Any, ...], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        RoundText(*fields)


def test_half_a_letter_is_in_no_name() -> None:
    names = ("\ud800", "Bo")
    with pytest.raises(RulesError, match=r"seats must be names that can be written, not '.ud800'"):
        new_game(Rules(), names)
    with pytest.raises(RecordError, match=r"a seat's name is not a whole text: '.ud800'"):
        Record(RECORD.schema, RECORD.rules, names, 0, ())
    with pytest.raises(ValueError, match=r"each of seats must be a whole text, not '.ud800'"):
        GameText(Rules(), names, 0, ())


def test_a_line_is_of_what_a_line_can_say() -> None:
    with pytest.raises(NotationError):
        RoundText.parse("ZZZZZ 1x2")
    assert RoundText.parse(str(RoundText.parse("ZZZZ 1x2"))) == RoundText((Bid(475_253, 1, 2),))
