"""One list of lines, of which each channel makes its message, and the alphabet of texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.words.lines import BLANK, Line, html, one_message, spoken
from telegram_bot.words.sms import gsm

LINES = [
    Line("<b>Ana</b>", sign="📊"),
    BLANK,
    Line("118 games", sign="🎲"),
    Line("Won in a row: " + "7" * 120, rank=2, sign="🔥"),
    Line("Bluffs: 17 %", rank=1, sign="🎭"),
    Line("35 achievements", rank=None),
    Line("Send /perudo for more. /hide off shows you."),
]


def texted(lines: list[Line]) -> str:
    return one_message(lambda _: lines) or ""


def test_a_chat_shows_every_line_with_its_sign() -> None:
    assert html(LINES[:3]) == "📊 <b>Ana</b>\n\n🎲 118 games"


def test_a_text_message_leaves_out_the_highest_rank_where_it_does_not_fit_and_chat_lines_always() -> None:
    assert texted(LINES) == "Ana: 118 games. Bluffs: 17 %. Send NEW for more. HIDE OFF shows you."
    short = [line for line in LINES if line.rank != 2]
    assert texted([*short[:2], Line("Won: 7", rank=2), *short[2:]]).startswith("Ana: Won: 7. 118 games. Bluffs")


def test_a_text_message_takes_the_most_important_lines_each_as_long_as_there_is_room() -> None:
    short = Line("Ana loses.", rank=0)
    ends = [
        Line("Ana " + "and then " * 20, rank=2, short=Line("Ana and Bo lose.", rank=1, short=short)),
        Line("Dice: 5."),
    ]
    assert texted(ends) == "Ana and Bo lose. Dice: 5."
    assert texted([*ends, Line("x" * 140, rank=3), Line("Until 12:00.", rank=4)]).endswith("Dice: 5. Until 12:00.")


def test_names_are_shortened_for_a_line_but_not_for_less_important_ones_than_one_that_is_left_out() -> None:
    def of(letters: int, *ranks: int) -> list[Line]:
        sizes = {0: 100, 1: 45, 2: 100, 3: 45}
        return [Line(f"{'A' * letters} {'x' * sizes[rank]}.", rank=rank) for rank in (0, *ranks)]

    assert len(re.findall("A{4}", one_message(lambda letters: of(letters, 1)) or "")) == 2
    assert (one_message(lambda letters: of(letters, 2, 3)) or "").split()[0] == "A" * 16


def test_a_command_at_the_end_of_a_text_can_be_copied() -> None:
    assert texted([Line("Did you mean this? Send: 5x4")]).endswith("Send: 5x4"), "no full stop after it"
    assert texted([Line("Send /link to the bot in Telegram.")]) == "Send /link to the bot in Telegram."


def test_the_ear_hears_sentences_without_signs_and_without_commands() -> None:
    heard = " ".join(spoken(line.text for line in LINES[:3] + LINES[4:]))
    assert heard == "Ana. 118 games. Bluffs: 17 %. 35 achievements."
    assert list(spoken(["There's no game here. Send /perudo to open one."])) == ["There's no game here."]
    assert list(spoken(["<code>5/5</code> dice, t.me/bot"])) == ["5/5 dice, t.me/bot."]


TEXTS = st.text(max_size=400)
LETTERS = st.text(alphabet=sorted(gsm.BASIC), max_size=400)


def test_counts_as_the_networks_do() -> None:
    for text, *counted in (
        ("", "GSM-7", 0, 1),
        ("x" * 160, "GSM-7", 160, 1),
        ("x" * 161, "GSM-7", 161, 2),
        ("x" * 306, "GSM-7", 306, 2),
        ("x" * 307, "GSM-7", 307, 3),
        ("€" * 80, "GSM-7", 160, 1),
        ("[]", "GSM-7", 4, 1),
        ("x" * 152 + "€" + "x" * 152, "GSM-7", 306, 3),  # the euro does not straddle: 152 + 153 + 1
        ("Perché no? Così è", "GSM-7", 17, 1),
        ("ç", "UCS-2", 1, 1),  # only the capital is in the alphabet
        ("ç" * 70, "UCS-2", 70, 1),
        ("ç" * 71, "UCS-2", 71, 2),
        ("😀" * 35, "UCS-2", 70, 1),
        ("😀" * 36, "UCS-2", 72, 2),
        ("x" * 66 + "😀" + "x" * 66, "UCS-2", 134, 3),
        ("\u2019", "UCS-2", 1, 1),  # what a phone's keyboard writes
    ):
        assert list(gsm.count_segments(text)) == counted, text


def test_other_letters_are_written_in_the_alphabets() -> None:
    for said, texted in (
        ("È così… “già” ça", 'E così... "già" ca'),
        ("C\u2019est où ? « là »", 'C\'est où ? " là "'),
        ("5 × 4 → 6", "5 x 4 > 6"),
        ("está aquí, ¿no?", "esta aqui, ¿no?"),
        ("Владимир", "Vladimir"),
        ("Ιωάννης", "Ioannis"),
        ("王小明", "WangXiaoMing"),
        ("김민수", "GimMinSu"),
        ("Łukasz Żółć", "Lukasz Zolc"),
        ("Þór", "Thor"),
        ("😀 Bob ❤️", " Bob "),
        ("e\u0301", "é"),
        ("[Ana]|{x}~€", "(Ana)/(x)-EUR"),
    ):
        assert gsm.to_gsm(said) == texted


@given(TEXTS)
def test_whatever_is_written_fits_the_alphabet_and_costs_one_septet_a_letter(text: str) -> None:
    plain = gsm.to_gsm(text)
    assert set(plain) <= gsm.BASIC
    assert gsm.septets(plain) == len(plain)
    assert gsm.count_segments(plain).alphabet == "GSM-7"


@given(LETTERS)
def test_what_is_in_the_alphabet_stays_as_it_is(text: str) -> None:
    assert gsm.to_gsm(text) == text


@given(st.text(alphabet=sorted(gsm.BASIC | gsm.EXTENSION), max_size=200), st.integers(0, 170))
def test_a_cut_text_begins_alike_and_fits(text: str, length: int) -> None:
    short = gsm.cut(text, length)
    assert text.startswith(short)
    assert gsm.septets(short) <= length


def test_letters_outside_the_alphabet_have_no_septets() -> None:
    with pytest.raises(ValueError, match=r"U\+00E7"):
        gsm.septets("ça")
