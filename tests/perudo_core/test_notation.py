"""A round and a game in one line, read back or refused with the character; events and refusals in plain words."""

from collections.abc import Callable
from itertools import product
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_core._notation_words import seat_word
from tests.perudo_core.notation import BOOKS, table
from tests.perudo_core.test_bad_input import refused_in_one_line

ILLUSTRATED = "A 4x4 B 6x4 C 4x1 D 9x5 E dudo! 9/9 E-1"
GAME = 'box_2009 calza=true; A=Ana B=Bo C="Cy Lee"; A opens; [A 12256 B 33441 C 26655] A 4x2 B 5x2 C dudo! 5/5 C-1'


def test_a_game() -> None:
    game = pc.GameText.parse(GAME)
    assert str(game) == GAME
    record = game.record()
    dice, calls = ((1, 2, 2, 5, 6), (3, 3, 4, 4, 1), (2, 6, 6, 5, 5)), (pc.Bid(0, 4, 2), pc.Bid(1, 5, 2), pc.Dudo(2))
    rounds, names = (pc.RecordRound(dice, calls),), ("Ana", "Bo", "Cy Lee")
    assert record == pc.Record("perudo-record/1", pc.Rules(calza=True), names, 0, rounds)
    assert pc.GameText.of(record) == game
    short = str(pc.GameText.of(record, dice=False))
    assert short == 'box_2009 calza=true; A=Ana B=Bo C="Cy Lee"; A opens; A 4x2 B 5x2 C dudo! 5/5 C-1'
    assert pc.GameText.parse(short) == pc.GameText.of(record, dice=False)


def test_the_illustrated_round_and_one_of_each_kind() -> None:
    calza = (pc.Bid(0, 1, 2), pc.Calza(1))
    illustrated = (pc.Bid(0, 4, 4), pc.Bid(1, 6, 4), pc.Bid(2, 4, 1), pc.Bid(3, 9, 5), pc.Dudo(4))
    assert str(pc.RoundText.parse(ILLUSTRATED)) == ILLUSTRATED
    for text, line in (
        (ILLUSTRATED, pc.RoundText(illustrated, None, 9, ((4, -1),))),
        ("", pc.RoundText(())),
        ("[]  A leaves C leaves", pc.RoundText((pc.Leave(0), pc.Leave(2)), ())),
        ("A 1x2 B calza! 1/1 B+0", pc.RoundText(calza, None, 1, ((1, 0),))),
        ("A 1x2 B calza! 1/1 B+1", pc.RoundText(calza, None, 1, ((1, 1),))),
        ("B concedes B-1", pc.RoundText((pc.Concede(1),), None, None, ((1, -1),))),
        ("[A 1 AB 26] A 1x2", pc.RoundText((pc.Bid(0, 1, 2),), ((0, (1,)), (27, (2, 6))))),
    ):
        assert pc.RoundText.parse(text) == line
        assert pc.RoundText.parse(str(line)) == line


def test_people_write_it_as_they_like_and_letters_go_on_after_z() -> None:
    for text in ("A 4×4 B Dudo", " A\t4X4\n B DUDO! ", "A 4x4 B dudo"):
        assert str(pc.RoundText.parse(text)) == "A 4x4 B dudo!"
    assert str(pc.RoundText.parse("A 4x4 B forfeit B-1")) == "A 4x4 B concedes B-1", "as a record says it"
    words = ["A", "Z", "AA", "AB", "ZZ", "AAA", "ZZZZ"]
    assert [seat_word(seat) for seat in (0, 25, 26, 27, 701, 702, 475_253)] == words
    assert pc.RoundText.parse("ZZZZ 1x2") == pc.RoundText((pc.Bid(475_253, 1, 2),))


