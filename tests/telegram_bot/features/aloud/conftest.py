"""Fixtures for the tests of reading aloud: a Bot API server."""

from tests.telegram_bot.channels.telegram.conftest import sandbox

__all__ = ["sandbox"]
