"""Check the database: reachable, migrated, fast, safe against power cuts, and without a backlog."""

import getpass
import secrets
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from telegram_bot.errors import MisconfiguredError
from telegram_bot.operations.doctor.check_result import CheckResult, clock_check, failed, passed
from telegram_bot.storage import database, schema
from telegram_bot.storage.models import KeyValue
from telegram_bot.storage.status_queries import query_status

MAX_QUERY_SECONDS: Final = 0.02
"""The longest acceptable time of one query, in seconds; a move takes about thirty statements."""
QUESTIONS: Final = 5
MIN_FREE_BYTES: Final = 500 * 2**20
MAX_SKEW_SECONDS: Final = 2.0
"""The largest acceptable difference between this machine's clock and the database's."""
OLD_BACKUP: Final = 2 * 86400
"""Two nights, in seconds."""
LONG_WAIT: Final = 120.0
"""How many seconds an update or a notice may wait. The limits of a busy group may delay a notice by a minute."""
COMMIT_SECONDS: Final = 3.0
SPARE_CONNECTIONS: Final = 20
"""The number of free connections needed: a worker uses up to ten, and two workers run while one is replaced."""
MIGRATE: Final = "perudo-bot migrate"
STANDBY: Final = (
    "Does the synchronous standby answer? With two of them either may be away: "
    "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (two, three)'; SELECT pg_reload_conf();"
)
FIRST_RUN: Final = (
    f"Before the first start: perudo-bot run makes it, or {MIGRATE}. "
    "Else DATABASE_URL is wrong, or this is not the folder in which the bot runs."
)
OLDER: Final = f"perudo-bot backup FILE, then: {MIGRATE}"


def examine(url: str) -> Iterator[CheckResult]:
    """Yield the results of all checks of the database. They roll back their writes."""
    yield from _database(url)
    if file := database.sqlite_file(url):
        yield _disk(file)


def _database(url: str) -> Iterator[CheckResult]:
    shown = database.redacted_url(url)
    file = database.sqlite_file(url)
    if file and (unwritable := _unwritable(file)):
        yield unwritable
        return
    if file and not file.exists():
        yield failed("database", f"{file} is not there yet", FIRST_RUN)
        return
    try:
        engine = database.connect(url, commit_seconds=COMMIT_SECONDS)
        try:
            with engine.connect() as connection:
                connection.execute(text("SELECT 1"))
            if schema.is_new(engine):
                yield failed(
                    "database", f"{shown} is reachable and empty", f"{MIGRATE} makes its tables; so does perudo-bot run"
                )
                return
            if refusal := schema.refusal_of(schema.revision_of(engine)):
                whose, mend = refusal
                yield failed("database", f"{shown} belongs to {whose}", f"{mend}.")
                return
            if not schema.is_current(engine):
                yield failed("database", f"{shown} is not up to date", OLDER)
                return
            _write_and_roll_back(engine)
            yield passed("database", f"{shown} is up to date, and {_who()} can write to it")
            yield from _health(engine)
        finally:
            engine.dispose()
    except ModuleNotFoundError as missing:
        yield failed(
            "database", f"{shown} needs {missing.name}", "Install the bot with its extra postgresql: make install does."
        )
    except MisconfiguredError as error:
        yield failed("database", f"{shown} cannot be used", str(error))
    except (SQLAlchemyError, OSError) as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        mend = "Is the server running, and are address, user, password and the database's name in DATABASE_URL right?"
        if file:
            mend = f"Is {file} a database, and may {_who()} write to it and to its folder?"
        elif "read-only" in why:
            mend = "DATABASE_URL must name the primary server, and a user who may write."
        yield failed("database", f"{shown} cannot be used ({why})", mend)


def _unwritable(file: Path) -> CheckResult | None:
    """Return the failure if the bot could not write its files next to the database."""
    place = folder = _folder_of(file)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
        place = Path(f"{file}.lock")
        if place.exists():
            with place.open("r+b"):
                pass
    except OSError as error:
        return failed(
            "database",
            f"{place} cannot be written to ({error.strerror})",
            f"May {_who()} write there? Start the bot in a folder of its own, or name a file in one: "
            "DATABASE_URL=sqlite:////srv/perudo/perudo.db",
        )
    return None


def _folder_of(file: Path) -> Path:
    """Return the folder of a file, or the nearest one above it that is there."""
    return next(each for each in file.resolve().parents if each.is_dir())


def _write_and_roll_back(engine: Engine) -> None:
    """Write a row as the bot does, and roll it back."""
    with Session(engine) as session:
        session.add(KeyValue(key=f"doctor:{secrets.token_hex(8)}", value=""))
        session.flush()
        session.rollback()


def _who() -> str:
    try:
        return f"the user {getpass.getuser()}"
    except (OSError, KeyError, ImportError):  # a number without a name, as in a container
        return "this user"


