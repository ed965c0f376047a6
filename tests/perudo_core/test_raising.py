"""Bids and raises: the worked examples of the books, and the cases next to them."""

import pytest

import perudo_core as pc
from perudo_core._bidding import BidRules, smallest_next_bid, why_illegal_bid
from tests.perudo_core.notation import say, table

FULL = ("22256", "22344", "23456", "23456", "23456", "23456")
ONE_THING = [preset for preset in pc.PRESETS if pc.Rules.preset(preset).plain_raise is pc.PlainRaise.ONE_THING]
NO_DECREASE = [preset for preset in pc.PRESETS if pc.Rules.preset(preset).plain_raise is pc.PlainRaise.NO_DECREASE]


def why(state: pc.State, bid: str) -> pc.Reason | None:
    assert state.turn is not None
    quantity, face = map(int, bid.split("x"))
    return pc.why_illegal(state, pc.Bid(state.turn, quantity, face))


@pytest.mark.parametrize(
    ("bid", "reason"),
    [
        ("7x4", None),
        ("5x5", None),
        ("7x5", pc.Reason.BID_TWO_THINGS),
        ("5x3", pc.Reason.BID_TOO_LOW),
        ("4x6", pc.Reason.BID_TOO_LOW),
        ("6x3", pc.Reason.BID_FACE_LOWER),
        ("5x4", pc.Reason.BID_TOO_LOW),
    ],
)
def test_example_1_one_thing_after_5_fours(bid: str, reason: pc.Reason | None) -> None:
    for preset in ONE_THING:
        assert why(table(pc.Rules.preset(preset), *FULL, calls="5x4"), bid) == reason, preset


@pytest.mark.parametrize(
    ("last", "bid", "reason"),
    [
        ("7x2", "8x2", None),
        ("7x2", "7x3", None),
        ("7x2", "9x5", None),
        ("5x4", "9x4", None),
        ("5x4", "5x6", None),
        ("5x4", "6x3", pc.Reason.BID_FACE_LOWER),
        ("5x4", "4x6", pc.Reason.BID_TOO_LOW),
        ("5x4", "5x4", pc.Reason.BID_TOO_LOW),
    ],
)
def test_example_2_no_decrease(last: str, bid: str, reason: pc.Reason | None) -> None:
    for preset in NO_DECREASE:
        assert why(table(pc.Rules.preset(preset), *FULL, calls=last), bid) == reason, preset


@pytest.mark.parametrize(
    ("bid", "reason"),
    [("6x2", None), ("5x5", None), ("9x6", None), ("5x3", pc.Reason.BID_TOO_LOW), ("4x6", pc.Reason.BID_TOO_LOW)],
)
def test_beyond_the_books_any_higher(bid: str, reason: pc.Reason | None) -> None:
    assert why(table(pc.Rules(plain_raise=pc.PlainRaise.ANY_HIGHER), *FULL, calls="5x4"), bid) == reason


@pytest.mark.parametrize(
    ("calls", "bid", "reason"),
    [
        ("5x4", "5x1", None),
        ("5x4", "6x2", None),
        ("5x4", "9x1", None),
        ("5x4", "4x1", pc.Reason.BID_TOO_LOW),
        ("5x4", "5x3", pc.Reason.BID_TOO_LOW),
        ("5x6", "5x1", None),
        ("5x6 5x1", "6x2", None),
        ("5x6 5x1", "6x1", None),
        ("5x6 5x1", "5x1", pc.Reason.BID_TOO_LOW),
        ("5x6 5x1", "5x6", pc.Reason.BID_TOO_LOW),
        ("", "5x1", pc.Reason.BID_ONES_MAY_NOT_OPEN),
    ],
)
def test_beyond_the_books_ones_highest(calls: str, bid: str, reason: pc.Reason | None) -> None:
    assert why(table(pc.Rules(plain_raise=pc.PlainRaise.ONES_HIGHEST), *FULL, calls=calls), bid) == reason


def test_ones_are_the_lowest_face_where_they_are_not_wild_also_by_ones_highest() -> None:
    rules = pc.Rules(plain_raise=pc.PlainRaise.ONES_HIGHEST, starting_dice=2, palifico_face_change=True)
    dropped = say(table(rules, "22", "33", "44", calls="3x2"), "dudo").state
    palifico = pc.apply(dropped, pc.Roll(((2,), (3, 3), (4, 4)))).state
    assert why(say(palifico, "1x1").state, "1x2") is pc.Reason.BID_FACE_LOCKED
    plain = table(pc.Rules(plain_raise=pc.PlainRaise.ONES_HIGHEST, wild_ones=False), *FULL, calls="5x1")
    assert why(plain, "5x2") is None
    assert why(say(plain, "5x6").state, "5x1") is pc.Reason.BID_TOO_LOW


