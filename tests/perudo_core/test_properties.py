import json
import random
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import perudo_core as pc
from perudo_core._fields import STATE_FIELDS, write_fields

pytestmark = pytest.mark.usefixtures("untraced")


SWITCHES = tuple(name for name, row in pc.Rules.options().items() if isinstance(row.default, bool))
ANY_SWITCHES = st.fixed_dictionaries({}, optional={name: st.booleans() for name in SWITCHES})


def mixed(book: pc.Rules, options: dict[str, Any]) -> pc.Rules:
    try:
        return book.with_options(**options)
    except pc.RulesError:
        contradicting = [name for name, row in pc.Rules.options().items() if row.contradicts]
        return book.with_options(**options | dict.fromkeys((*contradicting, "extra_die"), False))


def mixes(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[pc.Rules]:
    """Rules of any book and house; `options` draw those that are no switches."""
    return st.builds(
        lambda preset, drawn, switches: mixed(pc.Rules.preset(preset), {"max_seats": None} | drawn | switches),
        st.sampled_from(pc.PRESETS),
        st.fixed_dictionaries({}, optional=options),
        ANY_SWITCHES,
    )


class Played(NamedTuple):
    before: pc.State
    action: pc.Action
    after: pc.State
    events: tuple[pc.Event, ...]


RULES = mixes(
    starting_dice=st.integers(1, 10),
    opener=st.sampled_from(pc.OpenerMethod),
    plain_raise=st.sampled_from(pc.PlainRaise),
    ones_rank=st.sampled_from(pc.OnesRank),
    calza_by=st.sampled_from(pc.CalzaBy),
    lost_dice=st.sampled_from(pc.LostDice),
)
SCHEMAS = {
    name: Draft202012Validator(json.loads(files("perudo_core").joinpath("schemas", f"{name}.json").read_text("utf-8")))
    for name in ("action", "call", "event", "observation", "record", "rules", "state")
}
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
def test_dice_are_conserved_and_a_game_ends_with_one_winner_and_a_place_for_everybody(
    rules: pc.Rules, seats: int, seed: int, table: bool
) -> None:
    regained = 0
    for played in play(rules, seats, seed, table=table):
        counts, last = list(played.before.dice_counts), played.after
        for event in played.events:
            if isinstance(event, pc.DiceLost):
                counts[event.seat] -= event.amount
                assert event.amount >= 1
                assert event.remaining == counts[event.seat], "also where lost dice are hidden"
            if isinstance(event, pc.DieRegained):
                counts[event.seat] += event.amount
                regained += max(event.amount, 1)  # a right calza that changes no dice costs a round
        if isinstance(played.action, pc.Leave):
            counts[played.action.seat] = 0
        assert last.dice_counts == tuple(counts)
        assert all(0 <= count <= most for count, most in zip(counts, rules.dice_at_start(seats), strict=True))
        if last.phase is pc.Phase.BIDDING:
            assert tuple(map(len, last.dice)) == last.dice_counts
    assert last.outcome is not None
    assert sorted(last.outcome.placements) == list(range(1, seats + 1))
    assert last.outcome.placements[last.outcome.winner] == 1
    assert len(pc.legal_calls(last)) == 0
    if table:
        return
    assert last.round <= sum(rules.dice_at_start(seats)) + 2 * regained
    if rules.first_out_wins:
        assert [seat for seat in range(seats) if not last.dice_counts[seat]] == [last.outcome.winner]
    else:
        assert last.active_seats == (last.outcome.winner,)


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
        some = universe[:: 1 + len(universe) // 97]
        assert all((call in legal) == (pc.why_illegal(state, call) is None) for call in some)
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
@given(RULES, st.lists(st.text(max_size=6), min_size=2, max_size=7), SEED, st.booleans(), st.integers(0, 10_000))
def test_a_game_is_recorded_resumed_replayed_and_written_in_a_line(
    rules: pc.Rules, names: list[str], seed: int, table: bool, interrupted: int
) -> None:
    game = list(play(rules, names, seed, table=table))
    actions = [played.action for played in game]
    record = pc.record_of(rules, names, actions)
    assert pc.Record.from_json(record.to_json()) == record
    SCHEMAS["record"].validate(record.to_dict())
    recorder = pc.Recorder(game[0].before)
    for number, action in enumerate(actions):
        if number == interrupted % len(actions) and recorder.state.round:
            recorder = pc.Recorder.resume(pc.Record.from_json(recorder.record().to_json()))
        recorder.apply(action)
    assert recorder.record() == record
    replayed = pc.replay(record)
    assert replayed.final == game[-1].after
    begun = [played for played in game if played.before.phase is not pc.Phase.OPENING]
    for step, played in zip(reversed(list(replayed)), reversed(begun), strict=False):
        assert (step.state, step.events) == (played.after, played.events)
    line = str(pc.GameText.of(record))
    assert line.isprintable()
    assert pc.GameText.parse(line).record() == record
    short = pc.GameText.of(record, dice=False)
    assert pc.GameText.parse(str(short)) == short


@settings(max_examples=25)
@given(RULES, SEATS, SEED)
def test_what_is_stored_or_sent_fits_its_schema_and_is_read_back(rules: pc.Rules, seats: int, seed: int) -> None:
    SCHEMAS["rules"].validate(rules.to_dict())
    assert pc.Rules.from_toml(rules.to_toml()) == pc.Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    for number, played in enumerate(play(rules, seats, seed, table=True)):
        view = pc.observe(played.after, (None, *range(seats))[number % (seats + 1)])
        ways: list[tuple[str, Any, Callable[[Any], Any], Callable[[Any], Any]]] = [
            ("state", played.after, pc.dump_state, pc.load_state),
            ("action", played.action, pc.dump_action, pc.load_action),
            ("observation", view, pc.dump_observation, pc.load_observation),
            *(("event", event, pc.dump_event, pc.load_event) for event in played.events),
        ]
        for schema, value, dump, load in ways:
            written = json.loads(json.dumps(dump(value)))
            assert load(written) == value
            if number % 5 == seed % 5:
                SCHEMAS[schema].validate(written)
        stored = pc.dump_state(played.after)
        shared = {name: kind for name, kind in STATE_FIELDS.items() if name != "dice"}
        seen = {"schema": "perudo-state/2", "dice": stored["dice"], **write_fields(view, shared)}
        assert stored == seen, "an observation and the others' dice are the whole state"
