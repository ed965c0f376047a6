"""The source of updates knows how a host's clock differs from Telegram's, and who is in a group; menus are set."""

from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest
from telegram import Bot, User

from telegram_bot.channels.telegram import channel as module
from telegram_bot.channels.telegram.channel import TelegramChannel
from telegram_bot.channels.telegram.source import (
    MOST_SECONDS,
    NAME_SECONDS,
    REMEMBERED_SECONDS,
    ClockOffset,
    TelegramSource,
)
from telegram_bot.settings import Settings
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.words.catalogue import LANGUAGES
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import written

Types = Callable[..., Awaitable[None]]


@pytest.fixture
def types(harness: GroupHarness, source: TelegramSource, ahead: float) -> Types:
    """People type commands, dated by Telegram's clock, from which the host's differs, so many seconds before."""
    numbers = count(1001)

    async def typed(name: str, text: str, *, before: float = 0) -> None:
        update = written(number := next(numbers), name, text)
        update["message"]["date"] = int(harness.now - ahead - before)
        await source.job_for(StoredUpdate(number, "telegram", str(number), update)).act()

    return typed


@pytest.mark.parametrize("ahead", [0.0, 10.0, -3.0])
async def test_a_quick_typed_bid_counts_whatever_the_hosts_clock_says(harness: GroupHarness, types: Types) -> None:
    await harness.game("22222", "33333")
    await types("Ana", "/bid 2 2")
    harness.now += 0.4
    await types("Bo", "/bid 3 2", before=0.1)
    harness.now += 0.4
    await types("Ana", "/bid 4 2", before=0.1)
    assert harness.table().step == 3


@pytest.mark.parametrize("ahead", [3.0, -10.0])
async def test_a_bid_that_was_typed_before_the_turn_began_does_not(harness: GroupHarness, types: Types) -> None:
    await harness.game("22222", "33333")
    await types("Ana", "/bid 2 2")
    harness.now += 60
    await harness.call("3x2")
    harness.now += 1
    await types("Ana", "/bid 4 2", before=30)
    assert harness.table().step == 2


def test_messages_that_waited_for_the_bot_are_not_taken_for_a_difference_of_clocks() -> None:
    now = 1_000_000.0
    offset = ClockOffset(lambda: now)
    assert offset.to_own_clock(now - 3600) == now - 3600 + MOST_SECONDS
    assert offset.to_own_clock(now - 0.5) == now
    assert offset.to_own_clock(now - 600) == now - 599.5
    now += REMEMBERED_SECONDS + 1
    assert offset.to_own_clock(now - 4) == now, "by now the clock may have been set"


async def test_a_renamed_bot(harness: GroupHarness, source: TelegramSource, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def get_me(self: Bot) -> User:
        asked.append(1)
        self._bot_user = User(424242, "Perudo", is_bot=True, username="new_name_bot")
        return self._bot_user

    monkeypatch.setattr(Bot, "get_me", get_me)
    said = [*(f"/status@some_{number}_bot" for number in range(5)), "/perudo@somebody", "/perudo@new_name_bot"]
    for number, words in enumerate(said):
        await source.job_for(StoredUpdate(number, "telegram", str(number), written(number, "Ana", words))).act()
    assert [seat.name for seat in harness.table().seats] == ["Ana"]
    assert len(asked) == 1
    source._name_asked_at -= NAME_SECONDS
    await source.learn_name()
    assert len(asked) == 2


GROUP, OTHER, ANA, INSTANCE = -1001, -1002, 101, "7927919"


async def tap(source: TelegramSource, number: int, chat: int = GROUP, kind: str = "supergroup") -> None:
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


async def test_a_groups_link_counts_where_telegram_is_silent(telegram: ScriptedBotApi, source: TelegramSource) -> None:
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


async def test_menus_that_are_refused_are_not_set(telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot) -> None:
    telegram.refuse(400, "Bad Request: BOT_COMMAND_INVALID")
    assert await menus_set(telegram, harness, bot) == {"all_group_chats": 1}
