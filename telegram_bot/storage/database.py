"""The engine for SQLite and PostgreSQL, one code path: a transaction is a `with` block."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session

from telegram_bot.observability import metrics
from telegram_bot.storage.group_commit import GroupCommit

T = TypeVar("T")

SQLITE_BUSY_MILLISECONDS = 10_000
POSTGRESQL_THREADS = 8
POSTGRESQL_SESSION = {
    "application_name": "perudo-bot",
    # As long as SQLite waits for its lock.
    "lock_timeout": f"{SQLITE_BUSY_MILLISECONDS}ms",
    # A worker whose machine went away must not keep a table locked: the server lets go of it by itself.
    "idle_in_transaction_session_timeout": "30s",
    "tcp_keepalives_idle": "15",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}

COLLISIONS = {
    "40001": "serialization failure",
    "40P01": "deadlock detected",
    "23505": "unique violation: another wrote the same row at the same moment, and the next look will find it",
    "23503": "foreign key violation: another deleted the row at the same moment",
}
"""Errors, by PostgreSQL's code, after which the same transaction may well succeed. SQLite lets one write at a time."""
MAX_TRIES = 5
FIRST_PAUSE_SECONDS = 0.01


def connect(url: str) -> Engine:
    """An engine for the URL; SQLite gets WAL, full sync and transactions that take the write lock at once.

    Errors do not quote what was being written: dice are part of it.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(url)
    engine = create_engine(
        parsed,
        pool_pre_ping=True,
        pool_size=POSTGRESQL_THREADS,
        hide_parameters=True,
        connect_args={"connect_timeout": 10},
    )

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            for name, value in POSTGRESQL_SESSION.items():
                cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
        connection.commit()

    event.listen(engine, "handle_error", _quote_no_row)
    return engine


def _quote_no_row(context: ExceptionContext) -> None:
    """Leave of the server's message what kind of error it was: it goes on to show the row that it did not like."""
    original, wrapped = context.original_exception, context.sqlalchemy_exception
    kind = getattr(getattr(original, "diag", None), "message_primary", None)
    if kind is None:
        return
    whole = str(original)
    original.args = (kind,)
    if wrapped is not None:
        wrapped.args = tuple(str(part).replace(whole, kind) for part in wrapped.args)


def redacted_url(url: str) -> str:
    """An address without its passwords."""
    return make_url(url).difference_update_query(("password", "sslpassword")).render_as_string(hide_password=True)


def sqlite_file(url: str) -> Path | None:
    """The file that a URL of SQLite names; None for other databases and for one inside the memory."""
    parsed = make_url(url)
    inside_memory = parsed.database in {None, "", ":memory:"}
    return None if parsed.get_backend_name() != "sqlite" or inside_memory else Path(str(parsed.database))


def _sqlite(url: str) -> Engine:
    if file := sqlite_file(url):
        file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"check_same_thread": False}, hide_parameters=True)

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


def is_transient(error: Exception) -> bool:
    """Whether the database's state is to blame and not what was asked: it is away, locked, or in a deadlock."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | InterfaceError | NoConnectionError)


def log_failure(log: logging.Logger, error: BaseException, what: str, *values: object) -> None:
    """Log that something failed.

    A state of the database that passes is no fault of this program: it is told in a line, again and again while it
    lasts. Anything else is shown with where it came from.
    """
    if isinstance(error, Exception) and is_transient(error):
        log.warning(f"{what}: %s", *values, type(error).__name__)  # noqa: G004 - one more value for a constant text
    else:
        log.error(what, *values, exc_info=error)


class Database:
    """Runs transactions: on one thread that commits them together for SQLite, on eight for PostgreSQL."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._together = GroupCommit(self.engine) if self.is_sqlite else None
        self._threads = ThreadPoolExecutor(POSTGRESQL_THREADS, thread_name_prefix="database")

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block and rolls back on an error."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def run_now(self, work: Callable[[Session], T]) -> T:
        """Do `work` in one transaction; again, from its start, where it collided with another."""
        for earlier in range(MAX_TRIES - 1):
            try:
                with self.transaction() as session:
                    return work(session)
            except DBAPIError as error:
                metrics.DATABASE_ERRORS.labels(type(error).__name__).inc()
                if getattr(error.orig, "sqlstate", None) not in COLLISIONS:
                    raise
            except StaleDataError:
                metrics.DATABASE_ERRORS.labels(StaleDataError.__name__).inc()
            # Apart by chance, or the same two would meet again.
            time.sleep(random.uniform(0, FIRST_PAUSE_SECONDS * 2**earlier))  # noqa: S311 - no secret
        with self.transaction() as session:
            return work(session)

    async def run(self, work: Callable[[Session], T]) -> T:
        """The same on a database thread."""
        # With what the log knows of the update or the table that this is for.
        here = copy_context()
        if self._together is None:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: here.run(self.run_now, work))
        try:
            return await asyncio.wrap_future(self._together.submit(lambda session: here.run(work, session)))
        except DBAPIError as error:
            metrics.DATABASE_ERRORS.labels(type(error).__name__).inc()
            raise

    def close(self) -> None:
        """Finish running transactions and close every connection."""
        if self._together is not None:
            self._together.close()
        self._threads.shutdown(wait=True)
        self.engine.dispose()
