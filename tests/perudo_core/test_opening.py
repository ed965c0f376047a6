"""The opener of the game, and the chance actions."""

import random
from time import process_time
from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import by_each_book


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
    start = pc.new_game(pc.Rules.preset("french_guide"), 3)
    assert pc.why_illegal(start, pc.OpenerDraw(0)) is pc.Reason.ROLL_WRONG_KIND
    assert pc.apply(start, pc.OpeningRoll(((1, 6), (3, 4), (6, 6)))).state.opener == 2
    assert pc.apply(start, pc.OpeningRoll(((1, 6), (3, 4), (2, 2)))).state.contenders == (0, 1)


def test_a_roll_fits_the_dice() -> None:
    contest = pc.new_game(pc.Rules.preset("french_guide"), 3)
    round_ = pc.new_game(pc.Rules(starting_dice=2), 3, opener=0)
    wrong: list[tuple[Any, pc.Reason]] = [
        (((1, 2), (3, 4)), pc.Reason.ROLL_WRONG_SEATS),
        (((1, 2), (3, 4), (5,)), pc.Reason.ROLL_WRONG_LENGTH),
        *((((1, 2), (3, 4), (5, face)), pc.Reason.ROLL_FACE_UNKNOWN) for face in (7, 0)),
        *((((1, 2), (3, 4), (5, face)), pc.Reason.ROLL_MALFORMED) for face in (True, 2.0)),
        *((dice, pc.Reason.ROLL_MALFORMED) for dice in (((1, 2), (3, 4), [5, 2]), [(1, 2), (3, 4), (5, 2)], None)),
    ]
    for dice, reason in wrong:
        assert pc.why_illegal(contest, pc.OpeningRoll(dice)) is reason, dice
        assert pc.why_illegal(round_, pc.Roll(dice)) is reason, dice


def test_chance_waits_for_its_moment_and_the_same_seed_gives_the_same_dice() -> None:
    state = pc.new_game(pc.Rules(), 3)
    assert pc.why_illegal(state, pc.Roll(((), (), ()))) is pc.Reason.ROLL_NOT_NOW
    state = pc.apply(state, pc.OpenerDraw(1)).state
    for early in (pc.OpenerDraw(1), pc.OpeningRoll(((1,), (2,), (3,)))):
        assert pc.why_illegal(state, early) is pc.Reason.ROLL_NOT_NOW
    roll = pc.Roll(((4, 5, 3, 4, 2), (5, 3, 5, 2, 3), (5, 5, 4, 5, 4)))
    assert pc.sample_roll(state, random.Random(5)) == pc.sample_roll(state, random.Random(5)) == roll
    assert pc.why_illegal(state, pc.sample_roll(state, random.SystemRandom())) is None
    state = pc.apply(state, roll).state
    assert state.turn == 1
    with pytest.raises(pc.IllegalActionError, match="roll/not_now"):
        pc.sample_roll(state, random.Random(1))


@by_each_book
def test_how_many_may_sit_down_and_one_of_them_opens(book: pc.Rules) -> None:
    fitting = (2, 6, 7, 50) if book.book in {"aces", "azteca"} else (2, 6)
    for seats in (-3, 0, 1, 2, 6, 7, 50, 51):
        if seats in fitting:
            assert len(pc.new_game(book, seats).seats) == seats
        else:
            with pytest.raises(pc.RulesError, match=rf"^{seats} seats, where these rules seat 2 to"):
                pc.new_game(book, seats)
    with pytest.raises(pc.RulesError):
        pc.new_game(book, 10**4000)
    for opener in (-1, 2):
        with pytest.raises(pc.RulesError, match="the opener must be one of the seats"):
            pc.new_game(book, 2, opener=opener)


def test_a_table_that_has_its_opener_skips_the_contest_and_one_of_the_most_seats_takes_no_time() -> None:
    named = pc.new_game(pc.Rules.preset("azteca"), ["Ana", "Bo"], opener=1)
    assert (named.phase, named.opener, named.seats) == (pc.Phase.ROLLING, 1, ("Ana", "Bo"))
    state = pc.new_game(pc.Rules.preset("azteca"), 50)
    roll = pc.sample_roll(state, random.Random(1))
    started = process_time()
    assert pc.apply(state, roll).state.phase is pc.Phase.OPENING
    assert process_time() - started < 2
