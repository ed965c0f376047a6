"""The start of the Telegram channel."""

from collections import Counter

import pytest
from telegram import Bot

from telegram_bot.channels.telegram import channel as module
from telegram_bot.channels.telegram.channel import TelegramChannel
from telegram_bot.settings import Settings
from telegram_bot.words.catalogue import LANGUAGES
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.conftest import GroupHarness


async def menus_set(telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot) -> Counter[str]:
    """Set the menus, and count the accepted ones by their scope."""
    await TelegramChannel(Settings(), harness.service, bot)._register_menus()
    told = [params for method, params in telegram.calls if method == "setMyCommands"]
    return Counter(params["scope"]["type"] for params in told)


async def test_each_menu_is_set_though_telegram_asks_for_a_pause_or_is_away(
    telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_BACKOFF_SECONDS", 0.001)
    monkeypatch.setattr(module, "seconds_to_wait", lambda _: 0.001)
    telegram.refuse(429, "Too Many Requests: retry after 600", retry_after=600)
    telegram.refuse(502, "Bad Gateway")
    found = await menus_set(telegram, harness, bot)
    each = 1 + len(LANGUAGES)
    assert found == {"all_group_chats": each + 2, "all_private_chats": each}


async def test_menus_that_are_refused_are_not_repeated(
    telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot
) -> None:
    telegram.refuse(400, "Bad Request: BOT_COMMAND_INVALID")
    assert await menus_set(telegram, harness, bot) == {"all_group_chats": 1}
