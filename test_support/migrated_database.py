"""A migrated SQLite database, migrated once for each process of pytest and copied for each world.

To migrate takes a third of the CPU that a process of the bot needs to start.
tests/telegram_bot/storage/test_migrations.py and the tests of `make play` begin with no file.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine

from telegram_bot.storage import schema


def copy_migrated_database(file: Path) -> None:
    """Put an empty, migrated database there."""
    file.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    folder = Path(tempfile.mkdtemp(prefix="perudo-schema-"))
    try:
        engine = create_engine(f"sqlite:///{folder}/perudo.db")
        schema.upgrade(engine)
        engine.dispose()
        return (folder / "perudo.db").read_bytes()
    finally:
        shutil.rmtree(folder)
