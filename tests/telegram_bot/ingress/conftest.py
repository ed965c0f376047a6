import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import text
from telegram import Bot

from telegram_bot.channels.telegram.heard_notes import VoiceRecognition
from telegram_bot.channels.telegram.http_client import BotApiRequest
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.storage.models import Player
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from tests.telegram_bot.conftest import GroupHarness

Json = dict[str, Any]
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
PEOPLE = {"Ana": 101, "Bo": 102, "Cy": 103}


def written(number: int, name: str, words: str, chat: Json = GROUP) -> Json:
    sender = {"id": PEOPLE[name], "is_bot": False, "first_name": name}
    return {
        "update_id": number,
        "message": {"message_id": number, "date": int(time.time()), "chat": chat, "from": sender, "text": words},
    }


def tapped(number: int, name: str, data: str, query: str = "q") -> Json:
    message = written(5, name, "table")["message"]
    tap = {"id": query, "from": message["from"], "chat_instance": "1", "message": message, "data": data}
    return {"update_id": number, "callback_query": tap}


@asynccontextmanager
async def an_inbox(
    harness: GroupHarness, sandbox: RunningSandbox, hearing: VoiceRecognition | None = None
) -> AsyncIterator[InboxWorker]:
    async with Bot(
        sandbox.token,
        base_url=sandbox.bot_base_url,
        base_file_url=sandbox.file_base_url,
        request=BotApiRequest(16),
        get_updates_request=BotApiRequest(2),
    ) as bot:
        sender = TelegramSender(bot, Limits(0, 0, 0))
        delivery = DeliveryWorker(harness.service, {sender.name: sender})
        await delivery.stop()  # what is said in turn is not looked at here
        yield InboxWorker(harness.service, delivery.wake, [TelegramSource(bot, harness.service, sender, hearing)])


@pytest.fixture
async def inbox(harness: GroupHarness) -> AsyncIterator[InboxWorker]:
    async with (
        running_sandbox(SandboxSettings(port=0, flood_limits=False)) as sandbox,
        an_inbox(harness, sandbox) as inbox,
    ):
        yield inbox


async def arrive(inbox: InboxWorker, *updates: Json) -> None:
    await inbox.store("telegram", [(str(update["update_id"]), update) for update in updates])


def names(harness: GroupHarness) -> list[str]:
    return [seat.name for seat in harness.table().seats]


def poison(harness: GroupHarness) -> None:
    """From now on let the database refuse a player named Bo."""
    with harness.database.transaction() as session:
        session.add(Player(channel="another", address=1, name="Bo"))
        session.flush()
        session.execute(text("CREATE UNIQUE INDEX poison ON player (name)"))
