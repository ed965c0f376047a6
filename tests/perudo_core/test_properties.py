"""Properties of every game, for every mix of options."""

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from tests.perudo_core.mixed_rules import mixes

pytestmark = pytest.mark.usefixtures("untraced")


class Played(NamedTuple):
    before: pc.State
    action: pc.Action
    after: pc.State
    events: tuple[pc.Event, ...]


RULES = mixes(
    starting_dice=st.integers(1, 10),
    opener=st.sampled_from(pc.OpenerMethod),
    plain_raise=st.sampled_from(pc.PlainRaise),
    calza_by=st.sampled_from(pc.CalzaBy),
    lost_dice=st.sampled_from(pc.LostDice),
)
SEATS = st.integers(2, 7)
SEED = st.integers(0, 2**32)


def choose(state: pc.State, rng: random.Random, *, table: bool) -> pc.Action:
    """Any call at all, with more reveals than a uniform draw would make; at times an action of the table."""
    if table and rng.random() < 0.03:
        return pc.Leave(rng.choice(state.active_seats))
    if state.phase is not pc.Phase.BIDDING:
        return pc.sample_roll(state, rng)
    if state.bids and rng.random() < 0.5 and (dice := pc.observe(state, state.bids[-1].seat).supporting_dice):
        return pc.sample_reroll(state, state.bids[-1].seat, dice[:1], rng)
    if table and rng.random() < 0.05:
        assert state.turn is not None
        return pc.Concede(state.turn)
    calls = pc.legal_calls(state)
    reveals = [call for call in calls if not isinstance(call, pc.Bid)]
    if reveals and rng.random() < 0.3:
        return rng.choice(reveals)
    low = pc.smallest_raise(state)
    return low if low is not None and rng.random() < 0.5 else rng.choice(calls)


def play(rules: pc.Rules, seats: int | list[str], seed: int, *, table: bool = False) -> Iterator[Played]:
    rng = random.Random(seed)
    state = pc.new_game(rules, seats)
    while not state.is_terminal:
        action = choose(state, rng, table=table)
        after, events = (transition := pc.apply(state, action)).state, transition.events
        yield Played(state, action, after, events)
        state = after


@given(RULES, SEATS, SEED, st.booleans())
def test_dice_are_conserved(rules: pc.Rules, seats: int, seed: int, table: bool) -> None:
    for played in play(rules, seats, seed, table=table):
        counts = list(played.before.dice_counts)
        for event in played.events:
            if isinstance(event, pc.DiceLost):
                counts[event.seat] -= event.amount
                assert event.amount >= 1
                assert event.remaining == counts[event.seat], "also where lost dice are hidden"
            if isinstance(event, pc.DieRegained):
                counts[event.seat] += event.amount
        if isinstance(played.action, pc.Leave):
            counts[played.action.seat] = 0
        assert played.after.dice_counts == tuple(counts)
        assert all(0 <= count <= most for count, most in zip(counts, rules.dice_at_start(seats), strict=True))
        if played.after.phase is pc.Phase.BIDDING:
            assert tuple(map(len, played.after.dice)) == played.after.dice_counts


@given(RULES, SEATS, SEED)
def test_a_game_ends_with_one_winner_and_a_place_for_everybody(rules: pc.Rules, seats: int, seed: int) -> None:
    rounds = regained = 0
    for played in play(rules, seats, seed):
        rounds = played.after.round
        regained += sum(event.amount for event in played.events if isinstance(event, pc.DieRegained))
        kept = sum(event.amount == 0 for event in played.events if isinstance(event, pc.DieRegained))
        regained += kept  # a right calza that changes no dice costs a round
        last = played.after
    assert rounds <= sum(rules.dice_at_start(seats)) + 2 * regained
    assert last.outcome is not None
    if rules.first_out_wins:
        assert [seat for seat in range(seats) if not last.dice_counts[seat]] == [last.outcome.winner]
    else:
        assert last.active_seats == (last.outcome.winner,)
    assert sorted(last.outcome.placements) == list(range(1, seats + 1))
    assert last.outcome.placements[last.outcome.winner] == 1
    assert len(pc.legal_calls(last)) == 0


@settings(max_examples=30)
@given(RULES, SEATS, SEED)
def test_check_agrees_with_legal_calls_over_all_calls(rules: pc.Rules, seats: int, seed: int) -> None:
    rng = random.Random(seed)
    for played in play(rules, seats, seed, table=True):
        if rng.random() < 0.9:
            continue
        state = played.after
        universe: list[pc.Call] = [
            pc.Bid(seat, quantity, face)
            for seat in range(-1, seats + 1)
            for quantity in range(-1, state.max_quantity + 3)
            for face in range(-1, 9)
        ]
        universe += [call(seat) for call in (pc.Dudo, pc.Calza) for seat in range(-1, seats + 1)]
        legal = pc.legal_calls(state)
        assert set(legal) == {call for call in universe if pc.why_illegal(state, call) is None}
        assert len(set(legal)) == len(legal)
        assert all(
            (call in legal) == (pc.why_illegal(state, call) is None) for call in universe[:: 1 + len(universe) // 97]
        )
        assert sorted(legal, key=order(state)) == list(legal)
        for seat in range(seats):
            assert list(pc.legal_calls(state, seat)) == [call for call in legal if call.seat == seat]
        if state.phase is pc.Phase.BIDDING:
            assert any(call.seat == state.turn for call in legal), "the player on turn is never stuck"


def order(state: pc.State) -> Callable[[pc.Call], tuple[int, ...]]:
    direction = state.rules.direction(state.round)

    def key(call: pc.Call) -> tuple[int, ...]:
        if isinstance(call, pc.Bid):
            return (0, call.quantity, call.face)
        assert state.turn is not None
        return (1 if isinstance(call, pc.Dudo) else 2, (call.seat - state.turn) * direction % len(state.seats))

    return key


@settings(max_examples=40)
@given(RULES, SEATS, SEED, st.booleans())
def test_a_record_replays_to_the_same_game(rules: pc.Rules, seats: int, seed: int, table: bool) -> None:
    game = list(play(rules, seats, seed, table=table))
    record = pc.record_of(rules, seats, [played.action for played in game])
    again = pc.Record.from_json(record.to_json())
    assert again == record
    replayed = pc.replay(again)
    assert replayed.final == game[-1].after
    begun = [played for played in game if played.before.phase is not pc.Phase.OPENING]
    if begun:
        tail = list(replayed)[-len(begun) :]
        assert [step.state for step in tail] == [played.after for played in begun]
        assert [step.events for step in tail] == [played.events for played in begun]


@settings(max_examples=25)
@given(RULES, SEATS, SEED)
def test_states_actions_and_events_survive_json(rules: pc.Rules, seats: int, seed: int) -> None:
    for played in play(rules, seats, seed, table=True):
        assert pc.load_state(json.loads(json.dumps(pc.dump_state(played.after)))) == played.after
        assert pc.load_action(json.loads(json.dumps(pc.dump_action(played.action)))) == played.action
        for event in played.events:
            assert pc.load_event(json.loads(json.dumps(pc.dump_event(event)))) == event


@given(RULES)
def test_rules_survive_toml_and_json(rules: pc.Rules) -> None:
    assert pc.Rules.from_toml(rules.to_toml()) == rules
    assert pc.Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
