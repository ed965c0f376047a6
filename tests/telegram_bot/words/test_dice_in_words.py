import pytest

from perudo_core import PRESETS, Rules
from telegram_bot.service.intents import MakeBid
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.dice import FACES, ONES, bid_words, dice, die, face_words, ones_word
from telegram_bot.words.parsing.grammar import parse

ENGLISH = catalogue("en")


def test_a_die_is_one_character() -> None:
    assert [die(face) for face in FACES] == ["⚀", "⚁", "⚂", "⚃", "⚄", "⚅"]
    assert dice([2, 2, 5]) == "⚁ ⚁ ⚄"
    assert dice(()) == ""


@pytest.mark.parametrize("face", [0, 7, -1])
def test_a_die_has_six_faces(face: int) -> None:
    for ask in (die, lambda face: face_words(1, face, ENGLISH), lambda face: bid_words(1, face, ENGLISH)):
        with pytest.raises(ValueError, match="no face"):
            ask(face)


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
    assert [ones_word(Rules.preset(preset)) for preset in PRESETS] == ["paco", "paco", "ace", "aztec_head", "paco"]
    assert ones_word(Rules.from_dict({"preset": "custom"})) == "paco"


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
