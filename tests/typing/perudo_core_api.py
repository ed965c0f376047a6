"""The library for type checkers: mypy and pyright read this file, which never runs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import assert_type

from perudo_conformance import (
    CommandEngine,
    CoreEngine,
    Engine,
    FairDiceEngine,
    NotationEngine,
    OddsEngine,
    Report,
    check_engine,
)
from perudo_core import (
    Bid,
    Call,
    Calza,
    ChanceAction,
    Dudo,
    Event,
    FairDice,
    FairRecord,
    GameText,
    LegalCalls,
    LostDice,
    Observation,
    Odds,
    Outcome,
    PlainRaise,
    Reason,
    Record,
    Replay,
    RoundText,
    Rulebook,
    Rules,
    Seat,
    State,
    Verification,
    apply,
    bid_odds,
    bid_probability,
    clause,
    count_probabilities,
    dump_observation,
    explain,
    legal_calls,
    load_call,
    load_observation,
    new_game,
    observe,
    read_record,
    record_of,
    replay,
    sample_roll,
    settle_claims,
    smallest_raise,
    why_illegal,
)

assert_type(Rules.preset("aces"), Rules)
assert_type(Rules().book, str)
assert_type(Rulebook.preset("aces").clauses, Mapping[str, str])
assert_type(Rules(plain_raise="any_higher", lost_dice=LostDice.VISIBLE).plain_raise, PlainRaise)
state = assert_type(new_game(Rules.preset("aces"), ["Ana", "Bo"]), State)
assert_type(sample_roll(state, Random(1)), ChanceAction)
assert_type(legal_calls(state), LegalCalls)
assert_type(legal_calls(state)[0], Bid | Dudo | Calza)
calls: Sequence[Call] = legal_calls(state, 0)
assert_type(observe(state, 0).legal_calls[:2], tuple[Call, ...])
assert_type(list(legal_calls(state, 0)), list[Call])
assert_type(why_illegal(state, Dudo(0)), Reason | None)
assert_type(apply(state, Dudo(0)).events, tuple[Event, ...])
assert_type(smallest_raise(state), Bid | None)
assert_type(settle_claims(state, [1]), Seat | None)
assert_type(state.outcome, Outcome | None)
assert_type(observe(state, None), Observation)
assert_type(load_observation(dump_observation(observe(state, None))), Observation)
assert_type(load_call("5x3", 0), Bid | Dudo | Calza)
assert_type(bid_probability(observe(state, 0), Bid(0, 1, 2)), Fraction)
assert_type(record_of(Rules(), 2, []), Record)
assert_type(replay(record_of(Rules(), 2, [])), Replay)
assert_type(bid_odds(observe(state, 0), Bid(0, 1, 2)), Odds[Fraction])
assert_type(bid_odds(observe(state, 0), Bid(0, 1, 2)).floats(), Odds[float])
assert_type(bid_odds(observe(state, 0), Bid(0, 1, 2)).floats().holds, float)
assert_type(count_probabilities([2, 2], 3, 2, ones_are_wild=True), tuple[Fraction, ...])
dice = assert_type(FairDice.new(), FairDice)
assert_type(dice.commitment, str)
assert_type(dice.with_salt("llama").roll(state), ChanceAction)
assert_type(FairRecord.of(dice, 2, []).verify(), Verification)
assert_type(read_record("{}"), Record | FairRecord)
assert_type(RoundText.parse("A 4x4 B dudo!"), RoundText)
assert_type(GameText.of(record_of(Rules(), 2, [])).record(), Record)
assert_type(explain(Reason.NO_BID, state), str)
assert_type(clause(Reason.NO_BID, Rules()), str | None)
engine: Engine[State] = CoreEngine()
assert_type(check_engine(engine, presets=["aces"]), Report)
with CommandEngine("engine --json", timeout=5) as command:
    assert_type(check_engine(command), Report)
    odds: tuple[OddsEngine, ...] = (CoreEngine(), command)
    fair_dice: tuple[FairDiceEngine, ...] = (CoreEngine(), command)
    notation: tuple[NotationEngine, ...] = (CoreEngine(), command)
dice.secret = b""  # type: ignore[misc]
state.round = 3  # type: ignore[misc]
