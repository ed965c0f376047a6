"""A long name or title is cut between signs, never within an emoji, a flag or a letter with its accent."""

import pytest

from telegram_bot.pictures.canvas import shortened
from telegram_bot.service.intents import normalize_name
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


@pytest.mark.parametrize("sign", SIGNS)
def test_a_name_on_a_picture_ends_with_a_whole_sign(sign: str) -> None:
    shown = {shortened("Ana" + sign * 4, 20, width) for width in range(20, 200, 3)}
    assert shown <= {"…", "A…", "An…", *("Ana" + sign * count + "…" for count in range(4)), "Ana" + sign * 4}
