"""Fixtures for the tests of the story: those of web pages, of the inbox and of whole games."""

from tests.telegram_bot.channels.web.conftest import world
from tests.telegram_bot.ingress.conftest import inbox
from tests.telegram_bot.statistics.conftest import play_game

__all__ = ["inbox", "play_game", "world"]
