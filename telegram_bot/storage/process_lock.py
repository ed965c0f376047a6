"""Let one process at a time work with a SQLite database; several workers need PostgreSQL."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from telegram_bot.errors import OperatorError

LOCK_TIMEOUT_SECONDS: Final = 5.0
"""How long to wait for another worker that is stopping."""


@contextmanager
def single_process_lock(url: str) -> Iterator[None]:
    """Lock a SQLite database against other processes for the length of a `with`; do nothing for PostgreSQL.

    The lock is on a small file next to the database, so the operating system releases it when the process dies.

    Raises:
        OperatorError: another process uses the database.
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
        several = "several workers at once need PostgreSQL, which database_url names"
        return f"another perudo-bot works with {file}. Stop it first; {several}"
    return f"{file}.lock cannot be used ({error}): may this user write there?"
