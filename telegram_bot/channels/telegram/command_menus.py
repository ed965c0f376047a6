"""The command menus, per scope and language."""

from __future__ import annotations

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue


def group_commands(w: Catalogue) -> list[BotCommand]:
    """What people can ask for in a group."""
    return [
        BotCommand("perudo", w.say("open a table, or bring it back down")),
        BotCommand("bid", w.say("bid in words: /bid 5 4")),
        BotCommand("dice", w.say("see your dice")),
        BotCommand("status", w.say("bring the table back down")),
        BotCommand("rules", w.say("this table's rules in words")),
        BotCommand("settings", w.say("how you see your dice, and the language")),
        BotCommand("leave", w.say("leave the table")),
        BotCommand("stop", w.say("close the table (host or admin)")),
        BotCommand("help", w.say("how to play")),
    ]


def private_commands(w: Catalogue) -> list[BotCommand]:
    """What people can ask for in a private chat."""
    return [
        BotCommand("dice", w.say("see your dice")),
        BotCommand("bid", w.say("bid in words: /bid 5 4")),
        BotCommand("status", w.say("how your table stands")),
        BotCommand("rules", w.say("your table's rules in words")),
        BotCommand("settings", w.say("how you see your dice, and the language")),
        BotCommand("leave", w.say("leave the table")),
        BotCommand("help", w.say("how to play")),
    ]


async def register(bot: Bot, default: str = ENGLISH) -> None:
    """Show the menus in every language there is; the default one is everybody else's as well."""
    for language, code in [(default, None), *((language, language) for language in LANGUAGES)]:
        w = catalogue(language)
        await bot.set_my_commands(group_commands(w), BotCommandScopeAllGroupChats(), language_code=code)
        await bot.set_my_commands(private_commands(w), BotCommandScopeAllPrivateChats(), language_code=code)
