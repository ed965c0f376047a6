import pytest

from telegram_bot.storage.database import Database
from test_support.web_world import WebWorld


@pytest.fixture
def world(database: Database) -> WebWorld:
    return WebWorld(database)