def test_house_rules_of_no_book_or_of_an_unknown_one_a_result_may_be_left_out_and_a_player_leave() -> None:
    text = "custom max_seats=unlimited starting_dice=1; A= B=; B opens"
    with pytest.raises(pc.NotationError):
        pc.GameText.parse(text)
    game = pc.GameText.parse(text.replace("=;", '="";').replace("A= ", 'A="\\u000a" '))
    assert game.rules == pc.Rules.from_dict({"preset": "custom", "max_seats": None, "starting_dice": 1})
    assert game.seats == ("\n", "")
    assert str(game) == 'custom max_seats=unlimited starting_dice=1; A="\\n" B=""; B opens'
    options = pc.Rules(calza=True).to_dict() | {"preset": "at_bos_house"}
    game = pc.GameText(pc.Rules.from_dict(options), ("Ana", "Bo"), 0, ())
    assert str(game) == "custom calza=true; A=Ana B=Bo; A opens", "a preset is one of the library that reads the line"
    assert pc.GameText.parse(str(game)) == game
    assert pc.GameText.parse(GAME.replace(" 5/5 C-1", "")).record() == pc.GameText.parse(GAME).record()
    assert pc.GameText.parse("; ; A opens") == pc.GameText(pc.Rules(), (), 0, ())
    text = "aces; A=Ana B=Bo C=Cy; A opens; [] B leaves"
    record = pc.GameText.parse(text).record()
    assert record.rounds == (pc.RecordRound((), (pc.Leave(1),)),)
    assert str(pc.GameText.of(record)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GAME.replace("5/5", "4/5"), "^round 1: not the result, which is 5/5 C-1$"),
        (GAME.replace("C-1", "B-1"), "^round 1: not the result, which is 5/5 C-1$"),
        (GAME.replace("C 26655", "D 26655"), "^round 1: a hand of no seat, or a second one$"),
        (GAME.replace("C 26655", "C 26655 C 26655"), "^round 1: a hand of no seat, or a second one$"),
        (GAME + "; A 1x2", "^round 2: the short form, without dice, makes no record$"),
        (GAME.replace("5x2", "4x2").replace("5/5", "5/4"), "^round 1, call 2: bid/too_low$"),
        (GAME.replace("5 C-1", "5 C-1; [A 1 B 1] A 1x2"), "^round 2: roll/wrong_length$"),
        (GAME.replace("A opens", "D opens"), "the opener must be one of the seats"),
        ("aces; A=Ana B=Bo; A opens; [A 12256 B 33441] A 4x2 A-1", "^round 1: not the result, which is none$"),
        (GAME.replace("; A opens", "; B opens"), "^round 1, call 1: call/not_your_turn$"),
    ],
)
def test_what_did_not_happen_is_refused(text: str, reason: str) -> None:
    with pytest.raises((pc.NotationError, pc.RecordError), match=reason):
        pc.GameText.parse(text).record()


Parse = Callable[[str], object]
ROUND, GAME_LINE = pc.RoundText.parse, pc.GameText.parse


