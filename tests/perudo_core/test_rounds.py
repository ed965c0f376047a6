"""The opener of the game, dudo, the next opener, the end of the game; conceding a round and leaving."""

import random
from time import process_time
from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import by_each_book, say, table

HANDS = ("22333", "44555", "26666")


@by_each_book
def test_dudo_costs_a_die_the_loser_opens_or_is_out_and_the_last_with_dice_wins(book: pc.Rules) -> None:
    right, wrong = table(book, *HANDS, calls="4x2 dudo"), table(book, *HANDS, calls="3x2 dudo")
    assert (right.phase, right.turn, right.palifico) == (pc.Phase.ROLLING, None, None)
    assert (right.dice_counts, right.opener) == ((4, 5, 5), 0)
    assert (wrong.dice_counts, wrong.opener) == ((5, 4, 5), 1)
    after, events = say(table(book, "5", "", "26", "34", calls="4x2"), "dudo")
    assert (after.opener, after.eliminated) == (2, (1, 0))
    assert pc.SeatOut(0, 3) in events
    after, events = say(table(book, "5", "", "26", calls="2x2"), "dudo")
    outcome = pc.Outcome(winner=2, placements=(2, 3, 1))
    assert (after.outcome, after.opener) == (outcome, None)
    assert after.is_terminal
    assert events[-1] == pc.GameOver(outcome)
    assert pc.why_illegal(after, pc.Dudo(2)) is pc.Reason.GAME_OVER
    assert table(book, "5", "26").outcome is None


def test_dudo_names_its_doubter_and_its_bidder_and_all_dice_are_shown() -> None:
    """Four dudos to the same three twos: of two doubters, and to two bidders before the same doubter."""
    rules, bid = pc.Rules(out_of_turn_dudo=True), pc.Bid(0, 3, 2)
    by_first = table(rules, *HANDS, calls="3x2")
    by_second = table(rules, *HANDS, calls="2x2 3x2")
    past_second = table(rules, HANDS[0], "", HANDS[2], calls="3x2")
    for state, doubter, bidder in [(by_first, 1, 0), (by_first, 2, 0), (by_second, 2, 1), (past_second, 2, 0)]:
        assert pc.apply(state, pc.Dudo(doubter)).events[0] == pc.DudoCalled(doubter, pc.Bid(bidder, 3, 2))
    dice = ((2, 2, 3, 3, 3), (4, 4, 5, 5, 5), (2, 6, 6, 6, 6))
    events = (pc.DudoCalled(1, bid), pc.Revealed(dice, bid, 3, True, True, True), pc.DiceLost(1, 1, 4))
    assert say(by_first, "dudo").events == events


def test_dudo_needs_a_bid_of_another_and_a_turn_unless_all_may_doubt_and_who_is_out_says_nothing() -> None:
    for out_of_turn, calls, reasons in (
        (False, "", (pc.Reason.NO_BID,) * 3),
        (False, "3x2", (pc.Reason.OWN_BID, None, pc.Reason.NOT_YOUR_TURN)),
        (True, "3x2", (pc.Reason.OWN_BID, None, None)),
        (False, "3x2 dudo", (pc.Reason.NO_ROUND,) * 3),
    ):
        state = table(pc.Rules(out_of_turn_dudo=out_of_turn), *HANDS, calls=calls)
        assert tuple(pc.why_illegal(state, pc.Dudo(seat)) for seat in range(3)) == reasons
    state = table(pc.Rules(out_of_turn_dudo=True), "", "22", "33", opener=1, calls="1x2")
    assert pc.why_illegal(state, pc.Dudo(0)) is pc.Reason.SEAT_OUT
    assert pc.why_illegal(state, pc.Bid(1, 2, 2)) is pc.Reason.NOT_YOUR_TURN
    assert pc.why_illegal(state, "dudo") is pc.Reason.ACTION_UNKNOWN  # type: ignore[arg-type]
    for nobody in (-1, 3, True, 1.0, "1", None):
        assert pc.why_illegal(state, pc.Dudo(nobody)) is pc.Reason.SEAT_UNKNOWN  # type: ignore[arg-type]


def test_beyond_the_books_a_dudo_costs_other_dice() -> None:
    for option, calls, counts, opener in (
        ("out_of_turn_dudo", "3x2 2:dudo", (5, 5, 4), 2),
        ("lose_by_difference", "3x2 dudo", (5, 4, 5), 1),
        ("lose_by_difference", "4x2 dudo", (4, 5, 5), 0),
        ("lose_by_difference", "6x2 dudo", (2, 5, 5), 0),
        ("lose_by_difference", "1x2 dudo", (5, 3, 5), 1),
        ("lose_by_difference", "15x2 dudo", (0, 5, 5), 1),
        ("double_dudo", "3x2 dudo", (5, 3, 5), 1),
        ("double_dudo", "1x2 dudo", (5, 3, 5), 1),
        ("double_dudo", "4x2 dudo", (4, 5, 5), 0),
        ("sudden_death", "3x2 dudo", (5, 0, 5), 2),
    ):
        after = table(pc.Rules().with_options(**{option: True}), *HANDS, calls=calls)
        assert (after.dice_counts, after.opener) == (counts, opener), (option, calls)


