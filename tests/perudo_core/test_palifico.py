from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import BOOKS, assert_bids, by_each_book, changed, say, table

AZTECA = pc.Rules.preset("azteca")
EVERY = pc.Rules(palifico_every_round=True, calza=True, calza_in_palifico=False)
DRAWN = pc.apply(pc.new_game(EVERY, 3), pc.OpenerDraw(1)).state


def roll(state: pc.State, face: int = 6) -> pc.State:
    return pc.apply(state, pc.Roll(tuple((face,) * count for count in state.dice_counts))).state


@by_each_book
def test_who_has_just_dropped_to_one_die_opens_a_palifico_round_and_the_round_after_is_none(book: pc.Rules) -> None:
    dropped = table(book, "55", "66", "666", calls="3x2 dudo")
    assert (dropped.dice_counts, dropped.opener, dropped.palifico) == ((1, 2, 3), 0, 0)
    started = roll(dropped)
    assert started.palifico == 0
    assert not started.ones_are_wild
    later = table(book, "5", "666", "666", palifico=0, calls="1x6 2x6 dudo")
    assert (later.dice_counts, later.opener, later.palifico) == ((1, 3, 2), 2, None)
    held = table(book, "5", "4", "666", opener=2, calls="1x2 dudo")
    assert held.palifico is None, "holding one die is not dropping to one"


@by_each_book
def test_ones_are_not_wild_and_may_open_another_may_doubt_and_in_example_5_only_the_quantity_rises(
    book: pc.Rules,
) -> None:
    state = table(book, "1", "11", "14", palifico=0)
    assert_bids(state, "1x1")
    assert say(say(state, "2x4").state, "dudo").state.dice_counts == (0, 2, 2)
    assert say(say(state, "4x1").state, "dudo").state.dice_counts == (1, 1, 2)
    state = table(book, "1", "23", "12345", palifico=0)
    fours = say(state, "5x4").state
    assert_bids(fours, "6x4", too_low="5x4")
    assert_bids(say(fours, "6x4").state, "7x4", too_low="6x4")
    assert_bids(say(state, "5x3").state, "7x3", face_locked="5x4 5x1")


def test_the_face_is_locked_for_another_one_die_player_too_but_not_in_azteca_where_one_is_the_lowest_face() -> None:
    for book in (book for book in BOOKS if book != AZTECA):
        assert_bids(table(book, "1", "2", "12345", palifico=0, calls="2x3"), face_locked="2x4")
    assert_bids(table(AZTECA, "1", "2", "12345", palifico=0, calls="2x3"), "2x4 5x6", face_lower="3x2 3x1")
    assert_bids(table(AZTECA, "1", "2", "12345", palifico=0, calls="2x3 2x4"), "3x4", face_locked="3x5")
    assert_bids(table(AZTECA, "1", "2", "12345", palifico=0, calls="2x1"), "2x2 3x1", too_low="1x2")
    assert_bids(table(AZTECA, "1", "2", palifico=0, calls="1x3 1x4"), "2x4", face_locked="2x5")
    one_thing = pc.Rules(palifico_face_change=True)
    assert_bids(table(one_thing, "1", "2", "12345", palifico=0, calls="2x3"), "2x4", two_things="3x4")


@by_each_book
def test_once_a_game_and_not_with_two_left_are_for_aces_only_and_a_wrong_calza_drops_too(book: pc.Rules) -> None:
    again = None if book.book == "aces" else 0
    assert table(book, "5", "66", "666", palifico=0).had_palifico == {0}
    regained = changed(table(book, "55", "66", "666", calls="3x2"), had_palifico=frozenset({0}))
    assert say(regained, "dudo").state.palifico == again
    assert table(book, "55", "", "666", calls="3x2 dudo").palifico == again
    rules = book.with_options(calza=True, calza_by="anyone_but_bidder")
    after = table(rules, "666", "55", "666", calls="3x2 1:calza")
    assert (after.dice_counts, after.opener, after.palifico) == ((3, 1, 3), 1, 1)
    assert pc.apply(after, pc.Leave(2)).state.palifico == (None if book.book == "aces" else 1)


def test_beyond_the_books_who_is_palifico() -> None:
    rows: list[tuple[dict[str, Any], str, str, int | None]] = [
        ({"palifico": False}, "55 666 666", "3x2 dudo", None),
        ({"starting_dice": 1}, "6 5 5", "1x2 dudo", None),
        ({"starting_dice": 1, "calza": True}, "6 5 5", "1x6 calza", None),
        ({"lose_by_difference": True}, "5555 666 66", "3x2 dudo", 0),  # three dice at once
    ]
    for options, hands, calls, palifico in rows:
        assert table(pc.Rules(**options), *hands.split(), calls=calls).palifico == palifico, options


@pytest.mark.parametrize("opened", [pc.new_game(EVERY, 3, opener=1), DRAWN])
def test_beyond_the_books_every_round_is_a_palifico_round_of_its_opener_the_first_one_too(opened: pc.State) -> None:
    assert (opened.opener, opened.palifico) == (1, 1)
    state = roll(opened, 1)
    assert_bids(state, "1x1")
    bid = say(state, "2x5").state
    assert_bids(bid, face_locked="2x6")
    seen = pc.observe(state, 1)
    assert pc.bid_probability(seen, pc.Bid(1, 6, 1)) == pc.bid_probability(seen, pc.Bid(1, 1, 2))
    after = say(bid, "dudo").state
    assert (after.dice_counts, after.opener, after.palifico) == ((5, 4, 5), 1, 1)


def test_beyond_the_books_every_round_is_palifico_also_with_two_left_and_where_the_opener_goes_out_or_leaves() -> None:
    state = table(EVERY, "5", "66", "666", calls="2x5")
    for after in (say(state, "dudo").state, pc.apply(state, pc.Leave(0)).state):
        assert (after.dice_counts, after.opener, after.palifico) == ((0, 2, 3), 1, 1)
    rules = EVERY.with_options(palifico_once=True, palifico_with_two_players=False)
    after = say(changed(table(rules, "55", "66", calls="3x5"), had_palifico=frozenset({0, 1})), "dudo").state
    assert (after.opener, after.palifico) == (0, 0), "who has had one has another"
    for options in ({"palifico": False}, {"first_out_wins": True}):  # where there is none
        assert pc.new_game(EVERY.with_options(**options), 3, opener=1).palifico is None


def test_beyond_the_books_a_state_whose_round_is_not_its_openers_palifico_round_is_no_state_of_such_rules() -> None:
    state = pc.set_up(EVERY, ((5, 5), (6, 6)), [pc.Bid(0, 1, 5)])
    assert (state.palifico, pc.load_state(pc.dump_state(state))) == (0, state)
    wrong: tuple[dict[str, Any], ...] = ({"palifico": None}, {"had_palifico": []})
    for fields in wrong:
        with pytest.raises(pc.StateError, match="palifico"):
            pc.load_state(pc.dump_state(state) | fields)
