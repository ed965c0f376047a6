"""The engine for SQLite and PostgreSQL, one code path: a transaction is a `with` block."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, make_url
from sqlmodel import Session

T = TypeVar("T")

SQLITE_BUSY_MILLISECONDS = 10_000


def connect(url: str) -> Engine:
    """An engine for the URL; SQLite gets WAL, full sync and transactions that take the write lock at once.

    Errors do not quote what was being written: dice are part of it.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, connect_args={"check_same_thread": False}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        # The driver's own BEGIN comes late and deferred; ours is emitted below.
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"busy_timeout={SQLITE_BUSY_MILLISECONDS}",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


class Database:
    """Runs transactions, each in a thread of a small pool: one for SQLite, eight for PostgreSQL."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._threads = ThreadPoolExecutor(1 if self.is_sqlite else 8, thread_name_prefix="database")

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block and rolls back on an error."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    async def run(self, work: Callable[[Session], T]) -> T:
        """Do `work` in one transaction on a database thread."""

        def in_transaction() -> T:
            with self.transaction() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._threads, in_transaction)

    def close(self) -> None:
        """Finish running transactions and close every connection."""
        self._threads.shutdown(wait=True)
        self.engine.dispose()
