"""`perudo-bot backup` and `restore`: the whole database in one file, taken while the bot runs.

SQLite is copied by its online backup: a copy of the file alone would lack what is still in the write-ahead log.
PostgreSQL is dumped by `pg_dump`, which finds the password in a file that only this user can read.
The database keeps the time of its last backup, for the doctor and the metrics.
"""

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Collection, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Engine, create_engine, func, inspect, make_url, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlmodel import Session, select

from telegram_bot.errors import OperatorError
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.outages import OUTAGE_SECONDS
from telegram_bot.storage import schema
from telegram_bot.storage.database import POSTGRESQL_CONNECTION, connect, redacted_url, require_existing, sqlite_file
from telegram_bot.storage.key_value import as_time
from telegram_bot.storage.models import FORGOTTEN_SPAN, HEARTBEAT, LAST_BACKUP, RESTORED, GameTable, KeyValue, Player
from telegram_bot.storage.process_lock import single_process_lock
from telegram_bot.storage.status_queries import query_status
from telegram_bot.tables.model import Moment, Timings
from telegram_bot.tables.turn_clock import time_out

SQLITE_MAGIC: Final = b"SQLite format 3\0"
DUMP_MAGIC: Final = b"PGDMP"
COMPANIONS: Final = ("-wal", "-shm", "-journal")
"""Endings of SQLite's companion files. A restored database must not have those of another one."""
SERVICE: Final = "perudo"
VERSION: Final = re.compile(r"(?ms)^COPY [^\n]*alembic_version [^\n]*\n(\w+)\n\\\.$")
COPIED: Final = re.compile(r"COPY (?:\w+\.)?(\w+) \((.*)\) FROM stdin;")
MOST_NAMED: Final = 3
NOT_ALLOWED: Final = "42501"
"""PostgreSQL's code of an insufficient privilege."""
OTHER: Final = "restore another backup, as perudo-bot backup wrote it"
UNUSED_SECONDS: Final = 86400
"""A database that no bot has used for longer may be the wrong one."""
ADVICE_PROGRAMS: Final = "install PostgreSQL's client programs (Debian: apt-get install postgresql-client)"


