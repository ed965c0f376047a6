"""Bids and raises: the worked examples of the books, and the cases next to them."""

import copy
import pickle
from itertools import product

import pytest

import perudo_core as pc
from perudo_core import Bid, OnesRank, PlainRaise, Rules, new_game
from perudo_core._bid_lists import bid_lists
from perudo_core._bid_numbers import bid_number, quantity_and_face
from perudo_core._bidding import BidRules, shared_bid_rules, smallest_next_bid, why_illegal_bid
from perudo_core._hands import _SharedHands
from tests.perudo_core.notation import BOOKS, assert_bids, say, table

FULL = ("22256", "22344", "23456", "23456", "23456", "23456")
BOX, ACES = pc.Rules(), pc.Rules.preset("aces")
ONES_HIGHEST = pc.Rules(plain_raise="any_higher", ones_rank="highest")
ONES_LOWEST = ONES_HIGHEST.with_options(ones_rank="lowest", ones_may_open=True)


def after(rules: pc.Rules, calls: str = "") -> pc.State:
    return table(rules, *FULL, calls=calls)


def test_examples_1_and_2_one_thing_after_5_fours_and_no_decrease() -> None:
    for book in (book for book in BOOKS if book.plain_raise is PlainRaise.ONE_THING):
        state = after(book, "5x4")
        assert_bids(state, "7x4 5x5", two_things="7x5", too_low="5x3 4x6 5x4", face_lower="6x3")
    for book in (book for book in BOOKS if book.plain_raise is PlainRaise.NO_DECREASE):
        assert_bids(after(book, "7x2"), "8x2 7x3 9x5")
        assert_bids(after(book, "5x4"), "9x4 5x6", face_lower="6x3", too_low="4x6 5x4")


def test_beyond_the_books_any_higher_and_ones_highest_but_lowest_where_they_are_not_wild() -> None:
    assert_bids(after(pc.Rules(plain_raise=PlainRaise.ANY_HIGHER), "5x4"), "6x2 5x5 9x6", too_low="5x3 4x6")
    assert_bids(after(ONES_HIGHEST), ones_may_not_open="5x1")
    assert_bids(after(ONES_HIGHEST, "5x4"), "5x1 6x2 9x1", too_low="4x1 5x3")
    assert_bids(after(ONES_HIGHEST, "5x6"), "5x1")
    assert_bids(after(ONES_HIGHEST, "5x6 5x1"), "6x2 6x1", too_low="5x1 5x6")
    rules = ONES_HIGHEST.with_options(starting_dice=2, palifico_face_change=True)
    dropped = say(table(rules, "22", "33", "44", calls="3x2"), "dudo").state
    palifico = pc.apply(dropped, pc.Roll(((2,), (3, 3), (4, 4)))).state
    assert_bids(say(palifico, "1x1").state, face_locked="1x2")
    plain = after(ONES_HIGHEST.with_options(wild_ones=False), "5x1")
    assert_bids(plain, "5x2")
    assert_bids(say(plain, "5x6").state, too_low="5x1")


def test_liars_dice_of_most_applications_wild_ones_are_an_ordinary_bid_and_the_lowest_face() -> None:
    assert_bids(after(ONES_LOWEST), "1x1 1x2 30x6")
    assert_bids(after(ONES_LOWEST, "5x1"), "5x2 5x6 6x1", too_low="5x1 4x6")
    assert_bids(after(ONES_LOWEST, "5x4"), "6x1 5x5 6x2", too_low="5x1 3x1 5x3")
    ones = table(ONES_LOWEST, "11245", "13456", calls="3x1")
    assert say(ones, "dudo").state.dice_counts == (5, 4), "ones count once for a bid of ones"
    assert say(say(ones, "4x4").state, "dudo").state.dice_counts == (4, 5), "and for a bid of any other face"


def test_ones_that_rank_as_a_face_rise_as_the_other_faces_do() -> None:
    one_thing = BOX.with_options(ones_rank="lowest")
    assert_bids(after(one_thing.with_options(ones_may_open=True), "5x1"), "6x1 5x2", two_things="6x2")
    assert_bids(after(one_thing, "5x4"), face_lower="6x1", too_low="5x1")
    no_decrease = ACES.with_options(ones_rank="highest")
    assert_bids(after(no_decrease, "5x4"), "5x1 6x1", too_low="4x1")
    assert_bids(after(no_decrease, "5x4 5x1"), "6x1", face_lower="6x6", too_low="5x6")


