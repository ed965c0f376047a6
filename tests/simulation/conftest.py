"""An empty database for evenings of the heart."""

from pathlib import Path

import pytest

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.open_database import copy_migrated_database

install(FEATURES)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database to copy."""
    file = tmp_path_factory.mktemp("heart") / "empty.db"
    copy_migrated_database(file)
    return file
