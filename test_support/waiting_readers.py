"""How many readers a bot in another process still compares. Only its memory knows: it tells them in a file."""

import os
from collections.abc import Callable
from functools import wraps
from math import inf
from pathlib import Path
from typing import Any, Final

from telegram_bot.service.readers import Readers

FOLDER: Final = "TEST_WAITING_READERS"
"""The variable with the folder of this file. The file of a process that played before is removed."""
DIGITS: Final = 8


def tell_waiting_readers() -> None:
    """Write the number after each change, from when this process begins to play."""
    if not (named := os.environ.get(FOLDER)):
        return
    folder, told = Path(named), dict[str, int]()

    def tell(readers: Readers) -> None:
        if "file" in told:
            os.pwrite(told["file"], f"{len(readers.due(inf)):{DIGITS}}".encode(), 0)

    def telling(change: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(change)
        def changed(readers: Readers, *args: Any, **more: Any) -> Any:
            if change.__name__ == "load" and "file" not in told:
                folder.mkdir(exist_ok=True)
                for file in folder.iterdir():
                    file.unlink(missing_ok=True)
                told["file"] = os.open(folder / str(os.getpid()), os.O_CREAT | os.O_WRONLY)
            result = change(readers, *args, **more)
            tell(readers)
            return result

        return changed

    for change in (Readers.load, Readers.mark, Readers.mark_table, Readers.settle, Readers.forget_table):
        setattr(Readers, change.__name__, telling(change))


def waiting_readers(folder: Path) -> int:
    """Return the number that the bot of this folder has told, or 0 before it plays."""
    return sum(int(file.read_text() or 0) for file in folder.iterdir()) if folder.is_dir() else 0
