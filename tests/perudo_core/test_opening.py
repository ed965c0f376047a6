"""The opener of the game, and the chance actions."""

import random
from time import process_time

import pytest

from perudo_core import (
    PRESETS,
    IllegalActionError,
    OpenerChosen,
    OpenerDraw,
    OpenerRolled,
    OpeningRoll,
    Phase,
    Reason,
    Roll,
    Rules,
    RulesError,
    Seat,
    apply,
    new_game,
    sample_roll,
    why_illegal,
)

DRAWN = ("box_2009", "italian_box", "aces")


@pytest.mark.parametrize("preset", DRAWN)
def test_chance_decides(preset: str) -> None:
    state = new_game(Rules.preset(preset), 4)
    assert state.phase is Phase.OPENING
    transition = apply(state, OpenerDraw(2))
    assert transition.state.opener == 2
    assert transition.state.phase is Phase.ROLLING
    assert transition.events == (OpenerChosen(2),)
    assert why_illegal(state, OpenerDraw(4)) is Reason.SEAT_UNKNOWN
    assert why_illegal(state, OpeningRoll(((1,), (2,), (3,), (4,)))) is Reason.ROLL_WRONG_KIND


@pytest.mark.parametrize("preset", DRAWN)
def test_every_seat_can_be_drawn(preset: str) -> None:
    rng = random.Random(7)
    state = new_game(Rules.preset(preset), 3)
    assert {sample_roll(state, rng) for _ in range(60)} == {OpenerDraw(0), OpenerDraw(1), OpenerDraw(2)}


def test_azteca_the_highest_die_opens_and_ties_roll_again() -> None:
    state = new_game(Rules.preset("azteca"), 4)
    dice = ((5,), (3,), (5,), (5,))
    transition = apply(state, OpeningRoll(dice))
    assert transition.state.contenders == (0, 2, 3)
    assert transition.events == (OpenerRolled(dice, tied=(0, 2, 3)),)
    transition = apply(transition.state, OpeningRoll(((2,), (), (6,), (6,))))
    assert transition.state.contenders == (2, 3)
    last = ((), (), (1,), (4,))
    transition = apply(transition.state, OpeningRoll(last))
    assert transition.events == (OpenerRolled(last, tied=()), OpenerChosen(3))
    assert transition.state.opener == 3
    assert transition.state.contenders == ()


def test_french_guide_the_highest_sum_of_two_opens_and_ties_roll_again() -> None:
    state = new_game(Rules.preset("french_guide"), 3)
    state = apply(state, OpeningRoll(((1, 6), (3, 4), (6, 6)))).state
    assert state.opener == 2
    state = apply(new_game(Rules.preset("french_guide"), 3), OpeningRoll(((1, 6), (3, 4), (2, 2)))).state
    assert state.contenders == (0, 1)


@pytest.mark.parametrize("preset", ["azteca", "french_guide"])
def test_the_contest_ends(preset: str) -> None:
    rng = random.Random(3)
    for _ in range(30):
        state = new_game(Rules.preset(preset), 6)
        assert why_illegal(state, OpenerDraw(0)) is Reason.ROLL_WRONG_KIND
        while state.phase is Phase.OPENING:
            state = apply(state, sample_roll(state, rng)).state
        assert state.opener in range(6)


@pytest.mark.parametrize(
    ("dice", "reason"),
    [
        (((1, 2), (3, 4)), Reason.ROLL_WRONG_SEATS),
        (((1, 2), (3, 4), (5,)), Reason.ROLL_WRONG_LENGTH),
        (((1, 2), (3, 4), (5, 7)), Reason.ROLL_FACE_UNKNOWN),
        (((1, 2), (3, 4), (5, 0)), Reason.ROLL_FACE_UNKNOWN),
        (((1, 2), (3, 4), (5, True)), Reason.ROLL_MALFORMED),
        (((1, 2), (3, 4), (5, 2.0)), Reason.ROLL_MALFORMED),
        (((1, 2), (3, 4), [5, 2]), Reason.ROLL_MALFORMED),
        ([(1, 2), (3, 4), (5, 2)], Reason.ROLL_MALFORMED),
        (None, Reason.ROLL_MALFORMED),
    ],
)
def test_a_roll_fits_the_dice(dice: tuple[tuple[int, ...], ...], reason: Reason) -> None:
    assert why_illegal(new_game(Rules.preset("french_guide"), 3), OpeningRoll(dice)) is reason
    assert why_illegal(new_game(Rules(starting_dice=2), 3, opener=0), Roll(dice)) is reason


def test_chance_waits_for_its_moment() -> None:
    state = new_game(Rules(), 2)
    assert why_illegal(state, Roll(((), ()))) is Reason.ROLL_NOT_NOW
    state = apply(state, OpenerDraw(1)).state
    assert why_illegal(state, OpenerDraw(1)) is Reason.ROLL_NOT_NOW
    assert why_illegal(state, OpeningRoll(((1,), (2,)))) is Reason.ROLL_NOT_NOW
    state = apply(state, sample_roll(state, random.Random(1))).state
    assert state.turn == 1
    with pytest.raises(IllegalActionError, match="roll/not_now"):
        sample_roll(state, random.Random(1))


def test_the_same_seed_gives_the_same_dice() -> None:
    state = new_game(Rules(), 3, opener=0)
    assert sample_roll(state, random.Random(5)) == sample_roll(state, random.Random(5))
    assert sample_roll(state, random.Random(5)) == Roll(((4, 5, 3, 4, 2), (5, 3, 5, 2, 3), (5, 5, 4, 5, 4)))
    assert why_illegal(state, sample_roll(state, random.SystemRandom())) is None


def test_a_table_that_has_its_opener_skips_the_contest() -> None:
    state = new_game(Rules.preset("azteca"), ["Ana", "Bo"], opener=1)
    assert (state.phase, state.opener, state.seats) == (Phase.ROLLING, 1, ("Ana", "Bo"))


@pytest.mark.parametrize("preset", PRESETS)
def test_how_many_may_sit_down(preset: str) -> None:
    fitting = (2, 6, 7, 40) if preset in {"aces", "azteca"} else (2, 6)
    for seats in (0, 1, 2, 6, 7, 40):
        if seats in fitting:
            assert len(new_game(Rules.preset(preset), seats).seats) == seats
        else:
            with pytest.raises(RulesError, match=rf"^{seats} seats, where these rules seat 2 to"):
                new_game(Rules.preset(preset), seats)


@pytest.mark.parametrize("opener", [-1, 2])
def test_the_opener_is_a_seat(opener: Seat) -> None:
    with pytest.raises(RulesError, match="the opener must be one of the seats"):
        new_game(Rules(), 2, opener=opener)


@pytest.mark.parametrize("seats", [-3, 10**4000])
def test_seats_are_names_or_a_number(seats: int) -> None:
    with pytest.raises(RulesError):
        new_game(Rules(), seats)


def test_a_contest_of_the_most_seats_takes_no_time() -> None:
    state = new_game(Rules.preset("azteca"), 50)
    roll = sample_roll(state, random.Random(1))
    started = process_time()
    assert apply(state, roll).state.phase is Phase.OPENING
    assert process_time() - started < 2
