"""Fixtures for the tests of the hand of the day: those of whole games."""

from tests.telegram_bot.statistics.conftest import play_game

__all__ = ["play_game"]
