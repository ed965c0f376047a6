"""Connect to SQLite or PostgreSQL and run transactions, with one interface for both."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session

from telegram_bot.errors import OperatorError
from telegram_bot.observability import metrics
from telegram_bot.storage.group_commit import GroupCommit

T = TypeVar("T")

SQLITE_BUSY_MILLISECONDS = 10_000
POSTGRESQL_THREADS = 8
POSTGRESQL_SESSION = {
    "application_name": "perudo-bot",
    # The same time as SQLite waits for its lock.
    "lock_timeout": f"{SQLITE_BUSY_MILLISECONDS}ms",
    # The server ends the session of a worker whose machine disappeared, so that its table does not stay locked.
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
"""PostgreSQL's error codes after which the same transaction may succeed. SQLite has one writer, so none collide."""
MAX_TRIES = 5
FIRST_PAUSE_SECONDS = 0.01

in_background: ContextVar[bool] = ContextVar("in_background", default=False)
"""Set in a task that people wait for less than for others: of the transactions of all such tasks only a few are under
way, so that another one never waits behind hundreds of them."""
BACKGROUND_TRANSACTIONS = 4


def connect(url: str) -> Engine:
    """An engine for the URL; SQLite uses WAL, full sync and transactions that take the write lock at their beginning.

    Errors do not quote the row that was written, because rows contain dice.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(url)
    engine = create_engine(
        parsed,
        pool_pre_ping=True,
        pool_size=POSTGRESQL_THREADS,
        pool_use_lifo=True,  # few connections while little happens: each prepares its statements once
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
    """Keep only the first line of the server's message: the next lines quote the rejected row."""
    original, wrapped = context.original_exception, context.sqlalchemy_exception
    kind = getattr(getattr(original, "diag", None), "message_primary", None)
    if kind is None:
        return
    whole = str(original)
    original.args = (kind,)
    if wrapped is not None:
        wrapped.args = tuple(str(part).replace(whole, kind) for part in wrapped.args)


def redacted_url(url: str) -> str:
    """The URL without its passwords."""
    return make_url(url).difference_update_query(("password", "sslpassword")).render_as_string(hide_password=True)


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite URL; None for other databases and for an in-memory database."""
    parsed = make_url(url)
    inside_memory = parsed.database in {None, "", ":memory:"}
    return None if parsed.get_backend_name() != "sqlite" or inside_memory else Path(str(parsed.database))


def require_existing(url: str) -> None:
    """Refuse a SQLite database that is not there: a mistyped path must not make an empty one.

    Raises:
        OperatorError: there is no such file.
    """
    file = sqlite_file(url)
    if file is not None and not file.is_file():
        raise OperatorError(f"{file} is not there: is the path in DATABASE_URL right, and this the right folder?")


def _sqlite(url: str) -> Engine:
    if file := sqlite_file(url):
        file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"check_same_thread": False}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        # The driver's own BEGIN is deferred until the first write. The listener below begins transactions instead.
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
    """Whether the error comes from the database's state (unreachable, locked, deadlock) and not from the statement."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | InterfaceError | NoConnectionError)


def log_failure(log: logging.Logger, error: BaseException, what: str, *values: object) -> None:
    """Log a failure: a transient state of the database in one line, anything else with its traceback."""
    if isinstance(error, Exception) and is_transient(error):
        log.warning(f"{what}: %s", *values, type(error).__name__)  # noqa: G004 - one more value for a constant text
    else:
        log.error(what, *values, exc_info=error)


class Database:
    """Runs transactions: for SQLite on one thread that commits several at once, for PostgreSQL on eight threads."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._together = GroupCommit(self.engine) if self.is_sqlite else None
        self._threads = ThreadPoolExecutor(POSTGRESQL_THREADS, thread_name_prefix="database")
        self._background = asyncio.Semaphore(BACKGROUND_TRANSACTIONS)

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block and rolls back on an error."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def run_now(self, work: Callable[[Session], T]) -> T:
        """Do `work` in one transaction; repeat all of it if it collided with another transaction."""
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
            # A random pause, so that the same two transactions do not collide again.
            time.sleep(random.uniform(0, FIRST_PAUSE_SECONDS * 2**earlier))  # noqa: S311 - no secret
        with self.transaction() as session:
            return work(session)

    async def run(self, work: Callable[[Session], T]) -> T:
        """Do `work` in one transaction on a database thread; see `run_now` and `in_background`."""
        # The thread gets the log's context variables: the update or table that the work is for.
        here = copy_context()
        async with self._background if in_background.get() else nullcontext():
            if self._together is None:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._threads, lambda: here.run(self.run_now, work))
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


P = ParamSpec("P")
Store = TypeVar("Store", bound="HasDatabase")


class HasDatabase(Protocol):
    """Whatever has methods that are transactions."""

    @property
    def database(self) -> Database:
        """Where they run."""


def in_transaction(
    work: Callable[Concatenate[Store, Session, P], T],
) -> Callable[Concatenate[Store, P], Coroutine[Any, Any, T]]:
    """Make a method one transaction of its object's database: it is given the session, and its caller awaits it."""

    @wraps(work)
    async def run(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.database.run(lambda session: work(store, session, *args, **kwargs))

    return run
