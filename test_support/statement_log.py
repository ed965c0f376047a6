"""Write down each SQL statement of this bot process, with the function that asks for it, and read that log.

`scripted_bot` begins the log in the bot's process; a test reads it.
"""

import json
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

from sqlalchemy import Connection, Engine, event

PACKAGE: Final = str(Path(__file__).parents[1] / "telegram_bot")
NOT_NAMED: Final = ("database.py", "group_commit.py", "statements.py")
"""Files through which every statement goes."""
COMMIT, ROLLBACK, SAVEPOINT = "COMMIT", "ROLLBACK", "SAVEPOINT"


@dataclass(frozen=True, slots=True)
class LoggedStatement:
    """A statement, the function that asks for it, and the function that its transaction serves."""

    sql: str
    by: str
    transaction: str
    connection: int


@dataclass(slots=True)
class LoggedCommit:
    """The statements of each transaction that reached the disk together."""

    transactions: list[list[LoggedStatement]] = field(default_factory=list)


def log_statements(file: Path) -> None:
    """Write a line for each statement, commit and rollback from now on."""
    lock = threading.Lock()

    def write(sql: str, connection: Connection) -> None:
        names = _callers()
        line = [sql, names[0], names[-1], id(connection.connection.dbapi_connection)]
        with lock, file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")

    @event.listens_for(Engine, "before_cursor_execute")
    def on_statement(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "RELEASE")):
            write(SAVEPOINT if statement.startswith(SAVEPOINT) else " ".join(statement.split()), connection)

    event.listen(Engine, "commit", lambda connection: write(COMMIT, connection))
    event.listen(Engine, "rollback", lambda connection: write(ROLLBACK, connection))


def _callers() -> list[str]:
    """The bot's functions on the stack, the innermost first."""
    found = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE) and not code.co_filename.endswith(NOT_NAMED):
            found.append(code.co_qualname.replace(".<locals>", "").replace(".<lambda>", ""))
        frame = frame.f_back
    return found or ["?"]


def read_log(lines: Iterable[str], *, without: frozenset[str]) -> list[LoggedCommit]:
    """The commits of a log, without transactions that serve the functions `without`."""
    commits: list[LoggedCommit] = []
    open_ones: dict[int, LoggedCommit] = {}
    for line in lines:
        one = LoggedStatement(*json.loads(line))
        begun = open_ones.setdefault(one.connection, LoggedCommit())
        if one.sql in (COMMIT, ROLLBACK):
            commits.append(open_ones.pop(one.connection))
        elif one.sql == SAVEPOINT or not begun.transactions:
            begun.transactions.append([] if one.sql == SAVEPOINT else [one])
        else:
            begun.transactions[-1].append(one)
    for commit in commits:
        commit.transactions = [each for each in commit.transactions if each and each[0].transaction not in without]
    return [commit for commit in commits if commit.transactions]
