import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.words.sms import gsm

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
