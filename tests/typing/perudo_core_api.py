"""The library for type checkers: mypy and pyright read this file, which never runs."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import assert_type

import perudo_conformance as kit
import perudo_core as pc

assert_type(pc.Rules.preset("aces"), pc.Rules)
assert_type(pc.Rules().book, str)
assert_type(pc.Rulebook.preset("aces").clauses, Mapping[str, str])
assert_type(pc.Rules(plain_raise="any_higher", lost_dice=pc.LostDice.VISIBLE).plain_raise, pc.PlainRaise)
state = assert_type(pc.new_game(pc.Rules.preset("aces"), ["Ana", "Bo"]), pc.State)
assert_type(pc.sample_roll(state, Random(1)), pc.ChanceAction)
assert_type(pc.legal_calls(state), pc.LegalCalls)
assert_type(pc.legal_calls(state)[0], pc.Bid | pc.Dudo | pc.Calza)
calls: Sequence[pc.Call] = pc.legal_calls(state, 0)
assert_type(pc.observe(state, 0).legal_calls[:2], tuple[pc.Call, ...])
assert_type(list(pc.legal_calls(state, 0)), list[pc.Call])
assert_type(pc.why_illegal(state, pc.Dudo(0)), pc.Reason | None)
assert_type(pc.apply(state, pc.Dudo(0)).events, tuple[pc.Event, ...])
assert_type(pc.smallest_raise(state), pc.Bid | None)
assert_type(pc.settle_claims(state, [1]), pc.Seat | None)
assert_type(state.outcome, pc.Outcome | None)
assert_type(pc.observe(state, None), pc.Observation)
assert_type(pc.load_observation(pc.dump_observation(pc.observe(state, None))), pc.Observation)
assert_type(pc.load_call("5x3", 0), pc.Bid | pc.Dudo | pc.Calza)
assert_type(pc.bid_probability(pc.observe(state, 0), pc.Bid(0, 1, 2)), Fraction)
assert_type(pc.record_of(pc.Rules(), 2, []), pc.Record)
assert_type(pc.replay(pc.record_of(pc.Rules(), 2, [])), pc.Replay)
assert_type(pc.bid_odds(pc.observe(state, 0), pc.Bid(0, 1, 2)), pc.Odds[Fraction])
assert_type(pc.bid_odds(pc.observe(state, 0), pc.Bid(0, 1, 2)).floats(), pc.Odds[float])
assert_type(pc.bid_odds(pc.observe(state, 0), pc.Bid(0, 1, 2)).floats().holds, float)
assert_type(pc.count_probabilities([2, 2], 3, 2, ones_are_wild=True), tuple[Fraction, ...])
dice = assert_type(pc.FairDice.new(), pc.FairDice)
assert_type(dice.commitment, str)
assert_type(dice.with_salt("llama").roll(state), pc.ChanceAction)
assert_type(pc.FairRecord.of(dice, 2, []).verify(), pc.Verification)
assert_type(pc.read_record("{}"), pc.Record | pc.FairRecord)
assert_type(pc.RoundText.parse("A 4x4 B dudo!"), pc.RoundText)
assert_type(pc.GameText.of(pc.record_of(pc.Rules(), 2, [])).record(), pc.Record)
assert_type(pc.explain(pc.Reason.NO_BID, state), str)
assert_type(pc.clause(pc.Reason.NO_BID, pc.Rules()), str | None)
engine: kit.Engine[pc.State] = kit.CoreEngine()
assert_type(kit.check_engine(engine, presets=["aces"]), kit.Report)
with kit.CommandEngine("engine --json", timeout=5) as command:
    assert_type(kit.check_engine(command), kit.Report)
    odds: tuple[kit.OddsEngine, ...] = (kit.CoreEngine(), command)
    fair_dice: tuple[kit.FairDiceEngine, ...] = (kit.CoreEngine(), command)
    notation: tuple[kit.NotationEngine, ...] = (kit.CoreEngine(), command)
dice.secret = b""  # type: ignore[misc]
state.round = 3  # type: ignore[misc]
