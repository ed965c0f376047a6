from collections.abc import Callable
from functools import partial

import pytest

from perudo_core import PRESETS
from telegram_bot.service.intents import MakeBid
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.dice import FACES, ONES, bid_figure, bid_words, dice, die, face_words, ones_word
from telegram_bot.words.parsing.grammar import parse

ENGLISH = catalogue("en")


@pytest.mark.parametrize(
    ("style", "hand", "bid"),
    [
        (DiceStyle.KEYCAPS, "1️⃣ 2️⃣ 2️⃣ 5️⃣", "3 × 4️⃣"),
        (DiceStyle.SIGNS, "⚀ ⚁ ⚁ ⚄", "3 × ⚃"),
        (DiceStyle.WORDS, "one, two, two, five", "3 fours"),
        (DiceStyle.DIGITS, "1 2 2 5", "3 × 4"),
    ],
)
def test_dice_are_written_in_the_style_that_was_chosen(style: DiceStyle, hand: str, bid: str) -> None:
    w = catalogue("en", style)
    assert dice([1, 2, 2, 5], w) == hand
    assert dice((), w) == ""
    assert bid_figure(3, 4, w) == bid


def test_keycaps_are_the_usual_style() -> None:
    assert [die(face, ENGLISH) for face in FACES] == ["1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣"]


@pytest.mark.parametrize(
    ("preset", "sign", "word"),
    [("box_2009", "⭐", "paco"), ("aces", "🅰️", "ace"), ("azteca", "🗿", "Aztec head")],
)
def test_a_wild_one_has_the_sign_of_the_rulebooks_word(preset: str, sign: str, word: str) -> None:
    assert dice([1, 1, 3], ENGLISH, preset) == f"{sign} {sign} 3️⃣"
    assert bid_figure(2, 1, ENGLISH, preset) == f"2 × {sign}"
    assert die(1, catalogue("en", DiceStyle.WORDS), preset) == word
    assert die(1, ENGLISH) == "1️⃣", "where ones are not wild they are ordinary dice"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", DiceStyle)
@pytest.mark.parametrize("preset", [None, *PRESETS])
@pytest.mark.parametrize("face", FACES)
def test_a_bid_copied_from_a_button_is_understood(
    language: str, style: DiceStyle, preset: str | None, face: int
) -> None:
    for quantity in (1, 3, 12):
        assert parse(bid_figure(quantity, face, catalogue(language, style), preset), language) == MakeBid(
            quantity, face
        )


@pytest.mark.parametrize("face", [0, 7, -1])
@pytest.mark.parametrize(
    "write",
    [partial(die, w=ENGLISH), partial(face_words, 1, catalogue=ENGLISH), partial(bid_words, 1, catalogue=ENGLISH)],
)
def test_a_die_has_six_faces(write: Callable[[int], str], face: int) -> None:
    with pytest.raises(ValueError, match="no face"):
        write(face)


@pytest.mark.parametrize(
    ("quantity", "face", "ones", "words"),
    [
        (5, 4, "paco", "5 fours"),
        (1, 2, "paco", "1 two"),
        (2, 6, "paco", "2 sixes"),
        (7, 3, "ace", "7 threes"),
        (9, 5, "ace", "9 fives"),
        (3, 1, "paco", "3 pacos"),
        (1, 1, "paco", "1 paco"),
        (4, 1, "ace", "4 aces"),
        (2, 1, "aztec_head", "2 Aztec heads"),
        (3, 1, "one", "3 ones"),
        (3, 1, "whatever", "3 ones"),
    ],
)
def test_a_bid_in_words(quantity: int, face: int, ones: str, words: str) -> None:
    assert bid_words(quantity, face, ENGLISH, ones) == words


def test_each_book_has_its_word_for_one() -> None:
    assert [ones_word(preset) for preset in PRESETS] == ["paco", "paco", "ace", "aztec_head", "paco"]
    assert ones_word("custom") == "paco"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ones", ONES)
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("quantity", [1, 2, 12, 60])
def test_a_bid_in_words_can_be_typed_back(quantity: int, face: int, ones: str, language: str) -> None:
    w = catalogue(language)
    words = bid_words(quantity, face, w, ones)
    assert words == f"{quantity} {face_words(quantity, face, w, ones)}"
    for reader in LANGUAGES:
        assert parse(words, reader) == MakeBid(quantity, face)
