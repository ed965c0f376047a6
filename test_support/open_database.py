"""Databases of tests: statements are compiled once for all of them, and nothing waits for a disk."""

from sqlalchemy import Engine, event

from telegram_bot.storage.database import Database, connect

_FIRST: dict[str, Engine] = {}
"""By dialect: the engine whose compiled statements all tests' engines use.

SQLAlchemy keeps compiled statements for each dialect object, and each test has an engine of its own: compiling would
take a third of a test's CPU.
"""


def open_database(url: str, *, group_commits: bool = True) -> Database:
    """Open a database of a test."""
    database = Database(url, group_commits=group_commits)
    engine = database.engine
    first = _FIRST.get(engine.dialect.name)
    if first is None:
        first = _FIRST[engine.dialect.name] = connect("sqlite://" if database.is_sqlite else url)
        first.connect().close()  # the first connection completes the dialect
        first.dispose()
    engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
    if database.is_sqlite:
        # No power cut is tried here: nothing waits for the disk.
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    return database
