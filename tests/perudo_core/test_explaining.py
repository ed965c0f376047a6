"""A refusal in plain words, with the smallest legal raise and its clause."""

from itertools import product

import pytest

import perudo_core as pc
from tests.perudo_core.notation import table


def test_every_reason_has_a_sentence() -> None:
    for reason in pc.Reason:
        assert pc.explain(reason).endswith(".")
        assert pc.explain(reason, pc.new_game(pc.Rules(), 2)) == pc.explain(reason)


def test_every_book_is_cited_by_name() -> None:
    for preset, reason in product(pc.PRESETS, pc.Reason):
        said = pc.clause(reason, pc.Rules.preset(preset))
        assert said is None or said.startswith(f"{preset}: ")


def test_a_refused_raise_names_the_smallest_legal_one() -> None:
    state = table(pc.Rules(), "22256", "12344", calls="5x2")
    with pytest.raises(pc.IllegalActionError) as caught:
        pc.apply(state, pc.Bid(1, 7, 5))
    assert pc.explain(caught.value.reason, state) == (
        "A raise changes one thing: the quantity or the face, not both. The smallest raise is 5x3."
    )


def test_a_refused_opening_names_the_smallest_legal_one() -> None:
    state = table(pc.Rules(), "22256", "12344")
    assert pc.why_illegal(state, pc.Bid(0, 3, 1)) is pc.Reason.BID_ONES_MAY_NOT_OPEN
    assert pc.explain(pc.Reason.BID_ONES_MAY_NOT_OPEN, state) == "Ones may not open a round. The smallest bid is 1x2."


def test_where_no_higher_bid_is_left() -> None:
    state = table(pc.Rules.preset("aces"), "2", "2", calls="1x2 2x1")
    assert pc.smallest_raise(state) is None
    assert pc.explain(pc.Reason.BID_ABOVE_MAXIMUM, state) == "There cannot be that many dice. No higher bid is left."


def test_another_refusal_needs_no_raise() -> None:
    assert pc.explain(pc.Reason.NOT_YOUR_TURN, table(pc.Rules(), "2", "2")) == "It is another player's turn."


def test_the_clause_behind_a_refusal() -> None:
    rules = pc.Rules.preset("italian_box").with_options(calza=True)
    state = table(rules, "2", "22", "33", calls="1x2")
    reason = pc.why_illegal(state, pc.Calza(1))
    assert reason is pc.Reason.CALZA_ON_TURN
    assert pc.clause(reason, rules) == "italian_box: calza: anyone but the last bidder and the player on turn"
    assert pc.clause(pc.Reason.NOT_YOUR_TURN, rules) is None


def test_a_house_has_its_own_options() -> None:
    assert (
        pc.clause(pc.Reason.BID_FACE_LOWER, pc.Rules(plain_raise="no_decrease")) == "house: plain_raise = no_decrease"
    )
    assert pc.clause(pc.Reason.CALZA_NOT_PLAYED, pc.Rules.from_dict({"preset": "custom"})) == "house: calza = false"
