"""Two bots poll with one token, each with a database of its own: the one that came later is told so and stops."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from pydantic import SecretStr
from telegram import Bot

from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.polling import Polling
from telegram_bot.errors import MisconfiguredError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.settings import PollingSettings, Settings
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox


class Written:
    """What one bot has written down."""

    def __init__(self) -> None:
        self.causes: list[str] = []
        self.more = asyncio.Event()

    async def store(self, _channel: str, updates: list[tuple[str, dict[str, Any]]]) -> None:
        self.causes += [cause for cause, _ in updates]
        self.more.set()

    async def idle(self) -> None:
        """Nothing is acted on here."""


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    async with running_sandbox(SandboxSettings(port=0, flood_limits=False)) as sandbox:
        yield sandbox


async def a_bot(sandbox: RunningSandbox) -> Bot:
    bot = make_bot(Settings(token=SecretStr(sandbox.token), api_base_url=sandbox.bot_base_url))
    await bot.initialize()
    return bot


def polls(bot: Bot, written: Written, probe_seconds: int, unsure_seconds: float = 60) -> asyncio.Task[None]:
    polling = Polling(bot, PollingSettings(timeout_seconds=20, probe_seconds=probe_seconds))
    polling.unsure_seconds = unsure_seconds
    return asyncio.create_task(polling.listen(cast("InboxWorker", written)))


def say(sandbox: RunningSandbox) -> None:
    sandbox.world.updates.add("message", {"message_id": 1}, lives=1000, queue="a chat")


async def heard(written: Written, count: int) -> None:
    async with asyncio.timeout(20):
        while len(written.causes) < count:
            written.more.clear()
            await written.more.wait()


async def test_the_later_one_stops_and_takes_nothing_from_the_first(
    sandbox: RunningSandbox, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = Written(), Written()
    one, other = await a_bot(sandbox), await a_bot(sandbox)
    playing = polls(one, first, 1, unsure_seconds=0)
    say(sandbox)
    await heard(first, 1)
    newcomer = polls(other, second, 4)
    await asyncio.sleep(0.1)
    say(sandbox)
    with pytest.raises(MisconfiguredError, match="another bot polls with this token already"):
        await asyncio.wait_for(newcomer, 20)
    say(sandbox)
    await heard(first, 3)
    assert (len(first.causes), second.causes, playing.done()) == (3, [], False)
    assert caplog.text.count("of two bots the one that started later stops") == 1
    assert sandbox.token not in caplog.text
    playing.cancel()
    await asyncio.gather(playing, one.shutdown(), other.shutdown(), return_exceptions=True)


async def test_who_looked_while_the_other_paused_stops_when_it_asks_again(sandbox: RunningSandbox) -> None:
    written, bots = Written(), [await a_bot(sandbox), await a_bot(sandbox)]
    newcomer = polls(bots[0], Written(), 1)
    await asyncio.sleep(1.5)
    pausing = polls(bots[1], written, 0)
    with pytest.raises(MisconfiguredError, match="another bot polls with this token already"):
        await asyncio.wait_for(newcomer, 20)
    say(sandbox)
    await heard(written, 1)
    pausing.cancel()
    await asyncio.gather(pausing, *(bot.shutdown() for bot in bots), return_exceptions=True)


async def test_of_two_that_start_together_one_goes_on(sandbox: RunningSandbox) -> None:
    bots = [await a_bot(sandbox), await a_bot(sandbox)]
    both = [polls(bot, Written(), 2) for bot in bots]
    done, left = await asyncio.wait(both, timeout=5)
    assert (len(done), len(left)) == (1, 1)
    assert isinstance(done.pop().exception(), MisconfiguredError)
    left.pop().cancel()
    await asyncio.gather(*both, *(bot.shutdown() for bot in bots), return_exceptions=True)


async def test_what_waits_from_before_the_start_does_not_end_the_look_and_is_taken_after_it(
    sandbox: RunningSandbox,
) -> None:
    written, bot = Written(), await a_bot(sandbox)
    say(sandbox)
    alone = polls(bot, written, 1)
    await asyncio.sleep(0.5)
    assert written.causes == []
    await heard(written, 1)
    alone.cancel()
    await asyncio.gather(alone, bot.shutdown(), return_exceptions=True)


async def test_a_server_that_cannot_be_reached_is_named_with_the_cause_and_without_the_token(
    caplog: pytest.LogCaptureFixture, unused_tcp_port: int
) -> None:
    token = "123456789:AA-a-token-that-nobody-may-read-01"
    caplog.set_level("WARNING")
    for name, why in (
        (f"127.0.0.1:{unused_tcp_port}", "Connection refused"),
        ("nowhere.invalid", "(Name or service|Temporary failure|No address|nodename)"),
    ):
        bot = make_bot(Settings(token=SecretStr(token), api_base_url=f"http://{name}/bot"))
        await asyncio.gather(*(request.initialize() for request in bot._request))
        asking = polls(bot, Written(), 1)
        async with asyncio.timeout(20):
            while name not in caplog.text:  # noqa: ASYNC110 - the log has no event
                await asyncio.sleep(0.02)
        assert re.search(rf"\({re.escape(name)}: {why}[^)]*\); trying again in 1 s", caplog.text), caplog.text
        asking.cancel()
        await asyncio.gather(asking, *(request.shutdown() for request in bot._request), return_exceptions=True)
    assert token not in caplog.text