@pytest.mark.parametrize(
    ("parse", "text", "position", "reason"),
    [
        (ROUND, "A", 1, "'A' calls nothing"),
        (ROUND, "A 4x4 B", 7, "'B' calls nothing"),
        (ROUND, "A 04x4", 2, "unknown call '04x4'"),
        (ROUND, "A 4x44", 2, "unknown call '4x44'"),
        (ROUND, "a 4x4", 0, "unknown word 'a'"),
        (ROUND, "ABCDE 4x4", 0, "unknown word 'ABCDE'"),
        (ROUND, "A 4x4 4/5", 6, "4/5 is not of the last bid"),
        (ROUND, "4/5", 0, "4/5 is not of the last bid"),
        (ROUND, "A 4x4 B-", 6, "unknown word 'B-'"),
        (ROUND, "A 4x4 ]", 6, "unknown word ']'"),
        (ROUND, "[A 1", 0, "'[' without ']'"),
        (ROUND, "[A]", 2, "a seat without its dice"),
        (ROUND, "[A 7]", 3, "a hand is of faces 1 to 6, not '7'"),
        (ROUND, "[1 1]", 1, "a seat is a letter, A for the first, not '1'"),
        (ROUND, 'A "', 1, "no word of the notation"),
        (ROUND, "A " + "1" * 5000 + "x2", 2, "unknown call"),
        (ROUND, "x" * 10_000_000, None, "longer than 1000000 characters"),
        (GAME_LINE, "", 0, "a game begins: rules; names; who opens"),
        (GAME_LINE, "aces; A=Ana", 11, "a game begins"),
        (GAME_LINE, "chess; ; A opens", 0, "unknown preset 'chess'"),
        (GAME_LINE, "aces calza; ; A opens", 5, "no option, or one that stands twice: 'calza'"),
        (GAME_LINE, "aces preset=azteca; ; A opens", 5, "no option, or one that stands twice"),
        (GAME_LINE, "aces joker=true; ; A opens", 0, "unknown option 'joker'"),
        (GAME_LINE, "aces calza=1; ; A opens", 0, "calza must be of type bool"),
        (GAME_LINE, "aces; B=Ana; A opens", 6, "expected 'A=' and a name, not 'B=Ana'"),
        (GAME_LINE, "aces; A=a/b; A opens", 6, "a name of other characters must be quoted: 'a/b'"),
        (GAME_LINE, 'aces; A="\\x"; A opens', 6, "not JSON"),
        (GAME_LINE, 'aces; A="\\ud800"; A opens', 6, "a seat's name is not a whole text"),
        (GAME_LINE, "aces; A=Ana; opens", 13, "the third part must be a seat and 'opens'"),
        (GAME_LINE, "aces; A=Ana; 1 opens", 13, "a seat is a letter"),
    ],
)
def test_a_bad_line_is_refused_with_the_character(parse: Parse, text: str, position: int | None, reason: str) -> None:
    with pytest.raises(pc.NotationError) as caught:
        parse(text)
    assert reason in caught.value.reason
    assert caught.value.position == position
    place = "" if position is None else f"character {position + 1}: "
    assert str(caught.value) == place + caught.value.reason
    assert len(str(caught.value)) < 200


SCRAPS = st.lists(
    st.sampled_from(
        [
            *GAME.replace(";", " ;").split(),
            *["AA", "[", "]", "9/9", "A-1", "B+0", "concedes", "forfeit", "leaves", "0x0", "99x6", "custom", "a=b"],
            *["x", "\\", '"'],
        ]
    )
).map(" ".join)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=250)
@given(
    SCRAPS
    | st.text()
    | st.builds(lambda text, at, by: text[:at] + by + text[at:], st.just(GAME), st.integers(0, 110), st.text())
)
def test_any_line_at_all(text: str) -> None:
    with refused_in_one_line(pc.NotationError):
        assert pc.RoundText.parse(str(line := pc.RoundText.parse(text))) == line
    with refused_in_one_line(pc.PerudoError):
        game = pc.GameText.parse(text)
        assert pc.GameText.parse(str(game)) == game
        game.record()


@pytest.mark.usefixtures("untraced")
def test_a_long_line_does_not_take_for_ever() -> None:
    for text in ('A="' * 100_000, 'A="' + '\\"' * 100_000, "[" * 100_000, "A 1x2 " * 20_000, ";" * 100_000):
        for parse in (pc.RoundText.parse, pc.GameText.parse):
            with refused_in_one_line(pc.NotationError):
                parse(text)


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


def test_a_refused_bid_is_explained_with_the_smallest_legal_one_and_its_clause_is_the_books_or_a_houses() -> None:
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
    book = pc.Rules.preset("italian_box")
    for refusal, rules, clause in (
        (pc.Reason.CALZA_ON_TURN, book, "italian_box: calza: anyone but the last bidder and the player on turn"),
        (pc.Reason.NOT_YOUR_TURN, book, None),
        (pc.Reason.BID_FACE_LOWER, pc.Rules(plain_raise="no_decrease"), "house: plain_raise = no_decrease"),
        (pc.Reason.CALZA_NOT_PLAYED, pc.Rules.from_dict({"preset": "custom"}), "house: calza = false"),
    ):
        assert pc.clause(refusal, rules) == clause