def test_example_3_to_ones_and_from_ones() -> None:
    for book in BOOKS:
        assert_bids(after(book, "7x4"), "4x1", too_few_ones="3x1")
        assert_bids(after(book, "11x4"), "6x1", too_few_ones="5x1")
        assert_bids(after(book, "6x4"), "3x1", too_few_ones="2x1")
        assert_bids(after(book, "7x4 4x1"), "5x1 9x2 9x6", too_low="4x1", too_few_after_ones="8x6")
        assert_bids(after(book, "6x4 3x1"), "7x4", too_few_after_ones="6x4")


def test_examples_4_and_7_counting_seven_threes_and_a_legal_bluff_of_eight_sixes_and_6_the_illustrated_round() -> None:
    for book in BOOKS:
        ended = table(book, "33122", "33144", "12456", calls="7x3 dudo")
        assert (ended.dice_counts, ended.opener) == ((5, 4, 5), 1)
        assert_bids(table(book, "22256", "22344", "33344", "55566"), "5x2 8x6")
    state = table(BOX, "5514", "1523", "5123", "2134", "12346", calls="4x4 6x4 4x1 9x5")
    assert state.total_dice == 21
    after_it = say(state, "dudo").state
    assert (after_it.dice_counts, after_it.opener) == ((4, 4, 4, 4, 4), 4)


def test_all_books_nobody_opens_on_ones_and_a_bid_is_a_whole_number_of_a_face() -> None:
    for book in BOOKS:
        state = after(book)
        assert_bids(state, "30x6", quantity_zero="0x3", face_unknown="1x0 1x7", above_maximum="31x6")
        assert_bids(state, ones_may_not_open="1x1")
    assert_bids(after(pc.Rules(ones_may_open=True)), "1x1")
    for bid in (pc.Bid(0, True, 2), pc.Bid(0, 1, 2.0), pc.Bid(0, "1", 2), pc.Bid(0, 1, None)):  # type: ignore[arg-type]
        assert pc.why_illegal(after(BOX), bid) is pc.Reason.BID_MALFORMED


def test_beyond_the_books_no_wild_ones_makes_one_the_lowest_face() -> None:
    start = table(pc.Rules(wild_ones=False), "11111", "22222")
    assert not start.ones_are_wild
    assert_bids(start, "1x1")
    ones = say(start, "3x1").state
    assert_bids(ones, "3x2", too_low="2x2")
    twos = say(ones, "3x2").state
    assert_bids(twos, too_low="3x1", face_lower="4x1")
    assert say(twos, "dudo").state.dice_counts == (4, 5)
    assert say(say(ones, "6x1").state, "dudo").state.dice_counts == (5, 4)


def test_an_illegal_bid_is_refused_with_the_smallest_raise() -> None:
    state = after(BOX, "5x6")
    with pytest.raises(pc.IllegalActionError) as caught:
        pc.apply(state, pc.Bid(1, 5, 5))
    error = caught.value
    assert (error.reason, error.action) == (pc.Reason.BID_TOO_LOW, pc.Bid(1, 5, 5))
    assert error.smallest_raise == pc.Bid(1, 6, 6)
    assert str(error) == "bid/too_low: Bid(seat=1, quantity=5, face=5); the smallest raise is 6x6"
    with pytest.raises(pc.IllegalActionError, match=r"^call/not_your_turn: Dudo\(seat=3\)$"):
        pc.apply(state, pc.Dudo(3))
    with pytest.raises(pc.IllegalActionError, match=r"^bid/above_maximum: Bid"):
        pc.apply(after(BOX), pc.Bid(0, 10**5000, 3))  # a number too long to print


