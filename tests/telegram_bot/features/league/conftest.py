"""Fixtures for the tests of the league: whole games."""

from tests.telegram_bot.statistics.conftest import play_game

__all__ = ("play_game",)