def backup(url: str, target: Path, *, force: bool = False) -> str:
    """Write the database into a file that only this user can read, and return its schema's version.

    An earlier backup of the same name is replaced once the new one is complete. `force`: also a database that no bot
    has used for a day, or with a newer one next to it.

    Raises:
        OperatorError: there is no backup; an earlier one of this name is unchanged.
    """
    if not target.parent.is_dir():
        raise OperatorError(f"{target.parent} is no folder")
    if target.exists() and not target.is_file():  # a folder, or a device, which would be replaced
        raise OperatorError(f"{target} is no file")
    file = sqlite_file(url)
    if file is not None and target.resolve() in {Path(f"{file.resolve()}{end}") for end in ("", ".lock", *COMPANIONS)}:
        raise OperatorError(f"{target} belongs to the database itself: name another file")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    partial = Path(name)
    try:
        require_existing(url)
        if not force:
            _refuse_unused(url, file)
        if file is None:
            options = ("--format=custom", "--no-owner", "--no-privileges", f"--file={partial}")
            _run(url, "pg_dump", *options, f"service={SERVICE}")
        version = _dumped_version(partial) if file is None else _copy_sqlite(file, partial)
        _write_through(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    engine = connect(url)
    # The file is complete. If its time cannot be stored, the alert for the last backup's age will report it.
    with suppress(DBAPIError), Session(engine) as session:
        session.merge(KeyValue(key=LAST_BACKUP, value=repr(time.time())))
        session.commit()
    engine.dispose()
    return version


def _refuse_unused(url: str, file: Path | None) -> None:
    """Refuse a database that is probably not the one with the games: a wrong setting must not produce a backup."""
    used = _last_used(url)
    beside = (
        []
        if file is None
        else [other for other in file.parent.glob("*.db") if other.is_file() and not other.samefile(file)]
    )
    for other in beside:
        if (_last_used(f"sqlite:///{other}") or 0) > (used or 0):
            raise OperatorError(f"{other} was used later than {file}: is DATABASE_URL right? --force takes {file}")
    if used is not None and time.time() - used > UNUSED_SECONDS:
        raise OperatorError(
            f"no bot has used {redacted_url(url)} since {time.strftime('%Y-%m-%d %H:%M', time.localtime(used))}:"
            " is DATABASE_URL right? --force takes it all the same"
        )


def _last_used(url: str) -> float | None:
    """Return when a bot last used the database, or None if never, or if it is no database of the bot. Read only."""
    file = sqlite_file(url)
    read_only = None if file is None else f"sqlite:///file:{quote(str(file.resolve()))}?mode=ro&uri=true"
    engine = connect(url) if read_only is None else create_engine(read_only)
    try:
        with engine.connect() as connection:
            beat = connection.execute(select(KeyValue.value).where(KeyValue.key == HEARTBEAT)).scalar_one_or_none()
            return as_time(beat)
    except (SQLAlchemyError, UnicodeDecodeError):
        return None
    finally:
        engine.dispose()


def restore(source: Path, url: str, *, force: bool = False) -> str:
    """Replace the database by a backup, and return its schema's version; `run` or `migrate` updates it.

    Raises:
        OperatorError: the database is unchanged: it is in use or not empty, or the backup is unsuitable.
    """
    try:
        with source.open("rb") as file:
            beginning = file.read(len(SQLITE_MAGIC))
    except OSError as error:
        raise OperatorError(f"{source} cannot be read ({error.strerror})") from error
    target = sqlite_file(url)
    if beginning == SQLITE_MAGIC and target is not None:
        return _marked(url, _restore_sqlite(source, target, url, force=force))
    if beginning.startswith(DUMP_MAGIC) and target is None:
        return _marked(url, _restore_dump(source, url, force=force))
    if beginning == SQLITE_MAGIC or beginning.startswith(DUMP_MAGIC):
        kinds = ("SQLite", "PostgreSQL") if target is None else ("PostgreSQL", "SQLite")
        advice = "restore it into a database of its own kind, then: perudo-bot restore URL_OF_THAT_ONE"
        raise OperatorError(f"{source} is a backup of {kinds[0]}, and DATABASE_URL names {kinds[1]}: {advice}")
    raise OperatorError(f"{source} is no backup")


def _marked(url: str, version: str) -> str:
    """Store the time of the restored games: the bot informs their chats, and the time since then is an outage."""
    engine = connect(url)
    with Session(engine) as session:
        beat = session.get(KeyValue, HEARTBEAT)
        saved = None if beat is None else as_time(beat.value)
        if beat is not None and saved is not None:
            session.merge(KeyValue(key=RESTORED, value=beat.value))
            session.merge(KeyValue(key=FORGOTTEN_SPAN, value=f"{beat.value} {time.time()!r}"))
            beat.value = repr(saved - OUTAGE_SECONDS - 1)
        session.commit()
    engine.dispose()
    return version


def check(source: Path, url: str) -> list[str]:
    """Open a backup next to the database, play one step of each live table in memory, and return its contents.

    A backup of PostgreSQL is opened in a temporary database on the server of `url`.

    Raises:
        OperatorError: the backup cannot be opened, or a table in it cannot be played on.
    """
    with tempfile.TemporaryDirectory(prefix="perudo-") as folder, ExitStack() as scratch:
        beside = f"sqlite:///{folder}/check.db"
        if sqlite_file(url) is None:
            name = f"perudo_check_{os.getpid()}"
            beside = make_url(url).set(database=name).render_as_string(hide_password=False)
            server = connect(url).execution_options(isolation_level="AUTOCOMMIT")
            scratch.callback(server.dispose)
            try:
                _execute(server, f"CREATE DATABASE {name}")
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) != NOT_ALLOWED:
                    raise
                why = "the database's user may not create one for the drill. As PostgreSQL's administrator: "
                raise OperatorError(f'{why}ALTER USER "{make_url(url).username}" CREATEDB') from None
            scratch.callback(_execute, server, f"DROP DATABASE {name} WITH (FORCE)")
        restore(source, beside)
        schema.migrate(beside)
        used = _last_used(beside)
        engine = connect(beside)
        scratch.callback(engine.dispose)
        with Session(engine) as session:
            rows = session.exec(select(GameTable).where(GameTable.live)).all()
            for row in rows:
                _play_one_step(row)
            people = session.exec(select(func.count()).select_from(Player)).one()
            found = query_status(session, time.time())
    moment = "never" if used is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(used))
    return [
        f"last used by a bot: {moment}",
        f"live tables: {len(rows)}, each can be played on; people: {people}",
        f"games begun: {found.games_started}, with a winner: {found.games_finished}; rounds: {found.rounds_played}",
        f"updates not acted on: {found.updates_waiting}; notices not sent: {found.notices_waiting}",
    ]


