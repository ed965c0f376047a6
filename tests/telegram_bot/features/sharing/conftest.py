"""Fixtures for the tests of shared results: those of whole games and of web pages."""

from tests.telegram_bot.channels.web.conftest import world
from tests.telegram_bot.statistics.conftest import play_game

__all__ = ["play_game", "world"]
