"""Connect to SQLite or PostgreSQL and run transactions, with one interface for both."""

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from pydantic_core import from_json, to_json
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import (
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    InvalidatePoolError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlmodel import Session

from telegram_bot.errors import OperatorError
from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.storage.computing_limit import ComputesTooLongError, compute
from telegram_bot.storage.process_lock import require_locks

T = TypeVar("T")
log = logging.getLogger(__name__)

SQLITE_BUSY_MILLISECONDS = 10_000
POSTGRESQL_CONNECTION = {
    "application_name": "perudo-bot",
    "connect_timeout": 3,
    # Notice within seconds that the server's machine has vanished. By itself the operating system waits a quarter of an
    # hour.
    "tcp_user_timeout": 4000,
    "keepalives_idle": 3,
    "keepalives_interval": 1,
    "keepalives_count": 3,
}
"""Options of a connection, unless the URL sets them."""
POSTGRESQL_SESSION = {
    "lock_timeout": "6s",
    # The server ends the session of a worker that is frozen or has vanished, and releases its locks.
    "idle_in_transaction_session_timeout": "5s",
    "tcp_user_timeout": "4s",
    "tcp_keepalives_idle": "3",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
}
ANSWER_SECONDS = 8.0
"""How long a worker waits for the answer to a statement before it closes the connection: longer than for any lock."""
COMMIT_SECONDS = 300.0
"""The same for a commit, which waits for a synchronous standby. A second try would only be one more waiting commit."""
_SERVER = (
    "SELECT pg_backend_pid(), CASE WHEN NOT pg_is_in_recovery()"
    " THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END"
)
"""The session's process, and the server's timeline: a number that each promotion of a standby increases."""

_FENCE: Final = """SELECT (value::json ->> 'epoch')::int FROM note
WHERE key = 'playing' AND pg_current_xact_id_if_assigned() IS NOT NULL FOR SHARE"""
"""The number of the process that plays, in a transaction that has written. It can be taken over only afterwards."""

_LOCK: Final = "SELECT pg_advisory_xact_lock(7377386)"
"""Until a command's transaction ends, no other one runs."""
_SHARE_LOCK: Final = "SELECT pg_advisory_xact_lock_shared(7377386)"
"""The same of the process that plays: it has one transaction at a time, and waits for no lost connection of its own."""

COMPUTING_SECONDS: Final = 4.0
"""How long a worker's transaction may compute before it fails: others wait for it, and PostgreSQL's server ends the
session of one that has asked it nothing for a little longer."""

in_background: ContextVar[bool] = ContextVar("in_background", default=False)
"""Set in tasks that may wait longer than a player's tap. Only a few of their transactions run at once, so a tap never
waits for hundreds of them."""
BACKGROUND_TRANSACTIONS = 4


def write_json(value: Any) -> str:
    """Return JSON; pydantic writes it in a third of the time, but not a half of a surrogate pair, which people send."""
    try:
        return to_json(value).decode()
    except ValueError:
        return json.dumps(value)


def read_json(stored: str | bytes) -> Any:
    """Return the value of JSON that `write_json` wrote."""
    try:
        return from_json(stored)
    except ValueError:
        return json.loads(stored)


_JSON: Final = {"json_serializer": write_json, "json_deserializer": read_json}


def connect(url: str, *, answer_seconds: float | None = None, commit_seconds: float | None = None) -> Engine:
    """Create an engine. SQLite uses WAL, full sync and transactions that take the write lock at their beginning.

    `answer_seconds`, `commit_seconds`: how long to wait for PostgreSQL's answer to a statement, and to a commit, or
    None without a limit. Errors do not quote the rejected row, because rows contain dice.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(url)
    engine = create_engine(
        parsed,
        hide_parameters=True,
        pool_pre_ping=True,
        connect_args={name: value for name, value in POSTGRESQL_CONNECTION.items() if name not in parsed.query},
        **_JSON,
    )
    servers = _Servers(answer_seconds, commit_seconds)
    event.listen(engine, "do_connect", servers.connect)
    event.listen(engine, "checkout", servers.refuse_old)

    @event.listens_for(engine, "begin")
    def on_begin(connection: Any) -> None:
        if connection.info.get("pooled"):
            connection.exec_driver_sql(_set_up("true", worker=answer_seconds is not None))

    event.listen(engine, "handle_error", _quote_no_row)
    return engine


class _Servers:
    """Connects to the server of a PostgreSQL URL that was promoted last.

    An old primary that returns after its standby was promoted would still accept moves, and no worker would see them.
    """

    def __init__(self, answer_seconds: float | None = None, commit_seconds: float | None = None) -> None:
        self.answer_seconds = answer_seconds
        self.commit_seconds = commit_seconds
        self.timeline = 0
        """The newest timeline seen; 0 before the first connection."""
        self._first = 0
        """The index of the server to try first: the last primary."""

    def connect(self, _dialect: object, record: Any, _arguments: object, parameters: dict[str, Any]) -> Any:
        """Open a connection; the first time to every server, to find the one that was promoted last.

        Raises:
            psycopg.OperationalError: no server can be used; with the reason of each.
        """
        import psycopg  # noqa: PLC0415 - an extra

        hosts, ports = (str(parameters.get(name, "")).split(",") for name in ("host", "port"))
        places: list[dict[str, str | None]] = [{}]
        if len(hosts) > 1:
            ports = ports if len(ports) > 1 else ports * len(hosts)
            places = [{"host": host, "port": port or None} for host, port in zip(hosts, ports, strict=True)]
        found: dict[int, tuple[int, Any]] = {}
        why = []
        for number in sorted(range(len(places)), key=lambda number: number != self._first):
            try:
                found[number] = self._open(parameters | places[number], alone=len(places) == 1)
            except psycopg.OperationalError as error:
                why.append(" ".join(str(error).split()))
            else:
                if self.timeline:
                    break
        if not found:
            raise psycopg.OperationalError("; ".join(why))
        self._first = max(found, key=lambda number: found[number][0])
        self.timeline, newest = found.pop(self._first)
        for _, other in found.values():
            other.close()
        record.info["timeline"], record.info["pooled"] = self.timeline, newest.prepare_threshold is None
        return newest

    def _open(self, parameters: dict[str, Any], *, alone: bool) -> tuple[int, Any]:
        """Return the server's timeline (0 for a standby) and a connection. Refuse a standby among several servers."""
        import psycopg  # noqa: PLC0415 - an extra

        connection = _connection_class().connect(**parameters)
        connection.answer_seconds, connection.commit_seconds = self.answer_seconds, self.commit_seconds
        with ExitStack() as unless_used:
            unless_used.callback(connection.close)
            process, timeline = connection.execute(_SERVER).fetchone()
            if timeline is None and not alone:
                raise psycopg.OperationalError(f"{parameters['host']} is a standby")
            if (timeline or 0) < self.timeline:
                why = f"another server was promoted (timeline {timeline}, the newest is {self.timeline})"
                raise psycopg.OperationalError(f"{connection.info.host} is no longer the primary: {why}")
            if process == connection.info.backend_pid:
                connection.execute(_set_up("false", worker=self.answer_seconds is not None))
            else:  # a pooler named it: each transaction may have another session, without prepared statements
                connection.prepare_threshold = None
            connection.commit()
            unless_used.pop_all()
        return timeline or 0, connection

    def refuse_old(self, _connection: object, record: Any, _fairy: object) -> None:
        """Close a pooled connection whose server is no longer the primary."""
        if record.info["timeline"] < self.timeline:
            raise DisconnectionError("another server was promoted")


def _set_up(for_transaction: str, *, worker: bool) -> str:
    """Return the statement that applies `POSTGRESQL_SESSION` to one transaction or to the whole session.

    Commands such as `recount` are not workers: their transactions may take long.
    """
    settings = POSTGRESQL_SESSION if worker else POSTGRESQL_SESSION | {"idle_in_transaction_session_timeout": "0"}
    values = (f"set_config('{name}', '{value}', {for_transaction})" for name, value in settings.items())
    return f"SELECT {', '.join(values)}"


@cache
def _connection_class() -> Any:
    """Return a psycopg connection class with a time limit for answers."""
    import psycopg  # noqa: PLC0415 - an extra

    class Connection(psycopg.Connection[Any]):
        answer_seconds: float | None = None
        commit_seconds: float | None = None

        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            try:
                return super().wait(gen, interval, timeout or self.answer_seconds)
            except psycopg.OperationalError:
                if self.pgconn.transaction_status != psycopg.pq.TransactionStatus.ACTIVE:
                    raise
                self.pgconn.finish()
                raise psycopg.OperationalError(f"no answer within {self.answer_seconds} s") from None

        def commit(self) -> None:
            usual, self.answer_seconds = self.answer_seconds, self.commit_seconds
            try:
                super().commit()
            finally:
                self.answer_seconds = usual

    return Connection


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


def try_commit(session: Session) -> None:
    """Wait until a commit succeeds, on a synchronous standby as well; write no row."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_logical_emit_message(true, 'perudo', '')"))


def insert_into(session: Session, model: Any) -> Any:
    """Return an `INSERT` of the session's database, which supports `ON CONFLICT`."""
    return (sqlite_dialect if session.get_bind().dialect.name == "sqlite" else postgresql).insert(model)


def redacted_url(url: str) -> str:
    """Return the URL without its passwords."""
    return make_url(url).difference_update_query(("password", "sslpassword")).render_as_string(hide_password=True)


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite URL, or None for other databases and for an in-memory database."""
    parsed = make_url(url)
    inside_memory = parsed.database in {None, "", ":memory:"}
    return None if parsed.get_backend_name() != "sqlite" or inside_memory else Path(str(parsed.database))


def require_existing(url: str) -> None:
    """Refuse a SQLite file that does not exist: a mistyped path must not create an empty database.

    Raises:
        OperatorError: the file does not exist.
    """
    file = sqlite_file(url)
    if file is not None and not file.is_file():
        raise OperatorError(f"{file} is not there: is the path in DATABASE_URL right, and this the right folder?")


def _sqlite(url: str) -> Engine:
    file = sqlite_file(url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"check_same_thread": False}, hide_parameters=True, **_JSON)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        # The driver's own BEGIN is deferred until the first write. The listener below begins transactions instead.
        connection.isolation_level = None
        _enter_wal_mode(connection, file)
        for pragma in ("synchronous=FULL", "foreign_keys=ON", f"busy_timeout={SQLITE_BUSY_MILLISECONDS}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def on_begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    if file is not None:
        _keep_file(engine, file)
    return engine


def _keep_file(engine: Engine, file: Path) -> None:
    """Write the file again if somebody deletes it: only an open connection still has the games then."""
    throttle = LogThrottle()

    @event.listens_for(engine, "checkout")
    def on_checkout(connection: sqlite3.Connection, _record: object, _fairy: object) -> None:
        if file.exists():
            return
        written = Path(f"{file}.rescued")
        try:
            with closing(sqlite3.connect(written)) as copy:
                connection.backup(copy)
        except sqlite3.Error as error:  # the games go on in this connection
            if line := throttle.line_for(f"{file} was deleted, and cannot be written again: {error}"):
                log.error("%s", line)  # noqa: TRY400 - the traceback says nothing more
            return
        # The last connection deletes the log by its name, so it is closed before the new file has one.
        engine.pool.dispose()
        connection.close()
        for end in ("-wal", "-shm"):
            Path(f"{file}{end}").unlink(missing_ok=True)
        written.replace(file)
        log.error("%s was deleted while the bot ran: it is written again, with all games", file)
        raise InvalidatePoolError("the file was deleted")


def _enter_wal_mode(connection: Any, file: Path | None) -> None:
    # SQLite ignores the busy timeout here: of several workers that create the file together, one succeeds.
    connection.execute("PRAGMA busy_timeout=0")
    attempts = SQLITE_BUSY_MILLISECONDS // 100
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if file is not None and "locked" in str(error):
                require_locks(file.parent)
            attempts -= 1
            if not attempts:
                raise
            time.sleep(0.1)
        else:
            return


def is_transient(error: Exception) -> bool:
    """Return True if the database's state caused the error (unreachable, locked, deadlock), and not the statement."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | InterfaceError | NoConnectionError | TakenOverError)


def reason(error: Exception) -> str:
    """Return the first line of the driver's error; of other errors only the type, which quotes no row."""
    original = getattr(error, "orig", None) if is_transient(error) else None
    return type(error).__name__ if original is None else str(original).partition("\n")[0]


def log_failure(
    log: logging.Logger, error: BaseException, what: str, *values: object, throttle: LogThrottle | None = None
) -> None:
    """Log a failure: a transient state of the database in one line, other errors with their traceback.

    `throttle`: of something that is tried every second.
    """
    if isinstance(error, Exception) and is_transient(error):
        line: str | None = f"{what % values}: {reason(error)}"
        if throttle is not None and line is not None:
            line = throttle.line_for(line)
        if line is not None:
            log.warning("%s", line)
    else:
        log.error(what, *values, exc_info=error)


class TakenOverError(OperatorError, SQLAlchemyError):
    """Another process plays now, so this one may write no more."""

    def __init__(self) -> None:
        super().__init__("another process has taken over, because this one stood still or lost its database")


class Database:
    """Runs transactions one after another: `run` on one thread."""

    computing_seconds = COMPUTING_SECONDS

    def __init__(self, url: str, *, patient: bool = False) -> None:
        """`patient`: for commands, whose transactions may take long."""
        limits = {} if patient else {"answer_seconds": ANSWER_SECONDS, "commit_seconds": COMMIT_SECONDS}
        self.engine = connect(url, **limits)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._background = asyncio.Semaphore(BACKGROUND_TRANSACTIONS)
        self.epoch: int | None = None
        """The number under which this process plays and may write until another takes over, or None for a command."""
        if not self.is_sqlite:  # SQLite has one writer by itself
            event.listen(self.engine, "begin", self._lock)
            event.listen(self.engine, "commit", self._refuse_if_taken_over)

    def _lock(self, connection: Connection) -> None:
        connection.exec_driver_sql(_LOCK if self.epoch is None else _SHARE_LOCK)

    def _refuse_if_taken_over(self, connection: Connection) -> None:
        """Raise `TakenOverError`, before a commit, if another process plays now."""
        if self.epoch is not None and connection.exec_driver_sql(_FENCE).scalar() not in (None, self.epoch):
            raise TakenOverError

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Yield a session. Commit at the end of the block, roll back on an error."""
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def run_now(self, work: Callable[[Session], T]) -> T:
        """Run `work` in one transaction on this thread."""
        with self.transaction() as session:
            return work(session)

    async def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in one transaction on the database's thread; see `COMPUTING_SECONDS`."""
        # The thread gets the log's context variables, such as the update or the table.
        here = copy_context()

        def limited(session: Session) -> T:
            try:
                return here.run(compute, partial(work, session), self.computing_seconds)
            except ComputesTooLongError:
                if not self.is_sqlite:  # the driver may have been interrupted between a statement and its answer
                    session.invalidate()
                raise

        async with self._background if in_background.get() else nullcontext():
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, self.run_now, limited)
            except DBAPIError as error:
                metrics.DATABASE_ERRORS.labels(type(error).__name__).inc()
                raise

    def close(self) -> None:
        """Finish running transactions and close every connection."""
        self._thread.shutdown()
        self.engine.dispose()


P = ParamSpec("P")
Store = TypeVar("Store", bound="HasDatabase")


class HasDatabase(Protocol):
    """An object whose methods are transactions."""

    @property
    def database(self) -> Database:
        """The database of the transactions."""


def in_transaction(
    work: Callable[Concatenate[Store, Session, P], T],
) -> Callable[Concatenate[Store, P], Coroutine[Any, Any, T]]:
    """Make a method one transaction of its object's database. The method receives the session, and callers await it."""

    @wraps(work)
    async def run(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await store.database.run(lambda session: work(store, session, *args, **kwargs))

    return run
