"""Written dice and bids, in every language and style; a player can type them back."""

from itertools import product

import pytest

from perudo_core import PRESETS
from telegram_bot.channels.web.source import BadActError, guest_name
from telegram_bot.intents.intents import normalize_name
from telegram_bot.parsing.grammar import parse
from telegram_bot.pictures.canvas import shortened
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.names import told_apart
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.dice import FACES, bid_figure, dice, die, face_words
from telegram_bot.words.phrases import LONGEST_SHOWN_NAME, plain_name

ENGLISH = catalogue("en")
BOOKS = (None, *PRESETS, "custom")


def test_dice_are_written_in_the_style_that_was_chosen() -> None:
    for style, hand, bid in (
        (DiceStyle.KEYCAPS, "1️⃣ 2️⃣ 2️⃣ 5️⃣", "3 × 4️⃣"),
        (DiceStyle.SIGNS, "⚀ ⚁ ⚁ ⚄", "3 × ⚃"),
        (DiceStyle.WORDS, "one, two, two, five", "3 fours"),  # all words are in `words/approved`
        (DiceStyle.DIGITS, "1 2 2 5", "3 × 4"),
    ):
        w = catalogue("en", style)
        assert (dice([1, 2, 2, 5], w), dice((), w), bid_figure(3, 4, w)) == (hand, "", bid)


@pytest.mark.parametrize("preset", [*PRESETS, "custom"])
def test_a_one_has_one_name_and_a_wild_one_one_sign_whatever_the_rulebook_calls_it(preset: str) -> None:
    assert dice([1, 1, 3], ENGLISH, preset) == "⭐ ⭐ 3️⃣"
    assert bid_figure(2, 1, ENGLISH, preset) == "2 × ⭐"
    assert die(1, catalogue("en", DiceStyle.WORDS), preset) == "one"
    assert die(1, ENGLISH) == "1️⃣", "where ones are not wild they are ordinary dice"


def test_a_die_has_six_faces() -> None:
    for face in (0, 7, -1):
        for write in (lambda face: die(face, ENGLISH), lambda face: face_words(1, face, ENGLISH)):
            with pytest.raises(ValueError, match="no face"):
                write(face)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bid_that_is_shown_can_be_typed_back(language: str) -> None:
    """In the form of a button, in each style, and in words, for every reader."""
    w, shown = catalogue(language), {}
    for quantity, face, book in product((1, 3, 12, 60), FACES, BOOKS):
        words = face_words(quantity, face, w)
        assert words.bid == f"{quantity} {words.face}"
        for reader in LANGUAGES:
            shown[words.bid, reader] = MakeBid(quantity, face)
        for style in DiceStyle:
            shown[bid_figure(quantity, face, catalogue(language, style), book), language] = MakeBid(quantity, face)
    assert [(*each, bid) for each, bid in shown.items() if parse(*each) != bid] == []


SIGNS = ("👨‍👩‍👧‍👦", "🇨🇭", "👍🏽", "e\N{COMBINING ACUTE ACCENT}")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_name_ends_with_a_whole_sign_also_on_a_picture(sign: str) -> None:
    for letters in range(LONGEST_SHOWN_NAME):
        name = "A" * letters + sign * 3 + "B"
        whole = {"A" * letters + sign * count for count in range(4)} | {"A" * LONGEST_SHOWN_NAME, name}
        assert normalize_name(name, LONGEST_SHOWN_NAME) in whole
        shown = plain_name(name)
        assert len(shown) <= LONGEST_SHOWN_NAME
        assert shown.removesuffix("…") in whole
    drawn = {shortened("Ana" + sign * 4, 20, width) for width in range(20, 200, 3)}
    assert drawn <= {"…", "A…", "An…", *("Ana" + sign * count + "…" for count in range(4)), "Ana" + sign * 4}


def test_a_name_of_one_endless_sign_is_seen_and_a_long_name_keeps_its_number() -> None:
    women = "\N{ZERO WIDTH JOINER}".join(["👩"] * 40)
    for name in (women, "A" * LONGEST_SHOWN_NAME):
        names = [name, told_apart(name, [name])]
        shown = {plain_name(each) for each in names}
        assert len(shown) == 2
        assert all(each.startswith(name[0]) and len(each) <= LONGEST_SHOWN_NAME for each in shown)
    assert normalize_name(women, LONGEST_SHOWN_NAME).startswith("👩")


@pytest.mark.parametrize(
    "name", [*"\u2065\ufff0\uffef\U0001d159\u3164\u2800", "\u200b\u200d\ufeff\u2060", "\U000e0041"]
)
def test_a_name_that_cannot_be_seen_is_shown_and_no_guest_has_it(name: str) -> None:
    assert plain_name(name) == "?"
    with pytest.raises(BadActError):
        guest_name(name)


@pytest.mark.parametrize("name", ["\U0001fa77", "\U0001fae8", "🌸", "李", "'"])
def test_a_name_of_one_sign_is_a_name_also_if_the_sign_is_new(name: str) -> None:
    assert plain_name(name) == name
    assert guest_name(name) == name
    assert told_apart("Ana " + name, ["Ana"]) == ("Ana " + name if name in "李'" else f"Ana {name} 2")
