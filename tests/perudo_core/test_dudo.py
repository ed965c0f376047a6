"""Dudo, the next opener, the end of the game."""

import pytest

import perudo_core as pc
from tests.perudo_core.notation import say, table

HANDS = ("22333", "44555", "26666")


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_dudo_right_costs_the_bidder_who_opens(preset: str) -> None:
    after = say(table(pc.Rules.preset(preset), *HANDS, calls="4x2"), "dudo").state
    assert after.dice_counts == (4, 5, 5)
    assert (after.phase, after.opener, after.turn, after.palifico) == (pc.Phase.ROLLING, 0, None, None)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_dudo_wrong_costs_the_doubter_who_opens(preset: str) -> None:
    after = say(table(pc.Rules.preset(preset), *HANDS, calls="3x2"), "dudo").state
    assert after.dice_counts == (5, 4, 5)
    assert after.opener == 1


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_who_lost_the_last_die_is_out_and_the_next_to_the_left_still_in_opens(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "5", "", "26", "34", calls="4x2")
    transition = say(state, "dudo")
    assert transition.state.opener == 2
    assert transition.state.eliminated == (1, 0)
    assert pc.SeatOut(0, 3) in transition.events


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_the_last_player_with_dice_wins(preset: str) -> None:
    transition = say(table(pc.Rules.preset(preset), "5", "", "26", calls="2x2"), "dudo")
    outcome = pc.Outcome(winner=2, placements=(2, 3, 1))
    assert transition.state.outcome == outcome
    assert transition.state.is_terminal
    assert transition.events[-1] == pc.GameOver(outcome)
    assert transition.state.opener is None
    assert pc.why_illegal(transition.state, pc.Dudo(2)) is pc.Reason.GAME_OVER
    assert table(pc.Rules.preset(preset), "5", "26").outcome is None


def test_all_dice_are_shown() -> None:
    bid = pc.Bid(0, 3, 2)
    events = say(table(pc.Rules(), *HANDS, calls="3x2"), "dudo").events
    dice = ((2, 2, 3, 3, 3), (4, 4, 5, 5, 5), (2, 6, 6, 6, 6))
    assert events == (pc.DudoCalled(1, bid), pc.Revealed(dice, bid, 3, True, True, True), pc.DiceLost(1, 1, 4))


def test_dudo_names_its_doubter_and_its_bidder() -> None:
    """Four dudos to the same three twos: of two doubters, and to two bidders before the same doubter."""
    rules = pc.Rules(out_of_turn_dudo=True)
    by_first = table(rules, *HANDS, calls="3x2")
    by_second = table(rules, *HANDS, calls="2x2 3x2")
    past_second = table(rules, HANDS[0], "", HANDS[2], calls="3x2")
    for state, doubter, bidder in [(by_first, 1, 0), (by_first, 2, 0), (by_second, 2, 1), (past_second, 2, 0)]:
        assert pc.apply(state, pc.Dudo(doubter)).events[0] == pc.DudoCalled(doubter, pc.Bid(bidder, 3, 2))


def test_dudo_needs_a_bid() -> None:
    assert pc.why_illegal(table(pc.Rules(), *HANDS), pc.Dudo(0)) is pc.Reason.NO_BID


def test_dudo_is_the_player_on_turns() -> None:
    state = table(pc.Rules(), *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Dudo(1)) is None
    assert pc.why_illegal(state, pc.Dudo(2)) is pc.Reason.NOT_YOUR_TURN
    assert pc.why_illegal(state, pc.Dudo(0)) is pc.Reason.OWN_BID


def test_beyond_the_books_out_of_turn_dudo() -> None:
    state = table(pc.Rules(out_of_turn_dudo=True), *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Dudo(0)) is pc.Reason.OWN_BID
    after = say(state, "2:dudo").state
    assert after.dice_counts == (5, 5, 4)
    assert after.opener == 2


@pytest.mark.parametrize(
    ("bid", "counts"),
    [("3x2", (5, 4, 5)), ("4x2", (4, 5, 5)), ("6x2", (2, 5, 5)), ("1x2", (5, 3, 5)), ("15x2", (0, 5, 5))],
)
def test_beyond_the_books_lose_by_the_difference(bid: str, counts: tuple[int, ...]) -> None:
    assert say(table(pc.Rules(lose_by_difference=True), *HANDS, calls=bid), "dudo").state.dice_counts == counts


@pytest.mark.parametrize(("bid", "counts"), [("3x2", (5, 3, 5)), ("1x2", (5, 3, 5)), ("4x2", (4, 5, 5))])
def test_beyond_the_books_a_wrong_dudo_costs_two_dice(bid: str, counts: tuple[int, ...]) -> None:
    assert say(table(pc.Rules(double_dudo=True), *HANDS, calls=bid), "dudo").state.dice_counts == counts


def test_a_wrong_dudo_that_costs_two_dice_makes_palifico_or_puts_out() -> None:
    assert say(table(pc.Rules(double_dudo=True), "22", "445", "6", calls="1x2"), "dudo").state.palifico == 1
    assert say(table(pc.Rules(double_dudo=True), "22", "44", "6", calls="1x2"), "dudo").state.eliminated == (1,)


def test_beyond_the_books_sudden_death() -> None:
    transition = say(table(pc.Rules(sudden_death=True), *HANDS, calls="3x2"), "dudo")
    assert transition.state.dice_counts == (5, 0, 5)
    assert transition.state.opener == 2
    assert transition.events[2:] == (pc.DiceLost(1, 5, 0), pc.SeatOut(1, 3))


@pytest.mark.parametrize("seat", [-1, 3, True, 1.0, "1", None])
def test_no_such_seat(seat: int) -> None:
    assert pc.why_illegal(table(pc.Rules(), *HANDS, calls="3x2"), pc.Dudo(seat)) is pc.Reason.SEAT_UNKNOWN


def test_who_is_out_says_nothing() -> None:
    state = table(pc.Rules(out_of_turn_dudo=True), "", "22", "33", opener=1, calls="1x2")
    assert pc.why_illegal(state, pc.Dudo(0)) is pc.Reason.SEAT_OUT
    assert pc.why_illegal(say(state, "dudo").state, pc.Dudo(1)) is pc.Reason.NO_ROUND
    assert pc.why_illegal(state, pc.Bid(1, 2, 2)) is pc.Reason.NOT_YOUR_TURN


def test_what_is_no_action_is_refused() -> None:
    assert pc.why_illegal(table(pc.Rules(), *HANDS), "dudo") is pc.Reason.ACTION_UNKNOWN  # type: ignore[arg-type]
