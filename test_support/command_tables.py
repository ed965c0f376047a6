"""`python -m test_support.command_tables` writes the documents' tables of commands.

A table is between two comments, `<!-- commands in chats -->` or `<!-- commands by text -->`, and
`<!-- end of commands -->`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.service.command import Command, Scope, Who, slash_command, texted_command
from telegram_bot.service.commands import commands

WHO: Final = {
    Who.ANYBODY: "anybody",
    Who.PLAYER: "players at the table",
    Who.HOST: "the host",
    Who.HOST_OR_ADMIN: "the host, or an admin of the group",
}
_HEAD: Final = ("| command | use | for |", "|---|---|---|")


def chat_table() -> str:
    """The commands of groups and private chats."""
    return _table(Scope.CHATS, slash_command, lambda command: command.help.group_menu or command.help.guide)


def text_table() -> str:
    """The commands by text message."""
    return _table(Scope.TEXT, texted_command, lambda command: command.help.guide or command.help.private_menu)


TABLES: Final[dict[str, tuple[str, Callable[[], str]]]] = {
    "docs/playing.md": ("commands in chats", chat_table),
    "docs/sms/README.md": ("commands by text", text_table),
}
"""By document: the text of its comment, and the function that writes the table."""


def _table(scope: Scope, typed: Callable[[Command], str], line_of: Callable[[Command], str | None]) -> str:
    rows = (
        f"| `{typed(command)}` | {line} | {WHO[command.who]} |"
        for command in commands(scope)
        if (line := line_of(command)) is not None
    )
    return "\n".join((*_HEAD, *rows))


def with_table(document: str, comment: str, table: str) -> str:
    """A document with the table between its two comments.

    Raises:
        ValueError: the document has no such comments, or several.
    """
    begin, end = f"<!-- {comment} -->", "<!-- end of commands -->"
    between = re.compile(f"(?<={re.escape(begin)}\n).*?(?={re.escape(end)})", re.DOTALL)
    written, found = between.subn(lambda _: f"{table}\n", document)
    if found != 1:
        raise ValueError(f"{begin} … {end} stands there {found} times")
    return written


def files(root: Path) -> Iterator[tuple[Path, str]]:
    """Every document with a table of commands, as it should be."""
    for name, (comment, table) in TABLES.items():
        path = root / name
        yield path, with_table(path.read_text(encoding="utf-8"), comment, table())


def main() -> int:
    """Rewrite the documents that are out of date, and print which."""
    install(FEATURES)
    for path, text in files(Path()):
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
