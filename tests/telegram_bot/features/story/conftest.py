"""Fixtures for the tests of the story: an inbox."""

from tests.telegram_bot.ingress.conftest import inbox

__all__ = ["inbox"]
