"""Fixtures for the tests of fair dice: those of the channel to Telegram."""

from tests.telegram_bot.channels.telegram.conftest import sender, telegram

__all__ = ["sender", "telegram"]
