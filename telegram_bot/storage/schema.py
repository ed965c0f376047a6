"""Migrate the database's schema, and check whether it is up to date.

Alembic is imported only if a migration is missing: a worker then starts sooner and needs less memory.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from telegram_bot.errors import OperatorError
from telegram_bot.storage.database import connect

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from alembic.config import Config

MIGRATING = 0x7065727564
"""The key of PostgreSQL's advisory lock during a migration."""
WAYS_THROUGH: Final = {"0039": "4325aecf", "0045": "eae6e8a9"}
"""By the revision that they end with, the commits that migrate versions between 1.0.0 and 1.1.0: none was a release."""
MIGRATIONS: Final = Path(__file__).parent / "migrations"


def _config(connection: Connection) -> Config:
    from alembic.config import Config  # noqa: PLC0415 - slow to import

    config = Config(stdout=sys.stdout)  # else it writes to the one of its import, which a test may have closed
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    """Return the revision of this version's schema."""
    return _revisions()[-1]


def _revisions() -> list[str]:
    """Return the revisions that this version knows, oldest first; a migration's file begins with its number."""
    return sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _revision_of(connection: Connection) -> str | None:
    """Return the last migration that has run, or None if the database is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def migrate(url: str) -> None:
    """Run the missing migrations, without a time limit."""
    engine = connect(url)
    try:
        upgrade(engine)
    finally:
        engine.dispose()


def upgrade(engine: Engine) -> None:
    """Run the missing migrations. If several processes start at once, one runs them and the others wait.

    Raises:
        OperatorError: another version has migrated the database, see `refusal_of`; nothing is changed.
    """
    with _migrating(engine) as connection:
        if connection.dialect.name == "postgresql":  # SQLite's transactions exclude each other anyway
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": MIGRATING})
        current = _revision_of(connection)
        if refusal := refusal_of(current):
            raise OperatorError("the database belongs to {}. {}".format(*refusal))
        if current != newest():
            from alembic import command  # noqa: PLC0415 - slow to import

            command.upgrade(_config(connection), "head")


@contextmanager
def _migrating(engine: Engine) -> Iterator[Connection]:
    """Yield one transaction, without foreign key checks on SQLite: a migration may replace a table."""
    with engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            with connection.begin():
                yield connection
            return
        # SQLite ignores this pragma within a transaction, so it is set before SQLAlchemy begins one.
        driver: Any = connection.connection.dbapi_connection
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                yield connection
                if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                    raise IntegrityError(
                        "PRAGMA foreign_key_check", None, ValueError("a row refers to one that is gone")
                    )
        finally:
            driver.execute("PRAGMA foreign_keys=ON")


def refusal_of(revision: str | None) -> tuple[str, str] | None:
    """Return whose database it is and what to do, or None if this version can migrate it."""
    if revision is None or revision in _revisions():
        return None
    if revision > newest():
        return "a newer version of the bot", "Install that version, or stop the bot and put back a backup of this one"
    commits = ", then those of ".join(commit for end, commit in WAYS_THROUGH.items() if revision < end)
    return (
        "a version between 1.0.0 and 1.1.0, which was no release",
        f"Run the sources of commit {commits} with it once, then this version",
    )


def revision_of(engine: Engine) -> str | None:
    """Return the last migration that has run, or None if the database is empty."""
    with engine.connect() as connection:
        return _revision_of(connection)


def check(engine: Engine) -> None:
    """Compare the migrated database with the models.

    Raises:
        alembic.util.AutogenerateDiffsDetected: a migration is missing for a change of the models.
    """
    from alembic import command  # noqa: PLC0415 - slow to import

    with engine.begin() as connection:
        command.check(_config(connection))


def missing_from(tables: Mapping[str, Collection[str]]) -> list[str]:
    """Return the names of what the models have and these tables with their columns lack: tables, or columns."""
    from sqlmodel import SQLModel  # noqa: PLC0415

    from telegram_bot.storage import models, phone_models, statistics_models, web_models  # noqa: F401, PLC0415

    return [
        name
        for table in SQLModel.metadata.sorted_tables
        for name in (
            [f"{table.name}.{column}" for column in table.columns.keys() if column not in tables[table.name]]  # noqa: SIM118
            if table.name in tables
            else [table.name]
        )
    ]


def revise(engine: Engine, message: str) -> Path:
    """Write a migration for the changes of the models since the last migration; return its file."""
    from alembic import command  # noqa: PLC0415 - slow to import

    with engine.begin() as connection:
        number = f"{int(newest()) + 1:04}"
        command.revision(_config(connection), message, autogenerate=True, rev_id=number)
    (written,) = (MIGRATIONS / "versions").glob(f"{number}_*.py")
    return written


def require_current(engine: Engine, name: str = "the database") -> None:
    """Raise an `OperatorError` if the database is of another version."""
    revision = revision_of(engine)
    if refusal := refusal_of(revision):
        raise OperatorError("{} belongs to {}. {}".format(name, *refusal))
    if revision != newest():
        raise OperatorError(f"{name} is not up to date: perudo-bot migrate")


def is_current(engine: Engine) -> bool:
    """Return True if every migration has run."""
    return revision_of(engine) == newest()


def is_new(engine: Engine) -> bool:
    """Return True if the database is empty: no migration has ever run."""
    return revision_of(engine) is None
