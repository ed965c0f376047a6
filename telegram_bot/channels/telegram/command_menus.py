"""Register the command menus with Telegram, for each scope and language."""

from __future__ import annotations

from collections.abc import Iterable

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from telegram_bot.service import commands
from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.command_help import help_lines


def group_commands(w: Catalogue) -> list[BotCommand]:
    """The commands of the menu in groups."""
    return _menu(commands.group_menu(), w)


def private_commands(w: Catalogue) -> list[BotCommand]:
    """The commands of the menu in private chats."""
    return _menu(commands.private_menu(), w)


def _menu(lines: Iterable[tuple[commands.Command, str]], w: Catalogue) -> list[BotCommand]:
    descriptions = help_lines(w)
    return [BotCommand(command.name, descriptions[key]) for command, key in lines]


async def register(bot: Bot, default: str = ENGLISH) -> None:
    """Register the menus in every language. People with another language see the default language's menus."""
    for language, code in [(default, None), *((language, language) for language in LANGUAGES)]:
        w = catalogue(language)
        await bot.set_my_commands(group_commands(w), BotCommandScopeAllGroupChats(), language_code=code)
        await bot.set_my_commands(private_commands(w), BotCommandScopeAllPrivateChats(), language_code=code)