@pytest.mark.parametrize(
    ("calls", "bid", "reason"),
    [
        ("7x4", "4x1", None),
        ("7x4", "3x1", pc.Reason.BID_TOO_FEW_ONES),
        ("11x4", "6x1", None),
        ("11x4", "5x1", pc.Reason.BID_TOO_FEW_ONES),
        ("6x4", "3x1", None),
        ("6x4", "2x1", pc.Reason.BID_TOO_FEW_ONES),
        ("7x4 4x1", "5x1", None),
        ("7x4 4x1", "4x1", pc.Reason.BID_TOO_LOW),
        ("7x4 4x1", "9x2", None),
        ("7x4 4x1", "9x6", None),
        ("7x4 4x1", "8x6", pc.Reason.BID_TOO_FEW_AFTER_ONES),
        ("6x4 3x1", "7x4", None),
        ("6x4 3x1", "6x4", pc.Reason.BID_TOO_FEW_AFTER_ONES),
    ],
)
def test_example_3_to_ones_and_from_ones(calls: str, bid: str, reason: pc.Reason | None) -> None:
    for preset in pc.PRESETS:
        assert why(table(pc.Rules.preset(preset), *FULL, calls=calls), bid) == reason, preset


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_example_4_counting_seven_threes(preset: str) -> None:
    state = table(pc.Rules.preset(preset), "33122", "33144", "12456", calls="7x3")
    after = say(state, "dudo").state
    assert after.dice_counts == (5, 4, 5)
    assert after.opener == 1


def test_example_6_the_illustrated_round() -> None:
    state = table(pc.Rules(), "5514", "1523", "5123", "2134", "12346", calls="4x4 6x4 4x1 9x5")
    assert state.total_dice == 21
    after = say(state, "dudo").state
    assert after.dice_counts == (4, 4, 4, 4, 4)
    assert after.opener == 4


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_example_7_five_twos_opens_fairly_and_eight_sixes_is_a_bluff_and_legal(preset: str) -> None:
    assert why(table(pc.Rules.preset(preset), "22256", "22344", "33344", "55566"), "5x2") is None
    assert why(table(pc.Rules.preset(preset), "22344", "22256", "33344", "55566"), "8x6") is None


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_all_books_nobody_opens_on_ones(preset: str) -> None:
    assert why(table(pc.Rules.preset(preset), *FULL), "1x1") is pc.Reason.BID_ONES_MAY_NOT_OPEN


def test_beyond_the_books_ones_may_open() -> None:
    assert why(table(pc.Rules(ones_may_open=True), *FULL), "1x1") is None


def test_beyond_the_books_no_wild_ones_makes_one_the_lowest_face() -> None:
    rules = pc.Rules(wild_ones=False)
    state = table(rules, "11111", "22222")
    assert not state.ones_are_wild
    assert why(state, "1x1") is None
    state = say(state, "3x1").state
    assert why(state, "3x2") is None
    assert why(state, "2x2") is pc.Reason.BID_TOO_LOW
    assert why(say(state, "3x2").state, "3x1") is pc.Reason.BID_TOO_LOW
    assert why(say(state, "3x2").state, "4x1") is pc.Reason.BID_FACE_LOWER
    assert say(say(state, "3x2").state, "dudo").state.dice_counts == (4, 5)
    assert say(say(state, "6x1").state, "dudo").state.dice_counts == (5, 4)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_a_bid_is_at_least_one_of_a_face(preset: str) -> None:
    state = table(pc.Rules.preset(preset), *FULL)
    assert why(state, "0x3") is pc.Reason.BID_QUANTITY_ZERO
    assert why(state, "1x0") is pc.Reason.BID_FACE_UNKNOWN
    assert why(state, "1x7") is pc.Reason.BID_FACE_UNKNOWN
    assert why(state, "30x6") is None
    assert why(state, "31x6") is pc.Reason.BID_ABOVE_MAXIMUM


