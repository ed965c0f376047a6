"""A seat's knowledge: never the others' dice, and where lost dice are hidden, not their number either."""

import random
from dataclasses import fields, is_dataclass
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core import (
    EVERYONE,
    PRESETS,
    Bid,
    DiceLost,
    DiceRolled,
    Event,
    LegalActions,
    LostDice,
    Observation,
    Phase,
    Roll,
    Rules,
    State,
    apply,
    audience,
    legal_actions,
    new_game,
    observe,
    sample_roll,
    visible_events,
    why_illegal,
)
from tests.perudo_core.conftest import Say, Table, changed

HIDDEN = [preset for preset in PRESETS if Rules.preset(preset).lost_dice is LostDice.HIDDEN]
VISIBLE = [preset for preset in PRESETS if preset not in HIDDEN]
SHOWN = """
    seat rules seats phase round turn opener dice dice_counts total_dice
    in_play bids palifico ones_are_wild max_quantity outcome legal_actions
"""
ALLOWED = """
    Observation Rules LegalActions Phase Bid Dudo Calza tuple str int bool NoneType OpenerMethod PlainRaise CalzaBy
    LostDice
"""


@pytest.mark.parametrize("preset", HIDDEN)
def test_hidden_lost_dice_a_seat_sees_its_own_count_only(table: Table, preset: str) -> None:
    view = observe(table(Rules.preset(preset), "234", "", "55", "1", calls="1x2"), 0)
    assert view.dice == (2, 3, 4)
    assert view.dice_counts == (3, 0, None, None)
    assert view.total_dice is None
    assert view.in_play == (True, False, True, True)
    assert view.max_quantity == 20, "the dice the game started with"


@pytest.mark.parametrize("preset", VISIBLE)
def test_visible_lost_dice_all_see_all_counts(table: Table, preset: str) -> None:
    view = observe(table(Rules.preset(preset), "234", "", "55", "1", calls="1x2"), 0)
    assert view.dice_counts == (3, 0, 2, 1)
    assert view.total_dice == 6
    assert view.max_quantity == 6, "the dice in play"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_loss_is_public_and_what_is_left_where_lost_dice_are_visible(table: Table, say: Say, preset: str) -> None:
    events = say(table(Rules.preset(preset), "23", "55", calls="1x2"), "dudo").events
    left = [event.remaining for event in events if isinstance(event, DiceLost)]
    assert left == ([None] if preset in HIDDEN else [1])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_bystander_sees_no_dice_and_has_no_calls(table: Table, preset: str) -> None:
    state = table(Rules.preset(preset), "234", "55", calls="1x2 2x2")
    view = observe(state, None)
    assert (view.dice, list(view.legal_actions), view.seat) == ((), [], None)
    assert view.bids == (Bid(0, 1, 2), Bid(1, 2, 2))
    assert view.current_bid == state.current_bid
    if preset in HIDDEN:
        assert view.dice_counts == (None, None)


def test_the_calls_of_a_view_are_the_seats_own(table: Table) -> None:
    state = table(Rules(calza=True), "234", "55", "16", calls="1x2")
    assert observe(state, 1).legal_actions == legal_actions(state, 1)
    assert {call.seat for call in observe(state, 2).legal_actions} == {2}


@pytest.mark.parametrize("seat", [-1, 2, True, "0"])
def test_a_view_is_a_seats(seat: int) -> None:
    with pytest.raises((TypeError, ValueError), match="seat must be"):
        observe(new_game(Rules(), 2), seat)


def test_a_roll_is_known_to_its_own_seat_only() -> None:
    events = apply(new_game(Rules(), 2, opener=0), Roll(((1, 2, 3, 4, 5), (2, 2, 2, 2, 2)))).events
    rolls = [event for event in events if isinstance(event, DiceRolled)]
    assert [audience(event) for event in rolls] == [frozenset({0}), frozenset({1})]
    assert audience(events[0]) is EVERYONE
    assert visible_events(events, 0) == (events[0], rolls[0])
    assert visible_events(events, 1) == (events[0], rolls[1])
    assert visible_events(events, None) == (events[0],)


def test_what_is_not_named_as_an_event_is_nobodys() -> None:
    unknown: Any = (1, (2, 2))
    assert audience(unknown) == frozenset()
    assert not any(visible_events([unknown], seat) for seat in (None, 0, 1))


def test_every_event_but_a_roll_is_public() -> None:
    kinds = get_args(Event)
    public = {kind for kind in kinds if audience(kind(*[0] * len(kind._fields))) is EVERYONE}
    assert set(kinds) - public == {DiceRolled}


def test_an_observation_is_an_allow_list(table: Table) -> None:
    assert [field.name for field in fields(Observation)] == SHOWN.split()
    state = table(Rules(calza=True), "234", "55", "16", calls="1x2")
    seen: set[str] = set()

    def walk(value: Any) -> None:
        seen.add(type(value).__name__)
        if isinstance(value, LegalActions):
            value = tuple(value)
        if is_dataclass(value):
            for field in fields(value):
                walk(getattr(value, field.name))
        elif isinstance(value, tuple):
            for item in value:
                walk(item)

    walk(observe(state, 1))
    assert seen <= set(ALLOWED.split())


def varied(state: State, seat: int | None, rng: random.Random) -> State:
    """The same game to this seat, other dice behind the others' cups; and other counts where those are hidden."""
    counts = list(state.dice_counts)
    if state.rules.lost_dice is LostDice.HIDDEN:
        for other, count in enumerate(counts):
            if count and other not in {seat, state.palifico}:
                counts[other] = rng.randint(1, state.rules.starting_dice)
    dice = tuple(
        hand if other == seat else tuple(rng.randint(1, 6) for _ in range(counts[other]))
        for other, hand in enumerate(state.dice)
    )
    return changed(state, dice_counts=tuple(counts), dice=dice)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=100)
@given(
    st.sampled_from(PRESETS),
    st.fixed_dictionaries({}, optional={"calza": st.booleans(), "lost_dice": st.sampled_from(LostDice)}),
    st.integers(2, 5),
    st.integers(0, 2**32),
)
def test_what_a_seat_may_not_know_changes_nothing_it_sees(
    preset: str, options: dict[str, Any], seats: int, seed: int
) -> None:
    rng = random.Random(seed)
    rules = Rules.preset(preset).with_options(**options)
    state = new_game(rules, seats)
    while not state.is_terminal:
        if state.phase is not Phase.BIDDING:
            state = apply(state, sample_roll(state, rng)).state
            continue
        for seat in (None, rng.randrange(seats)):
            other = varied(state, seat, rng)
            assert observe(other, seat) == observe(state, seat)
            if rng.random() < 0.3:
                same_until_the_reveal(state, other, seat, rng)
        state = apply(state, rng.choice(legal_actions(state)[-9:])).state


def same_until_the_reveal(state: State, other: State, seat: int | None, rng: random.Random) -> None:
    bids = [call for call in legal_actions(state)[:9] if isinstance(call, Bid) and why_illegal(other, call) is None]
    while bids:
        bid = rng.choice(bids)
        one, two = apply(state, bid), apply(other, bid)
        assert visible_events(one.events, seat) == visible_events(two.events, seat)
        state, other = one.state, two.state
        assert observe(state, seat) == observe(other, seat)
        bids = [call for call in legal_actions(state)[:3] if isinstance(call, Bid) and why_illegal(other, call) is None]
