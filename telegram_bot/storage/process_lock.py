"""Let one process at a time work with a SQLite database; a second one that stands by needs PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import make_url

from telegram_bot.errors import MisconfiguredError, OperatorError

LOCK_TIMEOUT_SECONDS: Final = 5.0
"""How long to wait for another worker that is stopping."""


@contextmanager
def single_process_lock(url: str) -> Iterator[None]:
    """Lock a SQLite database against other processes for the length of a `with`; do nothing for PostgreSQL.

    The lock is on a small file next to the database, so the operating system releases it when the process dies.

    Raises:
        OperatorError: another process uses the database, or its disk has no locks.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database in {None, "", ":memory:"}:
        yield
        return
    file = Path(str(parsed.database))
    file.parent.mkdir(parents=True, exist_ok=True)
    lock: sqlite3.Connection | None = None
    try:
        try:
            lock = sqlite3.connect(f"{file}.lock", timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None)
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise OperatorError(_refusal(file, error)) from error
        yield
    finally:
        if lock is not None:
            lock.close()


def _refusal(file: Path, error: sqlite3.OperationalError) -> str:
    if "locked" in str(error):
        require_locks(file.parent)
        second = "a second one that stands by needs PostgreSQL, which database_url names"
        return f"another perudo-bot works with {file}. Stop it first; {second}"
    return f"{file}.lock cannot be used ({error}): may this user write there?"


def require_locks(folder: Path) -> None:
    """Refuse a disk on which SQLite cannot lock a new file: it says of every file there that another process has it.

    Raises:
        MisconfiguredError: it cannot.
    """
    with TemporaryDirectory(prefix=".perudo-", dir=folder) as new:
        try:
            with closing(sqlite3.connect(Path(new, "lock"), timeout=0, isolation_level=None)) as file:
                file.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            cure = "put the database on a disk of this machine, or use PostgreSQL, which database_url names"
            raise MisconfiguredError(f"the disk of {folder} locks no files, as many network disks: {cure}") from None
