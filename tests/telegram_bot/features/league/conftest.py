"""Fixtures for the tests of the league: whole games."""

from tests.telegram_bot.statistics.conftest import harness, play_game

__all__ = ("harness", "play_game")
