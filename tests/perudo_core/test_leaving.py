"""The table's own actions, of which the books say nothing: conceding a round and leaving the game."""

import pytest

import perudo_core as pc
from tests.perudo_core.notation import say, table

HANDS = ("22333", "44555", "26666")


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_a_conceded_round_costs_a_die_and_the_loser_opens(preset: str) -> None:
    after, events = pc.apply(table(pc.Rules.preset(preset), *HANDS, calls="3x2"), pc.Concede(1))
    assert events == (pc.RoundConceded(1), pc.DiceLost(1, 1, 4))
    assert (after.dice_counts, after.opener) == ((5, 4, 5), 1)


def test_a_round_can_be_conceded_before_any_bid_and_drop_to_palifico_or_cost_the_last_die() -> None:
    assert pc.apply(table(pc.Rules(), "22", "33", "44"), pc.Concede(0)).state.palifico == 0
    out = pc.apply(table(pc.Rules(), "2", "33", "44"), pc.Concede(0))
    assert (out.events[-1], out.state.opener) == (pc.SeatOut(0, 3), 1)


def test_only_the_player_on_turn_concedes_and_no_action_of_the_table_is_listed() -> None:
    state = table(pc.Rules(), *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Concede(0)) is pc.Reason.NOT_YOUR_TURN
    assert pc.why_illegal(say(state, "dudo").state, pc.Concede(1)) is pc.Reason.NO_ROUND
    assert not {pc.Concede(1), pc.Leave(1)} & {*pc.legal_calls(state)}
    assert not any(action in pc.legal_calls(state) for action in (pc.Concede(1), pc.Leave(1)))  # type: ignore[comparison-overlap]
    assert (str(pc.Concede(1)), str(pc.Leave(1))) == ("concede", "leave")


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_leaving_in_a_round_voids_it_and_the_same_opener_opens_again(preset: str) -> None:
    state = table(pc.Rules.preset(preset), *HANDS, opener=1, calls="3x2")
    after, events = pc.apply(state, pc.Leave(0))
    assert events == (pc.SeatLeft(0, 3), pc.RoundVoided(1))
    assert (after.phase, after.opener, after.dice_counts, after.round) == (pc.Phase.ROLLING, 1, (0, 5, 5), 1)
    assert not any(after.dice)


def test_when_the_opener_leaves_the_next_to_the_left_opens_and_when_one_remains_he_has_won() -> None:
    assert pc.apply(table(pc.Rules(), "22", "", "33", "44"), pc.Leave(0)).state.opener == 2
    state = table(pc.Rules(), "22", "", "33")
    assert pc.why_illegal(state, pc.Leave(1)) is pc.Reason.SEAT_OUT
    over, events = pc.apply(state, pc.Leave(0))
    assert events == (pc.SeatLeft(0, 2), pc.RoundVoided(1), pc.GameOver(pc.Outcome(2, (2, 3, 1))))
    assert pc.why_illegal(over, pc.Leave(2)) is pc.Reason.GAME_OVER


def test_a_palifico_round_stays_one_while_its_player_remains_and_leaving_between_rounds_voids_nothing() -> None:
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
