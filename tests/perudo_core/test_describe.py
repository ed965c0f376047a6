"""Every event in plain English, every call as text, and a refusal in plain words with its clause."""

from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import perudo_core as pc
from tests.perudo_core.notation import BOOKS, table

NAMES = ["Ana", "Bo", ""]
BID = pc.Bid(0, 5, 3)
DICE = ((3, 3), (1,), ())
SENTENCES: list[tuple[pc.Event, str]] = [
    (pc.OpenerRolled(((6,), (2,), (3,)), ()), "To open: Ana 6, Bo 2, Seat 3 3."),
    (pc.OpenerRolled(((6,), (6,), (3,)), (0, 1)), "To open: Ana 6, Bo 6, Seat 3 3. Ana and Bo roll again."),
    (pc.OpenerRolled(((4,), (4,), (4,)), (0, 1, 2)), "To open: Ana 4, Bo 4, Seat 3 4. Ana, Bo and Seat 3 roll again."),
    (pc.OpenerChosen(2), "Seat 3 opens the game."),
    (pc.RoundStarted(2, 1, None), "Round 2: Bo opens."),
    (pc.RoundStarted(3, 1, 1), "Round 3: Bo opens a palifico round."),
    (pc.DiceRolled(0, (1, 6)), "Ana rolls 1 6."),
    (pc.BidMade(BID), "Ana bids 5x3."),
    (pc.DiceShown(0, (3, 1), BID), "Ana shows 3 1 and rolls the other dice again."),
    (pc.DudoCalled(1, BID), "Bo says dudo to 5x3 by Ana."),
    (pc.CalzaCalled(1, BID), "Bo says calza to 5x3 by Ana."),
    (pc.Revealed(DICE, BID, 3, True, False, False), "The dice: Ana 3 3, Bo 1. 3 of 5x3: the bid does not hold."),
    (pc.Revealed(DICE, BID, 6, True, True, False), "The dice: Ana 3 3, Bo 1. 6 of 5x3: the bid holds."),
    (pc.Revealed(DICE, BID, 5, True, True, True), "The dice: Ana 3 3, Bo 1. 5 of 5x3: exactly what was bid."),
    (pc.DiceLost(1, 2, 3), "Bo loses 2 dice and has 3 left."),
    (pc.DieRegained(1, 1), "Bo regains 1 die."),
    (pc.DieRegained(1, 0), "Bo already holds all their dice."),
    (pc.SeatOut(1, 3), "Bo is out, in place 3."),
    (pc.SeatLeft(1, 3), "Bo leaves the game, in place 3."),
    (pc.RoundVoided(4), "Round 4 is void and is rolled again."),
    (pc.RoundConceded(1), "Bo concedes the round."),
    (pc.GameOver(pc.Outcome(0, (1, 3, 2))), "Ana wins."),
]


def test_every_event_is_one_plain_sentence_without_what_is_left_where_lost_dice_are_hidden() -> None:
    assert {type(event) for event, _ in SENTENCES} == set(get_args(pc.Event))
    for event, sentence in SENTENCES:
        assert pc.describe(event, NAMES) == sentence
        assert pc.describe(event, NAMES, hides_lost_dice=True) == sentence.replace(" and has 3 left", "")
    for nobody in (2, -1):
        with pytest.raises(ValueError, match="there are only 2 names"):
            pc.describe(pc.OpenerChosen(nobody), ["Ana", "Bo"])


def test_rules_are_described_without_options_that_another_one_makes_meaningless() -> None:
    book = pc.Rulebook(name="all_of_it", title="All of it", rules=pc.Rules(calza=True))
    for options, told in (
        ({"palifico": False, "palifico_every_round": True}, "There are no palifico rounds."),
        ({"palifico": False, "calza": True, "calza_in_palifico": False}, "There are no palifico rounds."),
        ({"palifico_every_round": True, "palifico_with_two_players": False}, "Every round is a palifico round."),
        ({"first_out_wins": True, "palifico_every_round": True}, "first without dice wins."),
        ({"calza": False, "calza_with_two_players": False}, "Calza is not played."),
    ):
        described = pc.describe(book.rules.with_options(**options), rulebook=book)
        assert described.endswith(told)
        assert described.count(".") == 2, "the book's name and one sentence"


def test_a_call_is_read_as_people_type_it_and_what_is_none_is_refused_with_an_example() -> None:
    for text in ("5x3", "5×3", "5 X 3", "5*3", "  5x3\n"):
        assert pc.parse_call(text, 1) == pc.Bid(1, 5, 3), text
    for text in ("dudo", "Dudo!", "CALZA", "calza !"):
        assert pc.parse_call(text, 1) == (pc.Dudo(1) if "d" in text.lower() else pc.Calza(1)), text
    for text in ("", "5", "5x", "x3", "5x33", "-5x3", "\u0665x\u0663", "roll", "concede", "5x3 dudo", "1" * 99):
        with pytest.raises(pc.NotationError, match="A call is a bid as 5x3, dudo or calza"):
            pc.parse_call(text, 0)


bids = st.builds(pc.Bid, st.just(3), st.integers(0, 999_999_999), st.integers(0, 9))


@given(bids | st.sampled_from([pc.Dudo(3), pc.Calza(3)]))
def test_the_text_of_a_call_is_read_back(call: pc.Bid | pc.Dudo | pc.Calza) -> None:
    assert pc.parse_call(str(call), 3) == call


def test_every_reason_has_a_sentence_and_its_clause_names_the_book() -> None:
    for reason in pc.Reason:
        assert pc.explain(reason).endswith(".")
        assert pc.explain(reason, pc.new_game(pc.Rules(), 2)) == pc.explain(reason)
    for book, reason in product(BOOKS, pc.Reason):
        said = pc.clause(reason, book)
        assert said is None or said.startswith(f"{book.book}: ")


def test_a_refused_bid_is_explained_with_the_smallest_legal_one() -> None:
    box, highest = pc.Rules(), table(pc.Rules.preset("aces"), "2", "2", calls="1x2 2x1")
    one_thing = "A raise changes one thing: the quantity or the face, not both. The smallest raise is 5x3."
    for state, bid, sentence in (
        (table(box, "22256", "12344", calls="5x2"), pc.Bid(1, 7, 5), one_thing),
        (table(box, "22256", "12344"), pc.Bid(0, 3, 1), "Ones may not open a round. The smallest bid is 1x2."),
        (highest, pc.Bid(0, 3, 1), "There cannot be that many dice. No higher bid is left."),
        (table(box, "2", "2"), pc.Bid(1, 1, 2), "It is another player's turn."),
    ):
        reason = pc.why_illegal(state, bid)
        assert reason is not None
        assert pc.explain(reason, state) == sentence


def test_the_clause_behind_a_refusal_is_the_books_or_the_option_of_a_house() -> None:
    book = pc.Rules.preset("italian_box")
    for reason, rules, clause in (
        (pc.Reason.CALZA_ON_TURN, book, "italian_box: calza: anyone but the last bidder and the player on turn"),
        (pc.Reason.NOT_YOUR_TURN, book, None),
        (pc.Reason.BID_FACE_LOWER, pc.Rules(plain_raise="no_decrease"), "house: plain_raise = no_decrease"),
        (pc.Reason.CALZA_NOT_PLAYED, pc.Rules.from_dict({"preset": "custom"}), "house: calza = false"),
    ):
        assert pc.clause(reason, rules) == clause
