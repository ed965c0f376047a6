"""Fixtures for the tests of the league: short games."""

from tests.telegram_bot.statistics.conftest import harness

__all__ = ["harness"]
