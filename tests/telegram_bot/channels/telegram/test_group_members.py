"""The Mini App's person is in the group if Telegram says so, or has signed a link of the group."""

from typing import Any

import pytest

from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.storage.inbox_store import StoredUpdate
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi

GROUP, OTHER, ANA, INSTANCE = -1001, -1002, 101, "7927919"


async def tap(source: TelegramSource, number: int, chat: int = GROUP, kind: str = "supergroup") -> None:
    """Ana taps a button below a message in a chat."""
    message: dict[str, Any] = {"message_id": 5, "date": 1, "chat": {"id": chat, "type": kind, "title": "Friends"}}
    sender = {"id": ANA, "is_bot": False, "first_name": "Ana"}
    query = {"id": str(number), "from": sender, "chat_instance": INSTANCE, "data": "?", "message": message}
    update = {"update_id": number, "callback_query": query}
    await source.job_for(StoredUpdate(number, "telegram", str(number), update)).act()


@pytest.mark.parametrize(("status", "is_member"), [("member", True), ("left", False)])
async def test_telegrams_answer_counts_whatever_link_opened_the_app(
    telegram: ScriptedBotApi, source: TelegramSource, status: str, is_member: bool
) -> None:
    await tap(source, 1)
    for instance in ("", INSTANCE):
        telegram.grant({"status": status, "user": {"id": ANA, "is_bot": False, "first_name": "Ana"}})
        assert await source.is_in_group(GROUP, ANA, instance) is is_member
    assert telegram.calls[-1] == ("getChatMember", {"chat_id": GROUP, "user_id": ANA})


async def test_a_link_of_the_group_counts_where_telegram_tells_the_bot_nothing(
    telegram: ScriptedBotApi, source: TelegramSource
) -> None:
    async def is_in_group(group: int, instance: str) -> bool:
        telegram.refuse(400, "Bad Request: member list is inaccessible")
        return await source.is_in_group(group, ANA, instance)

    assert not await is_in_group(GROUP, INSTANCE), "the bot has seen no tap in the group yet"
    await tap(source, 1, ANA, "private")
    assert not await is_in_group(ANA, INSTANCE)
    await tap(source, 2)
    assert await is_in_group(GROUP, INSTANCE)
    assert not await is_in_group(GROUP, "1")
    assert not await is_in_group(GROUP, "")
    assert not await is_in_group(OTHER, INSTANCE)
