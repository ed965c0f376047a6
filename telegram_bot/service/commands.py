"""Find commands, and list those of a page."""

from typing import Literal

from telegram_bot.intents.request import Command, Scope
from telegram_bot.service.requests import REQUESTS


def commands(scope: Scope = Scope.EVERYWHERE) -> tuple[Command, ...]:
    """Return the commands of a scope, in the order of the help page."""
    everywhere = (command for forms in REQUESTS.values() for command in forms.commands)
    return tuple(command for command in everywhere if command.scope & scope)


def find_command(name: str, scope: Scope) -> Command | None:
    """Return the command with this name, in lower case, in one scope, or None if there is none."""
    for command in commands(scope):
        if name == command.name or (name in command.aliases and scope in Scope.CHATS):
            return command
    return None


def listed_on(page: Literal["group_menu", "private_menu"]) -> list[tuple[Command, str]]:
    """Return the commands of a menu, with their lines in English."""
    return [(command, line) for command in commands() if (line := getattr(command.help, page)) is not None]
