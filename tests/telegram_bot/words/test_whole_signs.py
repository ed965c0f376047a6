"""A long name or title is cut between signs, never within an emoji, a flag or a letter with its accent."""

import pytest

from telegram_bot.channels.web.source import BadActError, guest_name
from telegram_bot.intents.intents import normalize_name
from telegram_bot.pictures.canvas import shortened
from telegram_bot.tables.names import told_apart
from telegram_bot.words.phrases import LONGEST_SHOWN_NAME, plain_name

SIGNS = ("👨‍👩‍👧‍👦", "🇨🇭", "👍🏽", "e\N{COMBINING ACUTE ACCENT}")


@pytest.mark.parametrize("sign", SIGNS)
def test_a_name_ends_with_a_whole_sign(sign: str) -> None:
    for letters in range(LONGEST_SHOWN_NAME):
        name = "A" * letters + sign * 3 + "B"
        whole = {"A" * letters + sign * count for count in range(4)} | {"A" * LONGEST_SHOWN_NAME, name}
        assert normalize_name(name, LONGEST_SHOWN_NAME) in whole
        shown = plain_name(name)
        assert len(shown) <= LONGEST_SHOWN_NAME
        assert shown.removesuffix("…") in whole


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


@pytest.mark.parametrize("sign", SIGNS)
def test_a_name_on_a_picture_ends_with_a_whole_sign(sign: str) -> None:
    shown = {shortened("Ana" + sign * 4, 20, width) for width in range(20, 200, 3)}
    assert shown <= {"…", "A…", "An…", *("Ana" + sign * count + "…" for count in range(4)), "Ana" + sign * 4}
