"""Palifico rounds."""

from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import changed, say, table


def roll(state: pc.State, face: int = 6) -> pc.State:
    return pc.apply(state, pc.Roll(tuple((face,) * count for count in state.dice_counts))).state


def bid(state: pc.State, text: str) -> pc.Reason | None:
    assert state.turn is not None
    quantity, face = map(int, text.split("x"))
    return pc.why_illegal(state, pc.Bid(state.turn, quantity, face))


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_who_has_just_dropped_to_one_die_opens_a_palifico_round(preset: str) -> None:
    after = say(table(pc.Rules.preset(preset), "55", "66", "666", calls="3x2"), "dudo").state
    assert (after.dice_counts, after.opener, after.palifico) == ((1, 2, 3), 0, 0)
    started = roll(after)
    assert started.palifico == 0
    assert not started.ones_are_wild


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_the_round_after_is_none(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "5", "666", "666", palifico=0, calls="1x6 2x6")
    after = say(state, "dudo").state
    assert (after.dice_counts, after.opener, after.palifico) == ((1, 3, 2), 2, None)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_holding_one_die_is_not_dropping_to_one(preset: str) -> None:
    after = say(table(pc.Rules.preset(preset), "5", "4", "666", opener=2, calls="1x2"), "dudo").state
    assert after.palifico is None


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_ones_are_not_wild_and_may_be_opened_on(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "1", "11", "14", palifico=0)
    assert bid(state, "1x1") is None
    assert say(say(state, "2x4").state, "dudo").state.dice_counts == (0, 2, 2)
    assert say(say(state, "4x1").state, "dudo").state.dice_counts == (1, 1, 2)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_example_5_only_the_quantity_rises(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "1", "23", "12345", palifico=0)
    opened = say(state, "5x4").state
    assert bid(opened, "6x4") is None
    assert bid(opened, "5x4") is pc.Reason.BID_TOO_LOW
    assert bid(say(opened, "6x4").state, "7x4") is None
    assert bid(say(opened, "6x4").state, "6x4") is pc.Reason.BID_TOO_LOW
    threes = say(state, "5x3").state
    assert bid(threes, "7x3") is None
    assert bid(threes, "5x4") is pc.Reason.BID_FACE_LOCKED
    assert bid(threes, "5x1") is pc.Reason.BID_FACE_LOCKED


@pytest.mark.parametrize("preset", [preset for preset in pc.PRESETS if preset != "azteca"])
def test_the_face_is_locked_for_another_one_die_player_too(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "1", "2", "12345", palifico=0, calls="2x3")
    assert bid(state, "2x4") is pc.Reason.BID_FACE_LOCKED


def test_azteca_another_player_with_one_die_may_change_the_face() -> None:
    state = table(pc.Rules.preset("azteca"), "1", "2", "12345", palifico=0, calls="2x3")
    assert bid(state, "2x4") is None
    assert bid(state, "5x6") is None
    assert bid(state, "3x2") is pc.Reason.BID_FACE_LOWER
    assert bid(state, "3x1") is pc.Reason.BID_FACE_LOWER
    assert bid(say(state, "2x4").state, "3x5") is pc.Reason.BID_FACE_LOCKED
    assert bid(say(state, "2x4").state, "3x4") is None


def test_azteca_one_is_a_plain_face_lowest_in_rank() -> None:
    state = table(pc.Rules.preset("azteca"), "1", "2", "12345", palifico=0, calls="2x1")
    assert bid(state, "2x2") is None
    assert bid(state, "3x1") is None
    assert bid(state, "1x2") is pc.Reason.BID_TOO_LOW


def test_azteca_the_palifico_player_himself_may_not_change_the_face() -> None:
    state = table(pc.Rules.preset("azteca"), "1", "2", palifico=0, calls="1x3")
    state = say(state, "1x4").state
    assert bid(state, "2x5") is pc.Reason.BID_FACE_LOCKED
    assert bid(state, "2x4") is None


def test_one_thing_with_a_face_change_changes_one_thing() -> None:
    rules = pc.Rules(palifico_face_change=True)
    state = table(rules, "1", "2", "12345", palifico=0, calls="2x3")
    assert bid(state, "2x4") is None
    assert bid(state, "3x4") is pc.Reason.BID_TWO_THINGS


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_once_a_game_is_for_aces_only(preset: str) -> None:
    rules = pc.Rules.preset(preset)
    state = table(rules, "5", "66", "666", palifico=0)
    regained = table(rules, "55", "66", "666", calls="3x2")
    assert state.had_palifico == {0}
    again = changed(regained, had_palifico=state.had_palifico)
    assert say(again, "dudo").state.palifico == (None if preset == "aces" else 0)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_not_with_two_players_left_is_for_aces_only(preset: str) -> None:
    after = say(table(pc.Rules.preset(preset), "55", "", "666", calls="3x2"), "dudo").state
    assert after.palifico == (None if preset == "aces" else 0)


