"""`python -m test_support.migration` writes a migration for changed models; read it before you keep it."""

import tempfile

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect

if __name__ == "__main__":
    install(FEATURES)
    with tempfile.TemporaryDirectory() as scratch:
        engine = connect(f"sqlite:///{scratch}/empty.db")
        schema.upgrade(engine)
        schema.revise(engine, "changed models")
        engine.dispose()
