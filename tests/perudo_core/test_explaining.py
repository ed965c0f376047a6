"""A refusal in plain words, with the smallest legal raise and its clause."""

from itertools import product

import pytest

from perudo_core import (
    PRESETS,
    Bid,
    Calza,
    IllegalActionError,
    Reason,
    Rules,
    apply,
    clause,
    explain,
    new_game,
    smallest_raise,
    why_illegal,
)
from tests.perudo_core.conftest import Table


def test_every_reason_has_a_sentence() -> None:
    for reason in Reason:
        assert explain(reason).endswith(".")
        assert explain(reason, new_game(Rules(), 2)) == explain(reason)


def test_every_book_is_cited_by_name() -> None:
    for preset, reason in product(PRESETS, Reason):
        said = clause(reason, Rules.preset(preset))
        assert said is None or said.startswith(f"{preset}: ")


def test_a_refused_raise_names_the_smallest_legal_one(table: Table) -> None:
    state = table(Rules(), "22256", "12344", calls="5x2")
    with pytest.raises(IllegalActionError) as caught:
        apply(state, Bid(1, 7, 5))
    assert explain(caught.value.reason, state) == (
        "A raise changes one thing: the quantity or the face, not both. The smallest raise is 5x3."
    )


def test_a_refused_opening_names_the_smallest_legal_one(table: Table) -> None:
    state = table(Rules(), "22256", "12344")
    assert why_illegal(state, Bid(0, 3, 1)) is Reason.BID_ONES_MAY_NOT_OPEN
    assert explain(Reason.BID_ONES_MAY_NOT_OPEN, state) == "Ones may not open a round. The smallest bid is 1x2."


def test_where_no_higher_bid_is_left(table: Table) -> None:
    state = table(Rules.preset("aces"), "2", "2", calls="1x2 2x1")
    assert smallest_raise(state) is None
    assert explain(Reason.BID_ABOVE_MAXIMUM, state) == "There cannot be that many dice. No higher bid is left."


def test_another_refusal_needs_no_raise(table: Table) -> None:
    assert explain(Reason.NOT_YOUR_TURN, table(Rules(), "2", "2")) == "It is another player's turn."


def test_the_clause_behind_a_refusal(table: Table) -> None:
    rules = Rules.preset("italian_box").with_options(calza=True)
    state = table(rules, "2", "22", "33", calls="1x2")
    reason = why_illegal(state, Calza(1))
    assert reason is Reason.CALZA_ON_TURN
    assert clause(reason, rules) == "italian_box: calza: anyone but the last bidder and the player on turn"
    assert clause(Reason.NOT_YOUR_TURN, rules) is None


def test_a_house_has_its_own_options() -> None:
    assert clause(Reason.BID_FACE_LOWER, Rules(plain_raise="no_decrease")) == "house: plain_raise = no_decrease"
    assert clause(Reason.CALZA_NOT_PLAYED, Rules.from_dict({"preset": "custom"})) == "house: calza = false"
