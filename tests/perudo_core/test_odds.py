"""Exact chances."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import Bid, Rules, bid_probability, observe, probability_exact, probability_holds

if TYPE_CHECKING:
    from tests.perudo_core.conftest import Table


@given(
    st.lists(st.integers(1, 6), max_size=3),
    st.integers(0, 3),
    st.integers(0, 7),
    st.integers(1, 6),
    st.booleans(),
)
def test_the_chances_are_those_of_counting_every_roll(
    dice: list[int], unknown: int, quantity: int, face: int, wild: bool
) -> None:
    counts = [
        sum(die == face or (wild and die == 1) for die in (*dice, *roll))
        for roll in product(range(1, 7), repeat=unknown)
    ]
    holds = Fraction(sum(count >= quantity for count in counts), len(counts))
    exact = Fraction(sum(count == quantity for count in counts), len(counts))
    assert probability_holds(dice, unknown, quantity, face, wild) == holds
    assert probability_exact(dice, unknown, quantity, face, wild) == exact


def test_the_chance_of_a_bid_to_who_sees_all_counts(table: Table) -> None:
    state = table(Rules.preset("aces"), "234", "55", "1", calls="1x3")
    assert bid_probability(observe(state, 0), Bid(0, 2, 3)) == 1 - Fraction(2, 3) ** 3
    assert bid_probability(observe(state, 1), Bid(0, 1, 5)) == 1


def test_hidden_lost_dice_the_unknown_dice_must_be_said(table: Table) -> None:
    view = observe(table(Rules(), "234", "55", "1", calls="1x3"), 0)
    with pytest.raises(ValueError, match="lost dice are hidden"):
        bid_probability(view, Bid(0, 2, 3))
    assert bid_probability(view, Bid(0, 2, 3), unknown_dice=1) == Fraction(1, 3)


def test_in_a_palifico_round_ones_do_not_count(table: Table) -> None:
    view = observe(table(Rules(), "2", "55", "1", palifico=0, calls="1x5"), 2)
    assert bid_probability(view, Bid(0, 1, 5), unknown_dice=1) == Fraction(1, 6)
