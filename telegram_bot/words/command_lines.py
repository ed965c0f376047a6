"""The commands as the help page and the answer to HELP by text message list them."""

from typing import Final, NamedTuple

from telegram_bot.registry import Registry


class CommandLine(NamedTuple):
    """One command in a list."""

    typed: str
    """As people type it in a chat: `/bid 5 4`."""
    line: str | None
    """Its line on the help page, in English, or None if that does not list it."""
    in_phone_help: bool


COMMAND_LINES: Final = Registry[str, CommandLine]("the commands in lists")
"""By the command's name, in the order of the help page."""
