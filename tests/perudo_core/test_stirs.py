"""A salt that contains what was stirred: one form for signs that look alike."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core.stirs import SIGNS, canonical_word, salt_from_stirs, stirs_in_salt

WORDS = st.sampled_from(SIGNS) | st.from_regex(r"[a-z2-9]{1,12}( [a-z2-9]{1,12})?", fullmatch=True)
STIRS = st.lists(WORDS, max_size=20)
LLAMAS = [
    *("llama", "LLAMA", "llama\ufe00", " llama  ", "llama\u00a0", "llama\u3164", "llàma", "11ama"),
    "".join(chr(ord(letter) + 0xFEE0) for letter in "llama"),
]


@pytest.mark.usefixtures("untraced")
@settings(max_examples=50)
@given(STIRS)
def test_what_is_written_is_read(stirs: list[str]) -> None:
    assert stirs_in_salt(salt_from_stirs(stirs)) == tuple(stirs)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=40)
@given(STIRS, STIRS)
def test_other_stirs_make_another_salt(one: list[str], other: list[str]) -> None:
    assert (salt_from_stirs(one) == salt_from_stirs(other)) is (one == other)


@given(st.text(max_size=60))
def test_every_word_has_one_form_which_the_salt_takes(text: str) -> None:
    word = canonical_word(text)
    assert canonical_word(word) == word
    if word:
        assert stirs_in_salt(salt_from_stirs([word])) == (word,)


def test_words_that_look_alike_are_one_word() -> None:
    assert {canonical_word(word) for word in LLAMAS} == {"llama"}
    assert {canonical_word(word) for word in ("", "!?", "ﾠ", "лама", "١٢")} == {""}, "nothing is left to stir"


@pytest.mark.parametrize("salt", ["", "Ana: llama, Bo: 7", "ABC234 clover", "perudo-stir"])
def test_another_salt_says_nothing_of_stirs(salt: str) -> None:
    assert stirs_in_salt(salt) is None


@pytest.mark.parametrize(
    "after",
    [
        *("1 A\n1 x", "3\n", "3 \nx", "2\nx", "3\nx\n", "3\nLlama", "3\nllama ", "3\nlla  ma", "3\nllama\ufe00"),
        *("3\nl1ama", "3\nлlama", "3\n🎲", "3\n" + "a" * 33),
    ],
)
def test_a_salt_that_says_it_badly_is_refused(after: str) -> None:
    with pytest.raises(ValueError, match="salt with stirs"):
        stirs_in_salt(f"perudo-stirs/{after}")


@pytest.mark.parametrize("what", ["", "two\nlines", "a\nforged", "Llama"])
def test_no_stir_can_pass_for_another(what: str) -> None:
    with pytest.raises(ValueError, match="no canonical stir"):
        salt_from_stirs([what])
