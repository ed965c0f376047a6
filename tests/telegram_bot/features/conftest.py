"""Fixtures for the tests of features: phones next to the group of `GroupHarness`."""

import pytest

from telegram_bot.storage.database import Database
from test_support.sms_world import SmsWorld


@pytest.fixture
def phones(database: Database) -> SmsWorld:
    """Phones that text."""
    return SmsWorld(database)
