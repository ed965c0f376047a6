"""The tables in which legal bids are looked up agree with the rules for bids."""

import copy
import pickle
from itertools import product

import pytest

from perudo_core import Bid, PlainRaise, Rules, new_game
from perudo_core._bid_lists import bid_lists
from perudo_core._bid_numbers import bid_number, count_bids, quantity_and_face
from perudo_core._bidding import shared_bid_rules, why_illegal_bid
from perudo_core._hands import _SharedHands

KINDS = [shared_bid_rules(*options) for options in product(PlainRaise, (True, False), (True, False), (True, False))]


def grid_of(max_quantity: int) -> list[tuple[int, int]]:
    return [(quantity, face) for quantity in range(1, max_quantity + 1) for face in range(1, 7)]


def test_bids_are_numbered_by_quantity_and_then_by_face() -> None:
    grid = grid_of(500)
    assert [bid_number(*bid) for bid in grid] == list(range(3000))
    assert [quantity_and_face(number) for number in range(count_bids(500))] == grid


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


def test_rules_with_the_same_options_share_their_lists() -> None:
    rules = Rules.preset("azteca").with_options(calza=True)
    again = Rules.from_dict(rules.to_dict())
    copied = pickle.loads(pickle.dumps(copy.deepcopy(rules)))  # noqa: S301 - our own
    assert (
        rules.round_options.normal_bid_lists
        is again.round_options.normal_bid_lists
        is copied.round_options.normal_bid_lists
    )
    assert (
        rules.round_options.normal_bid_lists[30]
        is again.round_options.normal_bid_lists[31]
        != again.round_options.palifico_bid_lists[30]
    )


def test_a_pickle_of_rules_does_not_grow_with_the_games_they_were_played_by() -> None:
    rules = Rules.preset("aces").with_options(starting_dice=7)
    state = new_game(rules, 4, opener=0)
    before = len(pickle.dumps(rules))
    for number in range(100):
        assert state._setup.standing.bid_lists_of(0, None)[number].numbers
    assert len(pickle.dumps(rules)) == before


def test_a_legal_bid_is_made_once() -> None:
    bids = bid_lists(KINDS[0])[30].of_seat[2]
    assert bids[None].bids is bids[5].bids
    assert bids[None].bids is not bid_lists(KINDS[0])[33].of_seat[2][None].bids, "another size of table"


def test_hands_that_two_threads_list_at_once_are_listed_once() -> None:
    hands = _SharedHands()
    first = hands[2]
    assert hands.__missing__(2) is first, "the thread that comes second keeps what the first has listed"