def _execute(engine: Engine, command: str) -> None:
    with engine.connect() as connection:
        connection.execute(text(command))


def _play_one_step(row: GameTable) -> None:
    try:
        table = load_table(row)
        if table.game is not None and table.game.turn is not None:
            time_out(table, moment=Moment(time.time(), Timings(), Random(0)))  # noqa: S311 - these games are not played on
    except Exception as error:
        raise OperatorError(f"table {row.id} in the backup cannot be played on ({type(error).__name__})") from error


# SQLite


def _copy_sqlite(source: Path, target: Path) -> str:
    """Copy a SQLite database into a single file without companion files."""
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=rw", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.execute("PRAGMA busy_timeout=10000")
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")
            (state,) = new.execute("PRAGMA quick_check(1)").fetchone()
            if state != "ok":
                raise OperatorError(
                    f"{source} is damaged ({state.splitlines()[-1]}): restore the last backup that is well"
                )
            return _sqlite_version(new, source)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter of a damaged name, which the error would quote
        raise OperatorError(f"{source} cannot be copied ({_reason(error)})") from error


def _refuse_statements(copy: Path, source: Path) -> None:
    """Refuse triggers and views: SQLite would run statements of a stranger with each of the bot's."""
    query = "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name"
    with closing(sqlite3.connect(copy)) as connection:
        names = [name for (name,) in connection.execute(query)]
    if names:
        raise OperatorError(
            f"{source} has {', '.join(names)}, which no backup of the bot has: who has changed the file?"
        )


def _try_sqlite(copy: Path, source: Path) -> None:
    """Refuse a backup with which the bot could not start: update the schema of a further copy, and look into it."""
    with tempfile.TemporaryDirectory(prefix=f"{copy.name}-", dir=copy.parent) as folder:
        url = f"sqlite:///{shutil.copy(copy, folder)}"
        engine = connect(url)
        try:
            schema.upgrade(engine)
            found = inspect(engine)
            tables = {name: {column["name"] for column in found.get_columns(name)} for name in found.get_table_names()}
            _refuse_incomplete(tables, source)
            with engine.connect() as connection:
                _refuse_no_time(connection.scalar(select(KeyValue.value).where(KeyValue.key == HEARTBEAT)), source)
        except (DBAPIError, UnicodeDecodeError) as error:
            raise OperatorError(f"{source} cannot be used ({_reason(error)}): {OTHER}") from error
        finally:
            engine.dispose()


def _sqlite_version(connection: sqlite3.Connection, file: Path) -> str:
    try:
        rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.OperationalError:
        rows = []
    if not rows:
        raise OperatorError(f"{file} holds no games of the bot")
    if len(rows) > 1:
        raise OperatorError(f"{file} has {len(rows)} rows in alembic_version: delete all but the right one")
    return str(rows[0][0])


def _restore_sqlite(source: Path, target: Path, url: str, *, force: bool) -> str:
    if target.exists() and source.samefile(target):
        raise OperatorError(f"{source} is the database itself")
    if target.exists() and not target.is_file():
        raise OperatorError(f"{target} is no file")
    with single_process_lock(url):
        if not force and target.exists() and target.stat().st_size:
            raise OperatorError(f"{target} is not empty: --force puts the backup in its place")
        partial = Path(f"{target}.restoring")
        partial.unlink(missing_ok=True)
        try:
            version = _known(_copy_sqlite(source, partial), source)
            _refuse_statements(partial, source)
            _try_sqlite(partial, source)
            _write_through(partial)
            # These first: SQLite would play another database's log into the restored one.
            for end in COMPANIONS:
                Path(f"{target}{end}").unlink(missing_ok=True)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    return version


# PostgreSQL