def test_a_wrong_dudo_that_costs_two_dice_makes_palifico_or_puts_out_and_sudden_death_is_the_loss_of_all() -> None:
    assert table(pc.Rules(double_dudo=True), "22", "445", "6", calls="1x2 dudo").palifico == 1
    assert table(pc.Rules(double_dudo=True), "22", "44", "6", calls="1x2 dudo").eliminated == (1,)
    events = say(table(pc.Rules(sudden_death=True), *HANDS, calls="3x2"), "dudo").events
    assert events[2:] == (pc.DiceLost(1, 5, 0), pc.SeatOut(1, 3))


# The table's own actions, of which the books say nothing: conceding a round and leaving the game


@by_each_book
def test_a_conceded_round_costs_a_die_and_one_that_was_left_is_void_with_the_same_opener(book: pc.Rules) -> None:
    after, events = pc.apply(table(book, *HANDS, calls="3x2"), pc.Concede(1))
    assert events == (pc.RoundConceded(1), pc.DiceLost(1, 1, 4))
    assert (after.dice_counts, after.opener) == ((5, 4, 5), 1)
    state = table(book, *HANDS, opener=1, calls="3x2")
    after, events = pc.apply(state, pc.Leave(0))
    assert events == (pc.SeatLeft(0, 3), pc.RoundVoided(1))
    assert (after.phase, after.opener, after.dice_counts, after.round) == (pc.Phase.ROLLING, 1, (0, 5, 5), 1)
    assert not any(after.dice)


def test_only_the_player_on_turn_concedes_before_any_bid_too_to_palifico_or_out_and_nothing_of_it_is_listed() -> None:
    assert pc.apply(table(pc.Rules(), "22", "33", "44"), pc.Concede(0)).state.palifico == 0
    out = pc.apply(table(pc.Rules(), "2", "33", "44"), pc.Concede(0))
    assert (out.events[-1], out.state.opener) == (pc.SeatOut(0, 3), 1)
    state = table(pc.Rules(), *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Concede(0)) is pc.Reason.NOT_YOUR_TURN
    assert pc.why_illegal(say(state, "dudo").state, pc.Concede(1)) is pc.Reason.NO_ROUND
    assert not {pc.Concede(1), pc.Leave(1)} & {*pc.legal_calls(state)}
    assert not any(action in pc.legal_calls(state) for action in (pc.Concede(1), pc.Leave(1)))  # type: ignore[comparison-overlap]
    assert (str(pc.Concede(1)), str(pc.Leave(1))) == ("concede", "leave")


def test_when_the_opener_leaves_the_next_to_the_left_opens_who_remains_wins_and_palifico_stays_its_players() -> None:
    assert pc.apply(table(pc.Rules(), "22", "", "33", "44"), pc.Leave(0)).state.opener == 2
    state = table(pc.Rules(), "22", "", "33")
    assert pc.why_illegal(state, pc.Leave(1)) is pc.Reason.SEAT_OUT
    over, events = pc.apply(state, pc.Leave(0))
    assert events == (pc.SeatLeft(0, 2), pc.RoundVoided(1), pc.GameOver(pc.Outcome(2, (2, 3, 1))))
    assert pc.why_illegal(over, pc.Leave(2)) is pc.Reason.GAME_OVER
    palifico = table(pc.Rules(), "2", "33", "44", palifico=0)
    assert pc.apply(palifico, pc.Leave(1)).state.palifico == 0
    assert pc.apply(palifico, pc.Leave(0)).state.palifico is None
    state = say(table(pc.Rules(), *HANDS, calls="3x2"), "dudo").state
    after, events = pc.apply(state, pc.Leave(2))
    assert (after.opener, events) == (1, (pc.SeatLeft(2, 3),))
    assert pc.apply(state, pc.Leave(1)).state.opener == 2


def test_who_leaves_before_the_opener_is_found_is_not_drawn_and_can_decide_the_contest() -> None:
    state = pc.apply(pc.new_game(pc.Rules(), 3), pc.Leave(1)).state
    assert pc.why_illegal(state, pc.OpenerDraw(1)) is pc.Reason.SEAT_OUT
    assert pc.apply(state, pc.OpenerDraw(2)).state.opener == 2
    assert pc.apply(state, pc.Leave(0)).state.outcome == pc.Outcome(2, (2, 3, 1))
    state = pc.apply(pc.new_game(pc.Rules.preset("azteca"), 4), pc.OpeningRoll(((5,), (3,), (5,), (5,)))).state
    for seat, contenders in ((1, (0, 2, 3)), (0, (2, 3)), (3, ())):
        state = pc.apply(state, pc.Leave(seat)).state
        assert state.contenders == contenders
    assert state.is_terminal
    state = pc.apply(pc.new_game(pc.Rules.preset("azteca"), 3), pc.OpeningRoll(((5,), (3,), (5,)))).state
    state, events = pc.apply(state, pc.Leave(2))
    assert (state.phase, events) == (pc.Phase.ROLLING, (pc.SeatLeft(2, 3), pc.OpenerChosen(0)))


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


def test_azteca_the_highest_die_opens_french_guide_the_highest_sum_of_two_and_ties_roll_again() -> None:
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
