"""Two bots poll with one token: the later one gets a message and stops. An update without a number stops nobody."""

import asyncio
import re
from typing import Any, cast

import pytest
from pydantic import SecretStr
from telegram import Bot

from telegram_bot.channels.telegram import polling as module
from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.polling import MOST_REFUSALS, Polling
from telegram_bot.errors import MisconfiguredError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import PollingSettings, Settings
from telegram_sandbox import RunningSandbox
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.delivery.conftest import until

NEVER, SOON = float("inf"), 0.05


class Written:
    def __init__(self) -> None:
        self.causes: list[str] = []
        self.more = asyncio.Event()

    async def store(self, _channel: str, updates: list[tuple[str, dict[str, Any]]]) -> None:
        self.causes += [cause for cause, _ in updates]
        self.more.set()

    async def idle(self) -> None:
        """Do nothing: no update is handled here."""


def polls(bot: Bot, written: Written, probe_seconds: float, unsure_seconds: float = NEVER) -> asyncio.Task[None]:
    shorter: dict[str, Any] = {"probe_seconds": probe_seconds}  # than a whole second
    polling = Polling(bot, PollingSettings.model_construct(**shorter))
    polling.unsure_seconds = unsure_seconds
    return asyncio.create_task(polling.listen(cast("InboxWorker", written)))


def somebody_else_asks(telegram: ScriptedBotApi) -> None:
    telegram.refuse(409, "Conflict: terminated by other getUpdates request", method="getUpdates")


async def test_who_finds_another_one_polling_stops_and_takes_nothing(telegram: ScriptedBotApi, bot: Bot) -> None:
    written = Written()
    telegram.updates.append({"update_id": 7})
    somebody_else_asks(telegram)
    with pytest.raises(MisconfiguredError, match="another bot polls with this token already"):
        await polls(bot, written, probe_seconds=60)
    assert (written.causes, [params for _, params in telegram.calls if "offset" in params]) == ([], [])