def _dumped_version(dump: Path) -> str:
    found = VERSION.search(_run(None, "pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(dump)))
    if found is None:
        raise OperatorError("the database holds no games of the bot")
    return found[1]


def _restore_dump(source: Path, url: str, *, force: bool) -> str:
    version = _known(_dumped_version(source), source)
    engine = connect(url)
    try:
        _refuse_busy(engine)
        tables = inspect(engine).get_table_names()
        if not force and _has_rows(engine, tables):
            raise OperatorError("the database is not empty: --force puts the backup in the place of all its tables")
        quoted = engine.dialect.identifier_preparer.quote
        # All in one transaction. Tables that only a newer version has are deleted as well, because it could not create
        # them again.
        drops = "".join(f"DROP TABLE {quoted(table)} CASCADE;\n" for table in tables)
    finally:
        engine.dispose()
    with tempfile.TemporaryDirectory(prefix="perudo-") as folder:
        before, script = Path(folder, "before.sql"), Path(folder, "all.sql")
        before.write_text(drops, encoding="utf-8")
        _run(None, "pg_restore", "--no-owner", "--no-privileges", f"--file={script}", str(source))
        _try_script(script, version, source)
        options = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
        _run(url, "psql", *options, f"--file={before}", f"--file={script}", f"--dbname=service={SERVICE}")
    return version


def _try_script(script: Path, version: str, source: Path) -> None:
    """Refuse a dump with which the bot could not start; the columns are known of this version alone."""
    tables: dict[str, list[str]] = {}
    beat = None
    with script.open(encoding="utf-8") as lines:
        for line in lines:
            if copied := COPIED.match(line):
                tables[copied[1]] = copied[2].replace('"', "").split(", ")
            elif line.startswith(f"{HEARTBEAT}\t"):
                beat = line.rstrip("\n").partition("\t")[2]
    if version == schema.newest():
        _refuse_incomplete(tables, source)
    _refuse_no_time(beat, source)


def _refuse_busy(engine: Engine) -> None:
    with engine.connect() as connection:
        others = connection.execute(
            text(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = :name AND pid <> pg_backend_pid()"
            ),
            {"name": POSTGRESQL_CONNECTION["application_name"]},
        ).scalar_one()
    if others:
        raise OperatorError(f"a worker uses the database ({others} connections): stop every worker first")


def _has_rows(engine: Engine, tables: list[str]) -> bool:
    quoted = engine.dialect.identifier_preparer.quote
    with engine.connect() as connection:
        return any(
            connection.execute(text(f"SELECT 1 FROM {quoted(table)} LIMIT 1")).first() is not None  # noqa: S608 - quoted
            for table in tables
        )


def _run(url: str | None, program: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs, and return what it prints."""
    path = shutil.which(program)
    if path is None:
        raise OperatorError(f"{program} is missing: {ADVICE_PROGRAMS}")
    with tempfile.TemporaryDirectory(prefix="perudo-") as folder:
        environment = dict(os.environ)
        if url is not None:
            environment["PGSERVICEFILE"] = str(_service_file(Path(folder), url))
        done = subprocess.run(  # noqa: S603 - a program of PostgreSQL's
            [path, *arguments], capture_output=True, encoding="utf-8", env=environment, check=False
        )
    if done.returncode:
        why = " ".join(done.stderr.split()[:60])
        mend = f"; {ADVICE_PROGRAMS} of the server's version" if "version mismatch" in why else ""
        raise OperatorError(f"{program} failed ({why}){mend}")
    return done.stdout


def _service_file(folder: Path, url: str) -> Path:
    """Return a file with the connection's parameters: it hides the password from the process list."""
    dialect: Any = PGDialect_psycopg  # SQLAlchemy gives it no types
    _, parameters = dialect().create_connect_args(make_url(url))
    lines = [f"{name}={value}" for name, value in parameters.items() if name != "context"]
    file = folder / "pg_service.conf"
    file.touch(mode=0o600)
    file.write_text("\n".join((f"[{SERVICE}]", *lines, "")), encoding="utf-8")
    return file


# Both


def _known(version: str, source: Path) -> str:
    if not version.isdecimal():
        raise OperatorError(f"{source} has an unknown schema ({version[:20]!r}): {OTHER}")
    if refusal := schema.refusal_of(version):
        raise OperatorError("{} belongs to {}. {}".format(source, *refusal))
    return version


def _refuse_incomplete(tables: Mapping[str, Collection[str]], source: Path) -> None:
    if missing := schema.missing_from(tables):
        more = ", …" if len(missing) > MOST_NAMED else ""
        raise OperatorError(f"{source} lacks {', '.join(missing[:MOST_NAMED])}{more}: {OTHER}")


def _refuse_no_time(beat: str | None, source: Path) -> None:
    if beat is not None and as_time(beat) is None:
        advice = f"delete the row {HEARTBEAT} of the table {KeyValue.__tablename__}"
        raise OperatorError(f"the last time of the bot in {source} is no time ({beat[:20]!r}): {advice}")


def _reason(error: Exception) -> str:
    return "it is damaged" if isinstance(error, UnicodeDecodeError) else str(getattr(error, "orig", error))


def _write_through(file: Path) -> None:
    """Wait until a file is on the disk."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
    with suppress(OSError):  # some network file systems refuse it for a folder
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
