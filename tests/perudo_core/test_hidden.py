"""A seat's knowledge: all that the table has seen, and never the others' dice."""

import random
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from tests.perudo_core.notation import by_each_book, changed, table
from tests.perudo_core.test_properties import SEED, play

SHOWN = """
    seat rules seats phase round turn opener dice dice_counts bids palifico contenders had_palifico eliminated
    shown ones_are_wild max_quantity outcome legal_calls supporting_dice
"""
ALLOWED = """
    Observation Rules LegalCalls Phase Bid Dudo Calza tuple frozenset str int bool NoneType OnesRank OpenerMethod
    PlainRaise CalzaBy LostDice
"""
FLAGS = {flag: st.booleans() for flag in ("calza", "lose_by_difference", "palifico_once")}
DRAWN = {"calza": st.booleans(), "reroll_after_bid": st.booleans(), "lost_dice": st.sampled_from(pc.LostDice)}


@by_each_book
def test_a_seat_sees_its_own_dice_and_everybodys_count_with_its_own_calls_a_bystander_none(book: pc.Rules) -> None:
    """Hidden lost dice hide nothing from a player who counts: `hides_lost_dice` tells an interface what to show."""
    view = pc.observe(table(book, "234", "", "55", "1", calls="1x2"), 0)
    assert view.dice == (2, 3, 4)
    assert (view.dice_counts, view.total_dice, view.unknown_dice) == ((3, 0, 2, 1), 6, 3)
    hidden = book.lost_dice is pc.LostDice.HIDDEN
    assert (view.rules.hides_lost_dice, view.max_quantity) == (hidden, 20 if hidden else 6), "the start's, or in play"
    state = table(book.with_options(calza=True, calza_by="anyone_but_bidder"), "234", "55", "16", calls="1x2 2x2")
    view = pc.observe(state, None)
    assert (view.dice, list(view.legal_calls), view.seat) == ((), [], None)
    assert view.bids == (pc.Bid(0, 1, 2), pc.Bid(1, 2, 2))
    assert view.current_bid == state.current_bid
    assert view.unknown_dice == view.total_dice == 7
    assert pc.observe(state, 2).legal_calls == pc.legal_calls(state, 2)
    assert {call.seat for call in pc.observe(state, 0).legal_calls} == {0}
    for nobody in (-1, 3, True, "0"):
        with pytest.raises((TypeError, ValueError), match="seat must be"):
            pc.observe(state, nobody)  # type: ignore[arg-type]


def test_a_roll_is_known_to_its_own_seat_only_every_other_event_is_public_and_what_is_no_event_is_nobodys() -> None:
    events = pc.apply(pc.new_game(pc.Rules(), 2, opener=0), pc.Roll(((1, 2, 3, 4, 5), (2, 2, 2, 2, 2)))).events
    rolls = [event for event in events if isinstance(event, pc.DiceRolled)]
    assert [pc.audience(event) for event in rolls] == [frozenset({0}), frozenset({1})]
    assert pc.audience(events[0]) is pc.EVERYONE
    assert pc.visible_events(events, 0) == (events[0], rolls[0])
    assert pc.visible_events(events, 1) == (events[0], rolls[1])
    assert pc.visible_events(events, None) == (events[0],)
    kinds = get_args(pc.Event)
    public = {kind for kind in kinds if pc.audience(kind(*[0] * len(fields(kind)))) is pc.EVERYONE}
    assert set(kinds) - public == {pc.DiceRolled}
    unknown: Any = (1, (2, 2))
    assert pc.audience(unknown) == frozenset()
    assert not any(pc.visible_events([unknown], seat) for seat in (None, 0, 1))


def test_an_observation_is_an_allow_list() -> None:
    assert [field.name for field in fields(pc.Observation)] == SHOWN.split()
    state = table(pc.Rules(calza=True), "234", "55", "16", calls="1x2")
    seen: set[str] = set()

    def walk(value: Any) -> None:
        seen.add(type(value).__name__)
        if isinstance(value, pc.LegalCalls):
            value = tuple(value)
        if is_dataclass(value):
            for field in fields(value):
                walk(getattr(value, field.name))
        elif isinstance(value, tuple | frozenset):
            for item in value:
                walk(item)

    walk(pc.observe(state, 1))
    assert seen <= set(ALLOWED.split())


