"""An empty database for evenings, and a quiet log."""

from pathlib import Path

import pytest

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect

install(FEATURES)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database to copy."""
    file = tmp_path_factory.mktemp("heart") / "empty.db"
    engine = connect(f"sqlite:///{file}")
    schema.upgrade(engine)
    engine.dispose()
    return file
