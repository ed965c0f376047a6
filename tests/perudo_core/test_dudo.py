"""Dudo, the next opener, the end of the game."""

import pytest

from perudo_core import (
    PRESETS,
    Bid,
    DiceLost,
    Dudo,
    DudoCalled,
    GameOver,
    Outcome,
    Phase,
    Reason,
    Revealed,
    Rules,
    SeatOut,
    why_illegal,
)
from tests.perudo_core.conftest import Say, Table

HANDS = ("22333", "44555", "26666")


@pytest.mark.parametrize("preset", PRESETS)
def test_dudo_right_costs_the_bidder_who_opens(table: Table, say: Say, preset: str) -> None:
    after = say(table(Rules.preset(preset), *HANDS, calls="4x2"), "dudo").state
    assert after.dice_counts == (4, 5, 5)
    assert (after.phase, after.opener, after.turn, after.palifico) == (Phase.ROLLING, 0, None, None)


@pytest.mark.parametrize("preset", PRESETS)
def test_dudo_wrong_costs_the_doubter_who_opens(table: Table, say: Say, preset: str) -> None:
    after = say(table(Rules.preset(preset), *HANDS, calls="3x2"), "dudo").state
    assert after.dice_counts == (5, 4, 5)
    assert after.opener == 1


@pytest.mark.parametrize("preset", PRESETS)
def test_who_lost_the_last_die_is_out_and_the_next_to_the_left_still_in_opens(
    table: Table, say: Say, preset: str
) -> None:
    state = table(Rules.preset(preset), "5", "", "26", "34", calls="4x2")
    transition = say(state, "dudo")
    assert transition.state.opener == 2
    assert transition.state.eliminated == (1, 0)
    assert SeatOut(0, 3) in transition.events


@pytest.mark.parametrize("preset", PRESETS)
def test_the_last_player_with_dice_wins(table: Table, say: Say, preset: str) -> None:
    transition = say(table(Rules.preset(preset), "5", "", "26", calls="2x2"), "dudo")
    outcome = Outcome(winner=2, placements=(2, 3, 1))
    assert transition.state.outcome == outcome
    assert transition.state.is_terminal
    assert transition.events[-1] == GameOver(outcome)
    assert transition.state.opener is None
    assert why_illegal(transition.state, Dudo(2)) is Reason.GAME_OVER
    assert table(Rules.preset(preset), "5", "26").outcome is None


def test_all_dice_are_shown(table: Table, say: Say) -> None:
    bid = Bid(0, 3, 2)
    events = say(table(Rules(), *HANDS, calls="3x2"), "dudo").events
    dice = ((2, 2, 3, 3, 3), (4, 4, 5, 5, 5), (2, 6, 6, 6, 6))
    assert events == (DudoCalled(1, bid), Revealed(dice, bid, 3, True, True, True), DiceLost(1, 1, 4))


def test_dudo_needs_a_bid(table: Table) -> None:
    assert why_illegal(table(Rules(), *HANDS), Dudo(0)) is Reason.NO_BID


def test_dudo_is_the_player_on_turns(table: Table) -> None:
    state = table(Rules(), *HANDS, calls="3x2")
    assert why_illegal(state, Dudo(1)) is None
    assert why_illegal(state, Dudo(2)) is Reason.NOT_YOUR_TURN
    assert why_illegal(state, Dudo(0)) is Reason.OWN_BID


def test_beyond_the_books_out_of_turn_dudo(table: Table, say: Say) -> None:
    state = table(Rules(out_of_turn_dudo=True), *HANDS, calls="3x2")
    assert why_illegal(state, Dudo(0)) is Reason.OWN_BID
    after = say(state, "2:dudo").state
    assert after.dice_counts == (5, 5, 4)
    assert after.opener == 2


@pytest.mark.parametrize(
    ("bid", "counts"),
    [("3x2", (5, 4, 5)), ("4x2", (4, 5, 5)), ("6x2", (2, 5, 5)), ("1x2", (5, 3, 5)), ("15x2", (0, 5, 5))],
)
def test_beyond_the_books_lose_by_the_difference(table: Table, say: Say, bid: str, counts: tuple[int, ...]) -> None:
    assert say(table(Rules(lose_by_difference=True), *HANDS, calls=bid), "dudo").state.dice_counts == counts


@pytest.mark.parametrize(("bid", "counts"), [("3x2", (5, 3, 5)), ("1x2", (5, 3, 5)), ("4x2", (4, 5, 5))])
def test_beyond_the_books_a_wrong_dudo_costs_two_dice(
    table: Table, say: Say, bid: str, counts: tuple[int, ...]
) -> None:
    assert say(table(Rules(double_dudo=True), *HANDS, calls=bid), "dudo").state.dice_counts == counts


def test_a_wrong_dudo_that_costs_two_dice_makes_palifico_or_puts_out(table: Table, say: Say) -> None:
    assert say(table(Rules(double_dudo=True), "22", "445", "6", calls="1x2"), "dudo").state.palifico == 1
    assert say(table(Rules(double_dudo=True), "22", "44", "6", calls="1x2"), "dudo").state.eliminated == (1,)


def test_beyond_the_books_sudden_death(table: Table, say: Say) -> None:
    transition = say(table(Rules(sudden_death=True), *HANDS, calls="3x2"), "dudo")
    assert transition.state.dice_counts == (5, 0, 5)
    assert transition.state.opener == 2
    assert transition.events[2:] == (DiceLost(1, 5, 0), SeatOut(1, 3))


@pytest.mark.parametrize("seat", [-1, 3, True, 1.0, "1", None])
def test_no_such_seat(table: Table, seat: int) -> None:
    assert why_illegal(table(Rules(), *HANDS, calls="3x2"), Dudo(seat)) is Reason.SEAT_UNKNOWN


def test_who_is_out_says_nothing(table: Table, say: Say) -> None:
    state = table(Rules(out_of_turn_dudo=True), "", "22", "33", opener=1, calls="1x2")
    assert why_illegal(state, Dudo(0)) is Reason.SEAT_OUT
    assert why_illegal(say(state, "dudo").state, Dudo(1)) is Reason.NO_ROUND
    assert why_illegal(state, Bid(1, 2, 2)) is Reason.NOT_YOUR_TURN


def test_what_is_no_action_is_refused(table: Table) -> None:
    assert why_illegal(table(Rules(), *HANDS), "dudo") is Reason.ACTION_UNKNOWN  # type: ignore[arg-type]
