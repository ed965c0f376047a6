"""Exact chances."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

import perudo_core as pc
from tests.perudo_core.notation import table

ROUND = table(pc.Rules.preset("aces"), "234", "55", "1", calls="1x3")


def counted(dice: Sequence[int], face: int, wild: bool) -> int:
    return sum(die == face or (wild and die == 1) for die in dice)


def test_ones_count_for_every_face_where_they_are_wild() -> None:
    hand = (1, 1, 2, 6)
    assert [pc.count_matching(hand, face, ones_are_wild=True) for face in range(1, 7)] == [2, 3, 2, 2, 2, 3]
    assert [pc.count_matching(hand, face, ones_are_wild=False) for face in range(1, 7)] == [2, 1, 0, 0, 0, 1]


@pytest.mark.usefixtures("untraced")
def test_every_small_case_against_every_roll() -> None:
    """All hands of up to three dice, up to four dice unseen, every face and every quantity."""
    hands = [hand for many in range(4) for hand in combinations_with_replacement(range(1, 7), many)]
    for unknown, wild, face in product(range(5), (True, False), range(1, 7)):
        rolls = list(product(range(1, 7), repeat=unknown))
        fell = Counter(counted(roll, face, wild) for roll in rolls)
        for hand in hands:
            own, size = counted(hand, face, wild), len(hand) + unknown
            chances = tuple(Fraction(fell[count - own], len(rolls)) for count in range(size + 1))
            assert pc.count_probabilities(hand, unknown, face, wild) == chances
            for quantity in range(-1, size + 3):
                exact = chances[quantity] if 0 <= quantity <= size else 0
                assert pc.probability_exact(hand, unknown, quantity, face, wild) == exact
                assert pc.probability_holds(hand, unknown, quantity, face, wild) == sum(chances[max(quantity, 0) :])


@pytest.mark.parametrize(
    ("state", "seat", "bid", "holds"),
    [
        pytest.param(ROUND, 0, pc.Bid(0, 2, 3), 1 - Fraction(2, 3) ** 3, id="one of two is still wanted"),
        pytest.param(ROUND, 1, pc.Bid(0, 1, 5), 1, id="the own hand is enough"),
        pytest.param(ROUND, None, pc.Bid(0, 6, 3), Fraction(1, 3**6), id="a bystander knows no dice"),
        pytest.param(  # a player can count the dice that were lost, so the odds do too
            table(pc.Rules(lost_dice="hidden"), "234", "55", "1", calls="1x3"),
            *(0, pc.Bid(0, 2, 3), 1 - Fraction(2, 3) ** 3),
            id="hidden lost dice change no odds",
        ),
        pytest.param(
            table(pc.Rules(), "2", "55", "1", palifico=0, calls="1x5"),
            *(2, pc.Bid(0, 1, 5), 1 - Fraction(5, 6) ** 3),
            id="in a palifico round ones do not count",
        ),
    ],
)
def test_the_chance_that_a_bid_holds(state: pc.State, seat: int | None, bid: pc.Bid, holds: Fraction) -> None:
    view = pc.observe(state, seat)
    assert pc.bid_probability(view, bid) == pc.bid_odds(view, bid).holds == holds


def test_all_odds_of_a_bid() -> None:
    view = pc.observe(table(pc.Rules.preset("aces"), "23", "55", calls="1x3"), 0)
    odds = pc.bid_odds(view, pc.Bid(1, 2, 3))
    assert odds == pc.Odds(
        Fraction(5, 9), Fraction(4, 9), (Fraction(0), Fraction(4, 9), Fraction(4, 9), Fraction(1, 9), Fraction(0))
    )
    assert odds.floats() == pc.Odds(5 / 9, 4 / 9, (0.0, 4 / 9, 4 / 9, 1 / 9, 0.0))
    assert pc.bid_odds(view, pc.Bid(1, 9, 3)) == pc.Odds(Fraction(0), Fraction(0), odds.counts)
    assert pc.bid_odds(view, pc.Bid(1, -9, 3)) == pc.Odds(Fraction(1), Fraction(0), odds.counts)


def test_a_thousand_players_do_not_take_for_ever() -> None:
    assert pc.probability_holds([], 5000, 10**9999, 2, ones_are_wild=True) == 0
    assert 0 < pc.probability_holds([], 5000, 1700, 2, ones_are_wild=True) < 1
    assert sum(pc.count_probabilities([1], 1000, 2, ones_are_wild=True)) == 1