@pytest.mark.parametrize("bid", [pc.Bid(0, True, 2), pc.Bid(0, 1, 2.0), pc.Bid(0, "1", 2), pc.Bid(0, 1, None)])  # type: ignore[arg-type]
def test_a_bid_is_whole_numbers(bid: pc.Bid) -> None:
    assert pc.why_illegal(table(pc.Rules(), *FULL), bid) is pc.Reason.BID_MALFORMED


def test_an_illegal_bid_is_refused_with_the_smallest_raise() -> None:
    state = table(pc.Rules(), *FULL, calls="5x6")
    with pytest.raises(pc.IllegalActionError) as caught:
        pc.apply(state, pc.Bid(1, 5, 5))
    assert caught.value.reason is pc.Reason.BID_TOO_LOW
    assert caught.value.action == pc.Bid(1, 5, 5)
    assert caught.value.smallest_raise == pc.Bid(1, 6, 6)
    assert str(caught.value) == "bid/too_low: Bid(seat=1, quantity=5, face=5); the smallest raise is 6x6"
    with pytest.raises(pc.IllegalActionError, match=r"^call/not_your_turn: Dudo\(seat=3\)$"):
        pc.apply(state, pc.Dudo(3))


def test_a_bid_of_a_number_too_long_to_print_is_refused_like_any() -> None:
    with pytest.raises(pc.IllegalActionError) as caught:
        pc.apply(table(pc.Rules(), *FULL), pc.Bid(0, 10**5000, 3))
    assert str(caught.value).startswith("bid/above_maximum: Bid")


@pytest.mark.parametrize(
    ("calls", "least"),
    [("5x4", pc.Bid(1, 5, 5)), ("5x6", pc.Bid(1, 5, 1)), ("5x6 5x1", pc.Bid(2, 6, 2)), ("30x6 30x1", None)],
)
def test_smallest_raise_where_ones_are_the_highest_face(calls: str, least: pc.Bid | None) -> None:
    assert pc.smallest_raise(table(pc.Rules(plain_raise=pc.PlainRaise.ONES_HIGHEST), *FULL, calls=calls)) == least


@pytest.mark.parametrize(
    ("preset", "calls", "least"),
    [
        ("box_2009", "", pc.Bid(0, 1, 2)),
        ("box_2009", "5x4", pc.Bid(1, 5, 5)),
        ("box_2009", "5x6", pc.Bid(1, 6, 6)),
        ("aces", "5x6", pc.Bid(1, 6, 6)),
        ("aces", "30x6", pc.Bid(1, 15, 1)),
        ("aces", "29x6 15x1", pc.Bid(2, 16, 1)),
        ("aces", "29x6 30x1", None),
        ("box_2009", "6x6 3x1", pc.Bid(2, 7, 2)),
    ],
)
def test_smallest_raise(preset: str, calls: str, least: pc.Bid | None) -> None:
    assert pc.smallest_raise(table(pc.Rules.preset(preset), *FULL, calls=calls)) == least


def test_smallest_raise_needs_a_player_on_turn() -> None:
    assert pc.smallest_raise(say(table(pc.Rules(), *FULL, calls="5x6"), "dudo").state) is None


@pytest.mark.parametrize("plain_raise", pc.PlainRaise)
@pytest.mark.parametrize("ones_are_wild", [True, False])
@pytest.mark.parametrize("locked", [True, False])
def test_the_smallest_raise_is_the_weakest_of_all(
    plain_raise: pc.PlainRaise, ones_are_wild: bool, locked: bool
) -> None:
    rules = BidRules(plain_raise, ones_are_wild=ones_are_wild, ones_may_open=False, face_is_locked=locked)
    grid = [(quantity, face) for quantity in range(1, 10) for face in range(1, 7)]
    for last in [None, *grid]:
        ranges = rules.next_bids[last].ranges
        every = [bid for bid in grid if bid[0] in range(*ranges[bid[1]])]
        ones = 1 if plain_raise is pc.PlainRaise.ONES_HIGHEST else 2
        strengths = {bid: (ones * bid[0], 7) if ones_are_wild and bid[1] == 1 else bid for bid in every}
        assert smallest_next_bid(rules, last, 9) == min(every, key=strengths.__getitem__, default=None)
        assert every == [bid for bid in grid if why_illegal_bid(rules, last, *bid, 9) is None]
        for face in range(1, 7):
            first, stop = ranges[face]
            assert [n for n, one in every if one == face] == list(range(first, min(stop, 10)))
