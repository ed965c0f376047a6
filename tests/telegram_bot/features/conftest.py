"""Fixtures for the tests of features: channels next to the group of `GroupHarness`, and whole games."""

import pytest

from telegram_bot.storage.database import Database
from test_support.sms_world import SmsWorld
from tests.telegram_bot.channels.telegram.conftest import bot, sandbox, sender, telegram
from tests.telegram_bot.channels.web.conftest import world
from tests.telegram_bot.ingress.conftest import inbox
from tests.telegram_bot.statistics.conftest import play_game

__all__ = ["bot", "inbox", "play_game", "sandbox", "sender", "telegram", "world"]


@pytest.fixture
def phones(database: Database) -> SmsWorld:
    return SmsWorld(database)
