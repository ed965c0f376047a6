"""The opener of the game, and the chance actions."""

import random
from time import process_time

import pytest

import perudo_core as pc


@pytest.mark.parametrize("preset", ["box_2009", "italian_box", "aces"])
def test_chance_decides_and_every_seat_can_be_drawn(preset: str) -> None:
    rng = random.Random(7)
    state = pc.new_game(pc.Rules.preset(preset), 3)
    assert state.phase is pc.Phase.OPENING
    assert {pc.sample_roll(state, rng) for _ in range(60)} == {pc.OpenerDraw(0), pc.OpenerDraw(1), pc.OpenerDraw(2)}
    after, events = pc.apply(state, pc.OpenerDraw(2))
    assert (after.opener, after.phase, events) == (2, pc.Phase.ROLLING, (pc.OpenerChosen(2),))
    assert pc.why_illegal(state, pc.OpenerDraw(3)) is pc.Reason.SEAT_UNKNOWN
    assert pc.why_illegal(state, pc.OpeningRoll(((1,), (2,), (3,)))) is pc.Reason.ROLL_WRONG_KIND


def test_azteca_the_highest_die_opens_and_ties_roll_again() -> None:
    state = pc.new_game(pc.Rules.preset("azteca"), 4)
    dice = ((5,), (3,), (5,), (5,))
    state, events = pc.apply(state, pc.OpeningRoll(dice))
    assert (state.contenders, events) == ((0, 2, 3), (pc.OpenerRolled(dice, tied=(0, 2, 3)),))
    state = pc.apply(state, pc.OpeningRoll(((2,), (), (6,), (6,)))).state
    assert state.contenders == (2, 3)
    last = ((), (), (1,), (4,))
    state, events = pc.apply(state, pc.OpeningRoll(last))
    assert events == (pc.OpenerRolled(last, tied=()), pc.OpenerChosen(3))
    assert (state.opener, state.contenders) == (3, ())


def test_french_guide_the_highest_sum_of_two_opens_and_ties_roll_again() -> None:
    state = pc.new_game(pc.Rules.preset("french_guide"), 3)
    state = pc.apply(state, pc.OpeningRoll(((1, 6), (3, 4), (6, 6)))).state
    assert state.opener == 2
    state = pc.apply(pc.new_game(pc.Rules.preset("french_guide"), 3), pc.OpeningRoll(((1, 6), (3, 4), (2, 2)))).state
    assert state.contenders == (0, 1)


@pytest.mark.parametrize("preset", ["azteca", "french_guide"])
def test_the_contest_ends(preset: str) -> None:
    rng = random.Random(3)
    for _ in range(30):
        state = pc.new_game(pc.Rules.preset(preset), 6)
        assert pc.why_illegal(state, pc.OpenerDraw(0)) is pc.Reason.ROLL_WRONG_KIND
        while state.phase is pc.Phase.OPENING:
            state = pc.apply(state, pc.sample_roll(state, rng)).state
        assert state.opener in range(6)


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        (((1, 2), (3, 4)), pc.Reason.ROLL_WRONG_SEATS),
        (((1, 2), (3, 4), (5,)), pc.Reason.ROLL_WRONG_LENGTH),
        (((1, 2), (3, 4), (5, 7)), pc.Reason.ROLL_FACE_UNKNOWN),
        (((1, 2), (3, 4), (5, 0)), pc.Reason.ROLL_FACE_UNKNOWN),
        (((1, 2), (3, 4), (5, True)), pc.Reason.ROLL_MALFORMED),
        (((1, 2), (3, 4), (5, 2.0)), pc.Reason.ROLL_MALFORMED),
        (((1, 2), (3, 4), [5, 2]), pc.Reason.ROLL_MALFORMED),
        ([(1, 2), (3, 4), (5, 2)], pc.Reason.ROLL_MALFORMED),
        (None, pc.Reason.ROLL_MALFORMED),
    ],
)
def test_a_roll_fits_the_dice(dice: tuple[tuple[int, ...], ...], reason: pc.Reason) -> None:
    assert pc.why_illegal(pc.new_game(pc.Rules.preset("french_guide"), 3), pc.OpeningRoll(dice)) is reason
    assert pc.why_illegal(pc.new_game(pc.Rules(starting_dice=2), 3, opener=0), pc.Roll(dice)) is reason


def test_chance_waits_for_its_moment() -> None:
    state = pc.new_game(pc.Rules(), 2)
    assert pc.why_illegal(state, pc.Roll(((), ()))) is pc.Reason.ROLL_NOT_NOW
    state = pc.apply(state, pc.OpenerDraw(1)).state
    assert pc.why_illegal(state, pc.OpenerDraw(1)) is pc.Reason.ROLL_NOT_NOW
    assert pc.why_illegal(state, pc.OpeningRoll(((1,), (2,)))) is pc.Reason.ROLL_NOT_NOW
    state = pc.apply(state, pc.sample_roll(state, random.Random(1))).state
    assert state.turn == 1
    with pytest.raises(pc.IllegalActionError, match="roll/not_now"):
        pc.sample_roll(state, random.Random(1))


def test_the_same_seed_gives_the_same_dice() -> None:
    state = pc.new_game(pc.Rules(), 3, opener=0)
    assert pc.sample_roll(state, random.Random(5)) == pc.sample_roll(state, random.Random(5))
    assert pc.sample_roll(state, random.Random(5)) == pc.Roll(((4, 5, 3, 4, 2), (5, 3, 5, 2, 3), (5, 5, 4, 5, 4)))
    assert pc.why_illegal(state, pc.sample_roll(state, random.SystemRandom())) is None


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_how_many_may_sit_down(preset: str) -> None:
    fitting = (2, 6, 7, 50) if preset in {"aces", "azteca"} else (2, 6)
    for seats in (-3, 0, 1, 2, 6, 7, 50, 51):
        if seats in fitting:
            assert len(pc.new_game(pc.Rules.preset(preset), seats).seats) == seats
        else:
            with pytest.raises(pc.RulesError, match=rf"^{seats} seats, where these rules seat 2 to"):
                pc.new_game(pc.Rules.preset(preset), seats)


def test_the_opener_is_a_seat_and_seats_are_names_or_a_number() -> None:
    for opener in (-1, 2):
        with pytest.raises(pc.RulesError, match="the opener must be one of the seats"):
            pc.new_game(pc.Rules(), 2, opener=opener)
    with pytest.raises(pc.RulesError):
        pc.new_game(pc.Rules(), 10**4000)


def test_a_table_that_has_its_opener_skips_the_contest_and_one_of_the_most_seats_takes_no_time() -> None:
    named = pc.new_game(pc.Rules.preset("azteca"), ["Ana", "Bo"], opener=1)
    assert (named.phase, named.opener, named.seats) == (pc.Phase.ROLLING, 1, ("Ana", "Bo"))
    state = pc.new_game(pc.Rules.preset("azteca"), 50)
    roll = pc.sample_roll(state, random.Random(1))
    started = process_time()
    assert pc.apply(state, roll).state.phase is pc.Phase.OPENING
    assert process_time() - started < 2