def varied(state: pc.State, seat: int | None, rng: random.Random) -> pc.State:
    """The same game to this seat, with other dice behind the others' cups."""
    dice = tuple(
        hand if other == seat else seen + tuple(rng.randint(1, 6) for _ in hand[len(seen) :])
        for other, (seen, hand) in enumerate(zip(state.open_dice, state.dice, strict=True))
    )
    return changed(state, dice=dice)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=60)
@given(st.sampled_from(pc.PRESETS), st.fixed_dictionaries({}, optional=DRAWN), st.integers(2, 5), SEED)
def test_what_a_seat_may_not_know_does_not_show(preset: str, options: dict[str, Any], seats: int, seed: int) -> None:
    rng = random.Random(seed)
    rules = pc.Rules.preset(preset).with_options(**options)
    for state in (each.after for each in play(rules, seats, seed) if each.after.phase is pc.Phase.BIDDING):
        for seat in (None, rng.randrange(seats)):
            other = varied(state, seat, rng)
            one, two = pc.observe(state, seat), pc.observe(other, seat)
            assert one == two
            assert pc.dump_observation(one) == pc.dump_observation(two)
            assert pc.information_state_string(one) == pc.information_state_string(two)
            if rng.random() < 0.3:
                same_until_the_reveal(state, other, seat, rng)


def same_until_the_reveal(state: pc.State, other: pc.State, seat: int | None, rng: random.Random) -> None:
    while bids := [each for each in pc.legal_calls(state)[:3] if isinstance(each, pc.Bid) and pc.is_legal(other, each)]:
        bid = rng.choice(bids)
        one, two = pc.apply(state, bid), pc.apply(other, bid)
        assert pc.visible_events(one.events, seat) == pc.visible_events(two.events, seat)
        state, other = one.state, two.state
        assert pc.observe(state, seat) == pc.observe(other, seat)


def public_facts(rules: pc.Rules, seats: int, events: list[pc.Event]) -> tuple[object, ...]:
    """The knowledge of a bystander: counts of dice, palifico rounds, who is out."""
    counts, had, out, tied = [rules.starting_dice] * seats, set[int](), list[int](), None
    for event in events:
        match event:
            case pc.OpenerRolled(_, tied_seats):
                tied = tied_seats
            case pc.RoundStarted(_, _, int(palifico)):
                had.add(palifico)
            case pc.Revealed(dice):
                counts = [len(hand) for hand in dice]
            case pc.DiceLost(seat, amount):
                counts[seat] -= amount
            case pc.DieRegained(seat, amount):
                counts[seat] += amount
            case pc.SeatOut(seat) | pc.SeatLeft(seat):
                counts[seat] = 0
                out.append(seat)
            case _:
                pass
    if tied is None:
        tied = tuple(range(seats)) if rules.opener is not pc.OpenerMethod.RANDOM else ()
    contenders = tuple(seat for seat in tied if counts[seat])
    opened = any(isinstance(event, pc.OpenerChosen) for event in events)
    return tuple(counts), had, tuple(out), () if opened or len(contenders) < 2 else contenders


@pytest.mark.usefixtures("untraced")
@settings(max_examples=40)
@given(st.sampled_from(pc.PRESETS), st.fixed_dictionaries({}, optional=FLAGS), SEED)
def test_all_that_is_told_of_others_follows_from_what_everybody_saw(preset: str, options: Any, seed: int) -> None:
    """So hidden lost dice lose nothing by being in it."""
    rules, rng, seen = pc.Rules.preset(preset).with_options(**options), random.Random(seed), list[pc.Event]()
    for played in play(rules, 4, seed, table=True):
        seen += pc.visible_events(played.events, None)
        view = pc.observe(played.after, rng.choice([None, 0, 1, 2, 3]))
        facts = (view.dice_counts, set(view.had_palifico), view.eliminated, view.contenders)
        assert facts == public_facts(rules, 4, seen)
        assert view.unknown_dice == played.after.total_dice - len(view.dice)
