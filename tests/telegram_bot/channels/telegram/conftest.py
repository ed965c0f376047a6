import asyncio
from collections.abc import AsyncIterator

import pytest
from telegram import Bot

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi, make_bot
from tests.telegram_bot.conftest import GroupHarness


@pytest.fixture
async def telegram() -> AsyncIterator[ScriptedBotApi]:
    telegram = ScriptedBotApi()
    server = await telegram.listen()
    yield telegram
    telegram.closing.set()
    for _ in range(4):  # asyncio would never close a connection that a closed server accepts
        await asyncio.sleep(0)
    server.close()
    await server.wait_closed()
    for connection in telegram.connections:
        connection.cancel()
    await asyncio.gather(*telegram.connections, return_exceptions=True)


@pytest.fixture
async def sender(telegram: ScriptedBotApi) -> AsyncIterator[TelegramSender]:
    async with make_bot(f"http://127.0.0.1:{telegram.port}") as bot:
        yield TelegramSender(bot)
        telegram.closing.set()


@pytest.fixture
def bot(sender: TelegramSender) -> Bot:
    assert isinstance(sender.bot, Bot)
    return sender.bot


@pytest.fixture
def source(harness: GroupHarness, sender: TelegramSender, bot: Bot) -> TelegramSource:
    return TelegramSource(bot, harness.service, sender)


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    """A Bot API server that judges every request by the Bot API's schema."""
    async with running_sandbox(SandboxSettings(port=0, flood_limits=False, judge=True)) as sandbox:
        yield sandbox
        wrong = [call.schema_error for call in sandbox.world.calls.schema_failures]
        assert not wrong
