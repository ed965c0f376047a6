"""Dudo, the next opener, the end of the game."""

import perudo_core as pc
from tests.perudo_core.notation import by_each_book, say, table

HANDS = ("22333", "44555", "26666")


@by_each_book
def test_dudo_costs_the_bidder_or_the_doubter_a_die_who_opens(book: pc.Rules) -> None:
    right, wrong = table(book, *HANDS, calls="4x2 dudo"), table(book, *HANDS, calls="3x2 dudo")
    assert (right.phase, right.turn, right.palifico) == (pc.Phase.ROLLING, None, None)
    assert (right.dice_counts, right.opener) == ((4, 5, 5), 0)
    assert (wrong.dice_counts, wrong.opener) == ((5, 4, 5), 1)


@by_each_book
def test_who_lost_the_last_die_is_out_and_the_next_to_the_left_still_in_opens(book: pc.Rules) -> None:
    after, events = say(table(book, "5", "", "26", "34", calls="4x2"), "dudo")
    assert (after.opener, after.eliminated) == (2, (1, 0))
    assert pc.SeatOut(0, 3) in events


@by_each_book
def test_the_last_player_with_dice_wins(book: pc.Rules) -> None:
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


def test_dudo_needs_a_bid_of_another_and_a_turn_unless_the_house_lets_everyone_doubt() -> None:
    for out_of_turn, calls, reasons in (
        (False, "", (pc.Reason.NO_BID,) * 3),
        (False, "3x2", (pc.Reason.OWN_BID, None, pc.Reason.NOT_YOUR_TURN)),
        (True, "3x2", (pc.Reason.OWN_BID, None, None)),
        (False, "3x2 dudo", (pc.Reason.NO_ROUND,) * 3),
    ):
        state = table(pc.Rules(out_of_turn_dudo=out_of_turn), *HANDS, calls=calls)
        assert tuple(pc.why_illegal(state, pc.Dudo(seat)) for seat in range(3)) == reasons


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


def test_who_is_out_or_at_no_seat_says_nothing_and_what_is_no_action_is_refused() -> None:
    state = table(pc.Rules(out_of_turn_dudo=True), "", "22", "33", opener=1, calls="1x2")
    assert pc.why_illegal(state, pc.Dudo(0)) is pc.Reason.SEAT_OUT
    assert pc.why_illegal(state, pc.Bid(1, 2, 2)) is pc.Reason.NOT_YOUR_TURN
    assert pc.why_illegal(state, "dudo") is pc.Reason.ACTION_UNKNOWN  # type: ignore[arg-type]
    for nobody in (-1, 3, True, 1.0, "1", None):
        assert pc.why_illegal(state, pc.Dudo(nobody)) is pc.Reason.SEAT_UNKNOWN  # type: ignore[arg-type]
