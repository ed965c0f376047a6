"""Find commands, and list those of a page."""

from typing import Final, Literal

from telegram_bot.service.command import Command, Scope
from telegram_bot.service.requests import REQUESTS

COMMANDS: Final[tuple[Command, ...]] = tuple(command for request in REQUESTS for command in request.commands)
"""In the order of the help page."""


def find_command(name: str, scope: Scope) -> Command | None:
    """The command with this name, in lower case, in one scope; None if there is none."""
    for command in COMMANDS:
        named = name == command.name or (name in command.aliases and scope in Scope.CHATS)
        if named and scope in command.scope:
            return command
    return None


def listed_on(page: Literal["group_menu", "private_menu", "help_page"]) -> list[tuple[Command, str]]:
    """The commands of a menu or of the help page, with their help keys."""
    listed = [(command, key) for command in COMMANDS if (key := getattr(command.help, page)) is not None]
    return sorted(listed, key=lambda line: not line[0].pinned) if page == "group_menu" else listed