@pytest.mark.parametrize(
    ("rules", "calls", "least"),
    [
        (BOX, "", pc.Bid(0, 1, 2)),
        (BOX, "5x6", pc.Bid(1, 6, 6)),
        (BOX, "6x6 3x1", pc.Bid(2, 7, 2)),
        (BOX, "5x6 dudo", None),
        (ACES, "30x6", pc.Bid(1, 15, 1)),
        (ACES, "29x6 15x1", pc.Bid(2, 16, 1)),
        (ACES, "29x6 30x1", None),
        (ONES_HIGHEST, "5x6", pc.Bid(1, 5, 1)),
        (ONES_HIGHEST, "30x6 30x1", None),
        (ONES_LOWEST, "5x6", pc.Bid(1, 6, 1)),
        (ONES_LOWEST, "", pc.Bid(0, 1, 1)),
    ],
)
def test_smallest_raise(rules: pc.Rules, calls: str, least: pc.Bid | None) -> None:
    assert pc.smallest_raise(after(rules, calls)) == least


def test_the_smallest_raise_is_the_weakest_of_all() -> None:
    grid = [(quantity, face) for quantity in range(1, 10) for face in range(1, 7)]
    for plain_raise, ones_rank, locked, last in product(PlainRaise, OnesRank, (True, False), [None, *grid]):
        rules = BidRules(plain_raise, ones_rank, ones_may_open=False, face_is_locked=locked)
        ranges = rules.next_bids[last].ranges
        every = [bid for bid in grid if bid[0] in range(*ranges[bid[1]])]
        ones, rank = {OnesRank.DOUBLE: (2, 7), OnesRank.HIGHEST: (1, 7), OnesRank.LOWEST: (1, 1)}[ones_rank]
        strengths = {bid: (ones * bid[0], rank) if bid[1] == 1 else bid for bid in every}
        assert smallest_next_bid(rules, last, 9) == min(every, key=strengths.__getitem__, default=None)
        assert every == [bid for bid in grid if why_illegal_bid(rules, last, *bid, 9) is None]


KINDS = [shared_bid_rules(*options) for options in product(PlainRaise, OnesRank, (True, False), (True, False))]


def grid_of(max_quantity: int) -> list[tuple[int, int]]:
    return [(quantity, face) for quantity in range(1, max_quantity + 1) for face in range(1, 7)]


@pytest.mark.usefixtures("untraced")
def test_a_list_holds_the_bids_that_the_rules_allow() -> None:
    sizes = [(most, last) for most in (2, 7, 16, 17) for last in [None, *grid_of(most)]]
    for rules, (max_quantity, last) in product(KINDS, sizes):
        lists, grid = bid_lists(rules)[max_quantity], grid_of(max_quantity)
        of_seat = lists.of_seat[3][None if last is None else bid_number(*last)]
        listed = of_seat.listed
        numbers = listed.numbers[: listed.counts[max_quantity]]
        allowed = [bid for bid in grid if why_illegal_bid(rules, last, *bid, max_quantity) is None]
        assert [quantity_and_face(number) for number in numbers] == allowed, rules
        assert [of_seat.bids[number] for number in numbers] == [Bid(3, *bid) for bid in allowed]
        assert [bid for bid in grid if listed.is_listed[bid_number(*bid)]] == allowed


def test_rules_with_the_same_options_share_their_lists_of_bids_and_hands_and_no_pickle_of_them_grows() -> None:
    rules = Rules.preset("azteca").with_options(calza=True)
    again = Rules.from_dict(rules.to_dict())
    copied = pickle.loads(pickle.dumps(copy.deepcopy(rules)))  # noqa: S301 - our own
    lists = rules.round_options.normal_bid_lists
    assert lists is again.round_options.normal_bid_lists is copied.round_options.normal_bid_lists
    assert lists[30] is again.round_options.normal_bid_lists[31] != again.round_options.palifico_bid_lists[30]
    bids = bid_lists(KINDS[0])[30].of_seat[2]
    assert bids[None].bids is bids[5].bids
    assert bids[None].bids is not bid_lists(KINDS[0])[33].of_seat[2][None].bids, "another size of table"
    hands = _SharedHands()
    first = hands[2]
    assert hands.__missing__(2) is first, "the thread that comes second keeps what the first has listed"
    rules = Rules.preset("aces").with_options(starting_dice=7)
    state = new_game(rules, 4, opener=0)
    before = len(pickle.dumps(rules))
    for number in range(100):
        assert state._setup.standing.bid_lists_of(0, None)[number].numbers
    assert len(pickle.dumps(rules)) == before