def _health(engine: Engine) -> Iterator[CheckResult]:
    with engine.connect() as connection:
        yield _speed(connection)
        if engine.dialect.name == "postgresql":
            yield from _server(connection)
    with Session(engine) as session:
        yield from _waiting(session)
    try:
        with Session(engine) as session, session.begin():
            database.try_commit(session)
    except SQLAlchemyError as error:
        yield failed("commit", f"no one can play: a commit fails ({database.reason(error)})", STANDBY)


def _speed(connection: Connection) -> CheckResult:
    took = []
    for _ in range(QUESTIONS):
        began = time.perf_counter()
        connection.execute(text("SELECT 1"))
        took.append(time.perf_counter() - began)
    usual = statistics.median(took)
    says = f"the database answers within {usual * 1000:.1f} ms"
    if usual <= MAX_QUERY_SECONDS:
        return passed("speed", says)
    return failed("speed", f"{says}: each tap would wait for it", "Run the bot near its database.")


def _disk(file: Path) -> CheckResult:
    free = shutil.disk_usage(_folder_of(file)).free
    sizes = [(each.name, each.stat().st_size) for each in (file, Path(f"{file}-wal")) if each.is_file()]
    held = "".join(f"; {name} has {size / 2**20:.1f} MiB" for name, size in sizes)
    says = f"{free / 2**30:.1f} GiB are free where {file.name} is kept{held}"
    if free >= MIN_FREE_BYTES:
        return passed("disk", says)
    return failed("disk", says, "Make room: without it no move can be kept.")


def _server(connection: Connection) -> Iterator[CheckResult]:
    """Check PostgreSQL's settings, clock and free connections."""
    before = time.time()
    there, standby, size, used = connection.execute(
        text(
            "SELECT extract(epoch FROM clock_timestamp())::float, pg_is_in_recovery(),"
            " pg_database_size(current_database()), (SELECT count(*) FROM pg_stat_activity)"
        )
    ).one()
    after = time.time()
    skew = max(there - after, 0.0) + min(there - before, 0.0)
    effect = "workers would not agree whose turn is over"
    yield clock_check("time", "the database", skew, MAX_SKEW_SECONDS, effect)
    if standby:
        yield failed("standby", "this is a standby, which takes no moves", "Let DATABASE_URL name the primary server.")
    loose = [
        name
        for name in ("fsync", "full_page_writes", "synchronous_commit")
        if connection.execute(text(f"SHOW {name}")).scalar_one() == "off"
    ]
    if loose:
        yield failed(
            "safety",
            f"a power cut may lose moves that people saw: {', '.join(loose)} off",
            "\n".join(f"ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf();" for name in loose),
        )
    else:
        yield passed("safety", "what is committed survives a power cut")
    most = int(connection.execute(text("SHOW max_connections")).scalar_one())
    says = f"{used} of {most} connections are in use, and the database holds {size / 2**20:.0f} MiB"
    if most - used >= SPARE_CONNECTIONS:
        yield passed("room", says)
    else:
        yield failed("room", says, "Raise max_connections in postgresql.conf, or run fewer workers.")


def _waiting(session: Session) -> Iterator[CheckResult]:
    found = query_status(session, time.time())
    waits = [
        (found.updates_oldest, f"updates not acted on: {found.updates_waiting}"),
        (found.notices_oldest, f"notices not sent: {found.notices_waiting}"),
        (found.timer_latest, f"turns that should be over: {found.timers_late}"),
    ]
    late = [f"{words}, the oldest for {seconds:.0f} s" for seconds, words in waits if seconds > LONG_WAIT]
    playing = sum(found.tables.values())
    if late:
        yield failed(
            "waiting",
            "; ".join(late),
            "If no worker runs, start one: it goes on where the last one stopped. Else look into its log.",
        )
    else:
        yield passed("waiting", f"nothing has waited for long; open tables: {playing}")
    yield passed(
        "games", f"begun: {found.games_started}, with a winner: {found.games_finished}; rounds: {found.rounds_played}"
    )
    if found.backup_age is None:
        nightly = "Each night: backup-perudo.timer for a service, else perudo-bot backup FILE by cron."
        yield CheckResult("backup", None, "perudo-bot backup has not been run yet", nightly)
    elif found.backup_age > OLD_BACKUP:
        yield failed(
            "backup",
            f"the last backup is {found.backup_age / 86400:.0f} days old",
            "systemctl status backup-perudo says why.",
        )
    else:
        yield passed("backup", f"the last backup is {found.backup_age / 3600:.0f} hours old")
    if found.updates_dead:
        yield failed(
            "setaside",
            f"updates that could not be read, or failed again and again: {found.updates_dead}",
            "grep the log for 'is set aside'; the error is in that line or above. They are forgotten after a week.",
        )
