"""What the bot hands to its sandbox: the page's settings."""

from __future__ import annotations

import pytest

from telegram_bot.sandbox_launcher import PAGE, SETTINGS
from telegram_bot.words.catalogue import LANGUAGES


@pytest.mark.parametrize(("face", "pips"), list(zip("⚀⚁⚂⚃⚄⚅", range(1, 7), strict=True)))
def test_a_die_is_drawn_with_its_pips_and_only_ones_are_red(face: str, pips: int) -> None:
    picture = PAGE.glyphs[face]
    assert picture.count("<circle") == pips
    assert ("#c0392b" in picture) == (pips == 1)


def test_people_of_the_page_can_choose_every_language_that_the_bot_speaks() -> None:
    assert set(LANGUAGES) <= set(PAGE.languages)


def test_the_page_starts_a_game_of_this_bot() -> None:
    assert PAGE.welcome.message == "/perudo"
    assert (SETTINGS.bot_name, SETTINGS.page.title) == ("Perudo", "Perudo sandbox")