async def test_who_polled_first_goes_on_and_says_so_once(
    telegram: ScriptedBotApi, bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    written = Written()
    for _ in range(2):
        somebody_else_asks(telegram)
    telegram.updates.append({"update_id": 7})
    playing = polls(bot, written, probe_seconds=0)
    await asyncio.wait_for(written.more.wait(), 60)
    assert (written.causes, playing.done()) == (["7"], False)
    assert caplog.text.count("of two bots the one that started later stops") == 1
    assert bot.token not in caplog.text
    playing.cancel()


async def test_who_looked_while_the_other_paused_stops_when_it_asks_again(telegram: ScriptedBotApi, bot: Bot) -> None:
    newcomer = polls(bot, Written(), SOON)
    await asyncio.wait_for(telegram.polled_for_long.wait(), 60)
    for _ in range(2):
        somebody_else_asks(telegram)
    with pytest.raises(MisconfiguredError, match="another bot polls with this token already"):
        await asyncio.wait_for(newcomer, 60)


async def test_the_one_that_started_a_moment_earlier_goes_on_and_the_later_one_stops(sandbox: RunningSandbox) -> None:
    first, second = (
        make_bot(Settings(token=SecretStr(sandbox.token), api_base_url=sandbox.bot_base_url)) for _ in "12"
    )
    await asyncio.gather(first.initialize(), second.initialize())
    playing = polls(first, written := Written(), SOON)
    await sandbox.user("Ana").send("/start")
    await asyncio.wait_for(written.more.wait(), 60)
    with pytest.raises(MisconfiguredError, match="This one, which came later, stops"):
        await asyncio.wait_for(polls(second, Written(), 2), 60)
    written.more.clear()
    await sandbox.user("Ana").send("/start")
    await asyncio.wait_for(written.more.wait(), 60)
    playing.cancel()
    await asyncio.gather(playing, first.shutdown(), second.shutdown(), return_exceptions=True)


async def test_of_two_that_start_together_one_goes_on(sandbox: RunningSandbox) -> None:
    bots = [make_bot(Settings(token=SecretStr(sandbox.token), api_base_url=sandbox.bot_base_url)) for _ in range(2)]
    await asyncio.gather(*(bot.initialize() for bot in bots))
    both = [polls(bot, Written(), 2) for bot in bots]
    done, left = await asyncio.wait(both, timeout=60, return_when=asyncio.FIRST_COMPLETED)
    assert (len(done), len(left)) == (1, 1)
    assert isinstance(done.pop().exception(), MisconfiguredError)
    left.pop().cancel()
    await asyncio.gather(*both, *(bot.shutdown() for bot in bots), return_exceptions=True)


async def test_a_bot_that_plays_survives_a_refusal_of_its_token_and_ends_after_many(
    telegram: ScriptedBotApi, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_BACKOFF_SECONDS", 0.001)
    written = Written()
    for _ in range(MOST_REFUSALS - 1):
        telegram.refuse(401, "Unauthorized", method="getUpdates")
    telegram.updates.append({"update_id": 7})
    playing = polls(bot, written, probe_seconds=0)
    await asyncio.wait_for(written.more.wait(), 60)
    for _ in range(MOST_REFUSALS):
        telegram.refuse(401, "Unauthorized", method="getUpdates")
    with pytest.raises(MisconfiguredError, match="does not know this token any more"):
        await asyncio.wait_for(playing, 60)


async def test_what_waits_from_before_the_start_is_taken_after_the_look(telegram: ScriptedBotApi, bot: Bot) -> None:
    written = Written()
    telegram.updates.append({"update_id": 7})
    alone = polls(bot, written, SOON)
    await asyncio.wait_for(written.more.wait(), 60)
    assert any("limit" in params for method, params in telegram.calls if method == "getUpdates")
    assert written.causes == ["7"]
    alone.cancel()


async def test_a_server_out_of_reach_is_named_with_the_cause_and_no_token(caplog: pytest.LogCaptureFixture) -> None:
    token = "123456789:AA-a-token-that-nobody-may-read-01"
    caplog.set_level("WARNING")
    for name, why in (
        (f"127.0.0.1:{free_port()}", "Connection refused"),
        ("nowhere.invalid", "(Name or service|Temporary failure|No address|nodename)"),
    ):
        bot = make_bot(Settings(token=SecretStr(token), api_base_url=f"http://{name}/bot"))
        await asyncio.gather(*(request.initialize() for request in bot._request))
        asking = polls(bot, Written(), 1)
        async with asyncio.timeout(60):
            while name not in caplog.text:  # noqa: ASYNC110 - the log has no event
                await asyncio.sleep(0.02)
        assert re.search(rf"\({re.escape(name)}: {why}[^)]*\); trying again in 1 s", caplog.text), caplog.text
        asking.cancel()
        await asyncio.gather(asking, *(request.shutdown() for request in bot._request), return_exceptions=True)
    assert token not in caplog.text


class FailsOnce(Written):
    failed = False

    async def store(self, channel: str, updates: list[tuple[str, dict[str, Any]]]) -> None:
        if not self.failed:
            self.failed = True
            raise OSError("the database is away")
        await super().store(channel, updates)


async def test_an_inline_query_is_answered_once_though_storing_fails_once(telegram: ScriptedBotApi, bot: Bot) -> None:
    written, taken = FailsOnce(), list[int]()

    class CountsQueries:
        def takes(self, update: dict[str, Any]) -> bool:
            taken.append(update["update_id"])
            return "inline_query" in update

    telegram.updates += [{"update_id": 7}, {"update_id": 8, "inline_query": {}}]
    polling = Polling(bot, PollingSettings(probe_seconds=0), cast("InlineMode", CountsQueries()))
    listening = asyncio.create_task(polling.listen(cast("InboxWorker", written)))
    await asyncio.wait_for(written.more.wait(), 60)
    await until(lambda: not telegram.updates)
    listening.cancel()
    assert (written.causes, taken) == (["7"], [7, 8])


async def test_updates_without_a_number(telegram: ScriptedBotApi, bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    written = Written()
    odd = [{"update_id": wrong} for wrong in (True, "7", None, 2**63, -1, 1.5)]
    telegram.grant({"url": "", "has_custom_certificate": False, "pending_update_count": 0})
    telegram.grant([*odd, {}, None, 3, "update", {"update_id": 5, "message": None}])
    telegram.updates.append({"update_id": 7})
    listening = polls(bot, written, probe_seconds=0)
    await until(lambda: written.causes == ["5", "7"])
    listening.cancel()
    assert "Traceback" not in caplog.text
