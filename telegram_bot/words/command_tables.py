"""Writes the documents' tables of commands: `python -m telegram_bot.words.command_tables`.

Run from the project's folder, it rewrites what stands between two comments, `<!-- commands in chats -->` or
`<!-- commands by text -->`, and `<!-- end of commands -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from telegram_bot.service.commands import COMMANDS, Command, Scope, Who
from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.command_help import GUIDE_LINES, help_lines, slash_command, texted_command

ROOT: Final = Path(__file__).parents[2]
WHO: Final = {
    Who.ANYBODY: "anybody",
    Who.PLAYER: "who sits at the table",
    Who.HOST: "the host",
    Who.HOST_OR_ADMIN: "the host, or an admin of the group",
}
_HEAD: Final = ("| command | what it is for | who may |", "|---|---|---|")


def chat_table() -> str:
    """The commands of groups and private chats."""
    return _table(Scope.CHATS, slash_command, lambda command: command.help.group_menu or command.help.guide)


def text_table() -> str:
    """The commands by text message."""
    return _table(Scope.TEXT, texted_command, lambda command: command.help.guide or command.help.private_menu)


TABLES: Final[dict[str, tuple[str, Callable[[], str]]]] = {
    "README.md": ("commands in chats", chat_table),
    "docs/sms/README.md": ("commands by text", text_table),
}
"""By document: what its comment says, and what writes the table."""


def _table(scope: Scope, typed: Callable[[Command], str], key_of: Callable[[Command], str | None]) -> str:
    lines = help_lines(catalogue(ENGLISH)) | GUIDE_LINES
    rows = (
        f"| `{typed(command)}` | {lines[key]} | {WHO[command.who]} |"
        for command in COMMANDS
        if command.scope & scope and (key := key_of(command)) is not None
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


def files(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every document with a table of commands, as it should be."""
    for name, (comment, table) in TABLES.items():
        path = root / name
        yield path, with_table(path.read_text(encoding="utf-8"), comment, table())


def main() -> int:
    """Rewrite the documents that are out of date."""
    for path, text in files():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}: rewritten\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
