"""Write down each SQL statement of this bot process, with the function that asks for it. `scripted_bot` starts it."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from types import FrameType

    from sqlalchemy import Connection

PACKAGE: Final = str(Path(__file__).parents[1] / "telegram_bot")
NOT_NAMED: Final = ("database.py", "group_commit.py", "statements.py")
"""Files through which every statement goes."""
ENDS: Final = ("COMMIT", "ROLLBACK")


def log_statements(file: Path) -> None:
    """Write a line for each statement, commit and rollback from now on."""
    lock = threading.Lock()

    def write(what: str, connection: Connection) -> None:
        names = _callers()
        line = {"what": what, "by": names[0], "of": names[-1], "connection": id(connection.connection)}
        with lock, file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")

    @event.listens_for(Engine, "before_cursor_execute")
    def on_statement(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "SAVEPOINT", "RELEASE")):
            write(" ".join(statement.split()), connection)

    event.listen(Engine, "commit", lambda connection: write("COMMIT", connection))
    event.listen(Engine, "rollback", lambda connection: write("ROLLBACK", connection))


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
