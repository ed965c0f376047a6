"""Databases of tests: statements are compiled once for all of them, and nothing waits for a disk."""

import asyncio
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, event
from sqlmodel import Session

from telegram_bot.storage import schema
from telegram_bot.storage.database import Database, connect

T = TypeVar("T")

_FIRST: dict[str, Engine] = {}
"""By dialect: the engine whose compiled statements all engines use.

SQLAlchemy keeps compiled statements for each dialect object, and each test or evening has an engine of its own:
compiling would take a third of its CPU.
"""


class _InlineDatabase(Database):
    """A database whose transactions run in the event loop: another thread takes a quarter more CPU, and waits."""

    async def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in one transaction, after what the loop has to do before."""
        await asyncio.sleep(0)
        return self.run_now(work)


def open_database(url: str, *, in_threads: bool = False) -> Database:
    """Open a database of a test. SQLite runs in the event loop, unless its threads are wanted."""
    database = Database(url) if in_threads or not url.startswith("sqlite") else _InlineDatabase(url)
    hasten(database.engine)
    return database


def hasten(engine: Engine) -> None:
    """Let an engine use the statements that others have compiled, and wait for no disk: no power cut is tried here."""
    is_sqlite = engine.dialect.name == "sqlite"
    first = _FIRST.get(engine.dialect.name)
    if first is None:
        url = "sqlite://" if is_sqlite else engine.url.render_as_string(hide_password=False)
        first = _FIRST[engine.dialect.name] = connect(url)
        first.connect().close()  # the first connection completes the dialect
        first.dispose()
    engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
    if is_sqlite:
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))


def copy_migrated_database(file: Path) -> Path:
    """Write an empty, migrated database to a file: a copy takes a twentieth of the migrations' time."""
    file.write_bytes(migrated())
    return file


@cache
def migrated() -> bytes:
    with tempfile.TemporaryDirectory(prefix="perudo-schema-") as folder:
        engine = connect(f"sqlite:///{folder}/perudo.db")
        schema.upgrade(engine)
        engine.dispose()
        return Path(folder, "perudo.db").read_bytes()