def test_beyond_the_books_no_palifico() -> None:
    after = say(table(pc.Rules(palifico=False), "55", "666", "666", calls="3x2"), "dudo").state
    assert after.palifico is None


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_a_wrong_calza_drops_to_one_die_too(preset: str) -> None:
    rules = pc.Rules.preset(preset).with_options(calza=True, calza_by="anyone_but_bidder")
    after = say(table(rules, "666", "55", "666", calls="3x2"), "1:calza").state
    assert (after.dice_counts, after.opener, after.palifico) == ((3, 1, 3), 1, 1)


def test_with_one_starting_die_nobody_is_palifico() -> None:
    rules = pc.Rules(starting_dice=1, calza=True)
    assert say(table(rules, "6", "5", "5", calls="1x2"), "dudo").state.palifico is None
    assert say(table(rules, "6", "5", "5", calls="1x6"), "calza").state.palifico is None


def test_three_dice_at_once_can_drop_to_one() -> None:
    after = say(table(pc.Rules(lose_by_difference=True), "5555", "666", "66", calls="3x2"), "dudo").state
    assert (after.dice_counts[0], after.palifico) == (1, 0)


def test_leaving_before_the_roll_can_end_the_palifico_round_of_aces() -> None:
    after = say(table(pc.Rules.preset("aces"), "55", "666", "666", calls="3x2"), "dudo").state
    assert after.palifico == 0
    assert pc.apply(after, pc.Leave(2)).state.palifico is None


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_the_palifico_player_is_told_by_the_dudo_of_another(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "1", "2", "3", palifico=0, calls="1x1")
    assert pc.why_illegal(state, pc.Dudo(1)) is None


EVERY = pc.Rules(palifico_every_round=True, calza=True, calza_in_palifico=False)


@pytest.mark.parametrize(
    "opened", [pc.new_game(EVERY, 3, opener=1), pc.apply(pc.new_game(EVERY, 3), pc.OpenerDraw(1)).state]
)
def test_beyond_the_books_every_round_is_a_palifico_round_of_its_opener_the_first_one_too(opened: pc.State) -> None:
    assert (opened.opener, opened.palifico) == (1, 1)
    state = roll(opened, 1)
    assert bid(state, "1x1") is None
    assert bid(pc.apply(state, pc.Bid(1, 2, 5)).state, "2x6") is pc.Reason.BID_FACE_LOCKED
    assert pc.bid_probability(pc.observe(state, 1), pc.Bid(1, 6, 1)) == pc.bid_probability(
        pc.observe(state, 1), pc.Bid(1, 1, 2)
    )
    after = pc.apply(pc.apply(state, pc.Bid(1, 2, 5)).state, pc.Dudo(2)).state
    assert (after.dice_counts, after.opener, after.palifico) == ((5, 4, 5), 1, 1)


def test_beyond_the_books_every_round_is_palifico_for_the_next_player_where_the_opener_goes_out_or_leaves() -> None:
    state = table(EVERY, "5", "66", "666", calls="2x5")
    for after in (say(state, "dudo").state, pc.apply(state, pc.Leave(0)).state):
        assert (after.dice_counts, after.opener, after.palifico) == ((0, 2, 3), 1, 1)


def test_beyond_the_books_every_round_is_palifico_with_two_left_and_for_who_has_had_one() -> None:
    rules = EVERY.with_options(palifico_once=True, palifico_with_two_players=False)
    state = changed(table(rules, "55", "66", calls="3x5"), had_palifico=frozenset({0, 1}))
    after = say(state, "dudo").state
    assert (after.opener, after.palifico) == (0, 0)


@pytest.mark.parametrize("options", [{"palifico": False}, {"first_out_wins": True}])
def test_beyond_the_books_no_round_is_palifico_where_there_is_none(options: dict[str, bool]) -> None:
    assert pc.new_game(EVERY.with_options(**options), 3, opener=1).palifico is None


def test_beyond_the_books_a_state_whose_round_is_not_its_openers_palifico_round_is_no_state_of_such_rules() -> None:
    state = pc.set_up(EVERY, ((5, 5), (6, 6)), [pc.Bid(0, 1, 5)])
    assert (state.palifico, pc.load_state(pc.dump_state(state))) == (0, state)
    wrong: tuple[dict[str, Any], ...] = ({"palifico": None}, {"had_palifico": []})
    for fields in wrong:
        with pytest.raises(pc.StateError, match="palifico"):
            pc.load_state(pc.dump_state(state) | fields)
