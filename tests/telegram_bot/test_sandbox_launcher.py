"""What the bot hands to its sandbox: the page's settings."""

from telegram_bot.sandbox_launcher import PAGE, SETTINGS
from telegram_bot.words.catalogue import LANGUAGES


def test_people_of_the_page_choose_among_the_languages_that_the_bot_speaks() -> None:
    assert PAGE.languages == LANGUAGES
    assert "nl" in PAGE.languages


def test_the_page_says_in_one_line_what_perudo_is() -> None:
    assert "dice" in PAGE.about
    assert "\n" not in PAGE.about


def test_the_page_starts_a_game_of_this_bot() -> None:
    assert PAGE.welcome.message == "/perudo"
    assert (SETTINGS.bot_name, SETTINGS.page.title) == ("Perudo", "Perudo sandbox")
