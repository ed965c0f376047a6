"""Odd updates: each is served or set aside, and confirmed; people in the next updates are served in any case."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text
from telegram import Bot, User

from telegram_bot.channels.telegram import updates
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.polling import Polling
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import NAME_SECONDS, TelegramSource
from telegram_bot.delivery.limits import Limits
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.settings import PollingSettings
from telegram_bot.storage.models import InboxEntry, OutboxEntry, Player
from tests.telegram_bot.channels.telegram.scripted_bot_api import ME, ScriptedBotApi
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness

Json = dict[str, Any]
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
ANA: Json = {"id": 101, "is_bot": False, "first_name": "Ana", "language_code": "en"}
BO: Json = ANA | {"id": 102, "first_name": "Bo"}


def said(words: str, who: Json = ANA, **more: Any) -> Json:
    return {"message": {"message_id": 5, "date": 1_700_000_000, "chat": GROUP, "from": who, "text": words} | more}


def tapped(**more: Any) -> Json:
    inside = {"message_id": 5, "date": 1_700_000_000, "chat": GROUP, "from": ME}
    return {"callback_query": {"id": "q", "from": ANA, "chat_instance": "1", "message": inside, "data": "x"} | more}


@dataclass
class Post:
    """The way of updates from Telegram to the tables."""

    telegram: ScriptedBotApi
    harness: GroupHarness
    inbox: InboxWorker
    polling: Polling

    async def polled(self, *given: Json) -> None:
        """Let the bot poll these updates, and one more: /perudo of Ana, which opens a table."""
        numbered = [update | {"update_id": number} for number, update in enumerate((*given, said("/perudo")), 7)]
        self.telegram.updates += numbered
        listening = asyncio.create_task(self.polling.listen(self.inbox))
        last = numbered[-1]["update_id"]
        async with asyncio.timeout(60):
            while self.telegram.updates and self.telegram.updates[-1]["update_id"] == last:
                await asyncio.sleep(0.01)
                assert not listening.done(), listening.exception()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        await self.inbox.idle()

    def set_aside(self) -> dict[str, str | None]:
        """The errors of the updates that an operator can look at, by the update's number."""
        return {row.cause: row.error for row in self.harness.rows(InboxEntry) if row.error is not None}

    def assert_served(self) -> None:
        """Ana's command after the odd updates has opened a table, and no lane is unreadable."""
        assert [seat.name for seat in self.harness.table().seats] == ["Ana"]
        assert self.harness.unfinished() == []
        assert all(isinstance(row.lane.chat, int) for row in self.harness.rows(OutboxEntry))


@pytest.fixture
async def post(telegram: ScriptedBotApi, harness: GroupHarness, bot: Bot) -> AsyncIterator[Post]:
    inline = InlineMode(bot, harness.service)
    source = TelegramSource(bot, harness.service, TelegramSender(bot, Limits(0, 0, 0)))
    inbox = InboxWorker(harness.service, lambda _lanes: None, [source])
    polling = Polling(bot, PollingSettings(probe_seconds=0), inline)
    yield Post(telegram, harness, inbox, polling)
    await inbox.stop(1)
    await inline.close()


async def test_whatever_fails_at_one_update_the_next_ones_are_served(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    read = updates.parse_update

    def fails(update: Any, *others: Any) -> Any:
        if update.message is not None and update.message.text == "a secret word":
            raise KeyError("a secret word")
        return read(update, *others)

    monkeypatch.setattr(updates, "parse_update", fails)
    monkeypatch.setattr(
        InlineMode, "_note_posted", lambda _self, message: 1 // len(message.text.partition("secret")[2])
    )
    await post.polled(said("a secret word"))
    post.assert_served()
    assert post.set_aside() == {"7": "KeyError"}
    assert "update 7 is set aside: KeyError" in caplog.text
    assert "a secret word" not in caplog.text


ODD_IDS = (None, True, "101", 1.5, 1e300, [1], {"id": 1}, 2**63, -(2**70))
MEMBER: Json = {"status": "member", "user": ANA}


@BOTH_DATABASES
async def test_an_id_that_is_no_whole_number_is_refused_once_and_nobody_else_waits(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    changed: Json = {"chat": GROUP, "from": ANA, "date": 1, "old_chat_member": MEMBER, "new_chat_member": MEMBER}
    odd = []
    for wrong in ODD_IDS:
        chat, person = GROUP | {"id": wrong}, ANA | {"id": wrong}
        odd += [
            said("/perudo", chat=chat),
            said("/perudo", who=person),
            said("/perudo", message_id=wrong),
            said("", left_chat_member=person),
            said("", new_chat_members=[ANA, person]),
            tapped(**{"from": person}),
            tapped(message={"message_id": 1, "date": 0, "chat": chat}),
            {"my_chat_member": changed | {"chat": chat}},
            {"chat_member": changed | {"new_chat_member": MEMBER | {"user": person}}},
        ]
        if wrong is not None:
            odd += [
                said("/perudo", message_thread_id=wrong, is_topic_message=True),
                said("", migrate_to_chat_id=wrong),
                said("3x4", reply_to_message={"message_id": wrong}),
            ]
    await post.polled(*odd)
    post.assert_served()
    assert set(post.set_aside()) == {str(number) for number in range(7, 7 + len(odd))}
    lines = [record for record in caplog.records if "is set aside: UnreadableError" in record.message]
    assert len(lines) == len(odd), "one line each"
    assert {row.address for row in post.harness.rows(Player)} == {101}


async def test_an_update_without_a_number_is_passed_over(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    post.telegram.updates = []
    odd = [{"update_id": wrong, **said("/perudo")} for wrong in (True, "7", None, 2**63, -1, 1.5)]
    post.telegram.grant({"url": "", "has_custom_certificate": False, "pending_update_count": 0})
    post.telegram.grant([*odd, said("/perudo"), None, 3, "update", {"update_id": 5, "message": None}])
    await post.polled()
    post.assert_served()
    assert "Traceback" not in caplog.text


@BOTH_DATABASES
async def test_a_stored_update_that_cannot_be_read_keeps_no_other_one_from_a_new_worker(post: Post) -> None:
    stored = [said("/perudo", BO, chat=GROUP | {"id": wrong}) for wrong in ([1], {"a": 1}, True)]
    arrivals = [(str(number), update | {"update_id": number}) for number, update in enumerate(stored, 1)]
    await post.harness.service.inbox_store.store_all("telegram", [*arrivals, ("9", said("/perudo") | {"update_id": 9})])
    with post.harness.database.transaction() as session:
        session.execute(text("UPDATE inbox SET payload = '[3]' WHERE cause = '1'"))
    await post.inbox.take_over()
    post.assert_served()
    assert set(post.set_aside()) == {"1", "2", "3"}


async def test_a_renamed_bot_answers_to_its_new_name_and_asks_for_it_once_a_minute(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = post.inbox.sources["telegram"]
    assert isinstance(source, TelegramSource)
    asked = []

    async def get_me(self: Bot) -> User:
        asked.append(1)
        self._bot_user = User(424242, "Perudo", is_bot=True, username="new_name_bot")
        return self._bot_user

    monkeypatch.setattr(Bot, "get_me", get_me)
    others = [said(f"/status@some_{number}_bot", BO) for number in range(5)]
    await post.polled(*others, said("/perudo@somebody"), said("/perudo@new_name_bot"))
    post.assert_served()
    assert len(asked) == 1
    source._name_asked_at -= NAME_SECONDS
    await source.learn_name()
    assert len(asked) == 2
