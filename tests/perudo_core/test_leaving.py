"""The table's own actions, of which the books say nothing: conceding a round and leaving the game."""

import pytest

from perudo_core import (
    PRESETS,
    Concede,
    DiceLost,
    GameOver,
    Leave,
    OpenerChosen,
    OpenerDraw,
    OpeningRoll,
    Outcome,
    Phase,
    Reason,
    RoundConceded,
    RoundVoided,
    Rules,
    SeatLeft,
    SeatOut,
    apply,
    legal_calls,
    new_game,
    why_illegal,
)
from tests.perudo_core.conftest import Say, Table

HANDS = ("22333", "44555", "26666")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_conceded_round_costs_a_die_and_the_loser_opens(table: Table, preset: str) -> None:
    transition = apply(table(Rules.preset(preset), *HANDS, calls="3x2"), Concede(1))
    assert transition.events == (RoundConceded(1), DiceLost(1, 1, 4))
    assert transition.state.dice_counts == (5, 4, 5)
    assert transition.state.opener == 1


def test_a_round_can_be_conceded_before_any_bid_and_drop_to_palifico(table: Table) -> None:
    assert apply(table(Rules(), "22", "33", "44"), Concede(0)).state.palifico == 0


def test_a_conceded_round_costs_the_last_die(table: Table) -> None:
    transition = apply(table(Rules(), "2", "33", "44"), Concede(0))
    assert transition.events[-1] == SeatOut(0, 3)
    assert transition.state.opener == 1


def test_only_the_player_on_turn_concedes(table: Table, say: Say) -> None:
    state = table(Rules(), *HANDS, calls="3x2")
    assert why_illegal(state, Concede(0)) is Reason.NOT_YOUR_TURN
    assert why_illegal(say(state, "dudo").state, Concede(1)) is Reason.NO_ROUND


@pytest.mark.parametrize("preset", PRESETS)
def test_leaving_in_a_round_voids_it_and_the_same_opener_opens_again(table: Table, preset: str) -> None:
    state = table(Rules.preset(preset), *HANDS, opener=1, calls="3x2")
    transition = apply(state, Leave(0))
    assert transition.events == (SeatLeft(0, 3), RoundVoided(1))
    after = transition.state
    assert (after.phase, after.opener, after.dice_counts, after.round) == (Phase.ROLLING, 1, (0, 5, 5), 1)
    assert not any(after.dice)


def test_when_the_opener_leaves_the_next_to_the_left_opens(table: Table) -> None:
    assert apply(table(Rules(), "22", "", "33", "44"), Leave(0)).state.opener == 2


def test_when_one_remains_he_has_won(table: Table) -> None:
    transition = apply(table(Rules(), "22", "", "33"), Leave(0))
    outcome = Outcome(2, (2, 3, 1))
    assert transition.events == (SeatLeft(0, 2), RoundVoided(1), GameOver(outcome))
    assert why_illegal(transition.state, Leave(2)) is Reason.GAME_OVER


def test_a_palifico_round_stays_one_while_its_player_remains(table: Table) -> None:
    state = table(Rules(), "2", "33", "44", palifico=0)
    assert apply(state, Leave(1)).state.palifico == 0
    assert apply(state, Leave(0)).state.palifico is None


def test_leaving_between_rounds_voids_nothing(table: Table, say: Say) -> None:
    state = say(table(Rules(), *HANDS, calls="3x2"), "dudo").state
    transition = apply(state, Leave(2))
    assert transition.events == (SeatLeft(2, 3),)
    assert transition.state.opener == 1
    assert apply(state, Leave(1)).state.opener == 2


def test_leaving_before_lots_are_drawn() -> None:
    state = apply(new_game(Rules(), 3), Leave(1)).state
    assert why_illegal(state, OpenerDraw(1)) is Reason.SEAT_OUT
    assert apply(state, OpenerDraw(2)).state.opener == 2
    assert apply(state, Leave(0)).state.outcome == Outcome(2, (2, 3, 1))


def test_leaving_the_contest_can_decide_it() -> None:
    state = new_game(Rules.preset("azteca"), 4)
    state = apply(state, OpeningRoll(((5,), (3,), (5,), (5,)))).state
    state = apply(state, Leave(1)).state
    assert state.contenders == (0, 2, 3)
    state = apply(state, Leave(0)).state
    assert state.contenders == (2, 3)
    transition = apply(state, Leave(3))
    assert transition.state.is_terminal
    assert transition.state.contenders == ()
    state = apply(new_game(Rules.preset("azteca"), 3), OpeningRoll(((5,), (3,), (5,)))).state
    transition = apply(state, Leave(2))
    assert transition.events == (SeatLeft(2, 3), OpenerChosen(0))
    assert transition.state.phase is Phase.ROLLING


def test_who_is_out_cannot_leave_again(table: Table) -> None:
    assert why_illegal(table(Rules(), "22", "", "33"), Leave(1)) is Reason.SEAT_OUT


def test_the_tables_actions_are_never_listed(table: Table) -> None:
    state = table(Rules(), *HANDS, calls="3x2")
    listed = legal_calls(state)
    assert Concede(1) not in listed  # type: ignore[comparison-overlap]
    assert Leave(1) not in listed  # type: ignore[comparison-overlap]
    assert not any(isinstance(call, Concede | Leave) for call in listed)
