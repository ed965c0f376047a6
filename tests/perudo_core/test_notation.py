"""A round and a game in one line: written, read back, refused with the character."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_core._notation_words import seat_word
from tests.perudo_core.test_hostile import refused_in_one_line

ILLUSTRATED = "A 4x4 B 6x4 C 4x1 D 9x5 E dudo! 9/9 E-1"
GAME = 'box_2009 calza=true; A=Ana B=Bo C="Cy Lee"; A opens; [A 12256 B 33441 C 26655] A 4x2 B 5x2 C dudo! 5/5 C-1'


def test_the_illustrated_round() -> None:
    line = pc.RoundText.parse(ILLUSTRATED)
    calls = (pc.Bid(0, 4, 4), pc.Bid(1, 6, 4), pc.Bid(2, 4, 1), pc.Bid(3, 9, 5), pc.Dudo(4))
    assert line == pc.RoundText(calls, None, 9, ((4, -1),))
    assert str(line) == ILLUSTRATED


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


def test_a_round_of_each_kind() -> None:
    calza = (pc.Bid(0, 1, 2), pc.Calza(1))
    for text, line in (
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


def test_house_rules_of_no_book_or_of_one_that_is_not_registered() -> None:
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


def test_a_result_may_be_left_out_and_a_player_leave_before_the_roll() -> None:
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
def test_a_bad_line_is_refused_with_the_character(
    parse: Callable[[str], object], text: str, position: int | None, reason: str
) -> None:
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
