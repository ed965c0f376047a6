import asyncio
import time
from collections.abc import Iterator

import httpx
import pytest

from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import ApiError
from telegram_sandbox.flood_limits import FloodLimits
from telegram_sandbox.model import Chat
from telegram_sandbox.server import running_sandbox
from telegram_sandbox.settings import SandboxSettings
from tests.telegram_sandbox.conftest import Play

STRICT = SandboxSettings(chat_burst=1)


class StoppedClock(Clock):
    def now(self) -> float:
        return 1_000_000.0 + self._ahead


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def private_chats() -> Iterator[Chat]:
    return iter([Chat(number, "private") for number in range(1, 100)])


async def test_a_second_webhook_within_a_second_is_refused() -> None:
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, httpx.AsyncClient(timeout=60) as client:
        path = f"{sandbox.bot_base_url}{sandbox.token}/setWebhook"

        async def status(url: str) -> int:
            return (await client.post(path, json={"url": url})).status_code

        first, second, removal = [await status(url) for url in ("http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "")]
        sandbox.advance_clock(1)
        assert [first, second, removal, await status("http://127.0.0.1:9/b")] == [200, 429, 200, 200]


def test_the_machines_clock_may_be_set_back(private_chats: Iterator[Chat], monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    flood, chat, began = FloodLimits(STRICT, clock), next(private_chats), clock.now()
    assert abs(began - time.time()) < 1
    flood.charge(chat)
    an_hour_ago = time.time() - 3600
    monkeypatch.setattr(time, "time", lambda: an_hour_ago)
    clock.advance(1)
    flood.charge(chat)
    assert clock.now() >= began + 1


def test_thirty_a_second_in_all(clock: StoppedClock, private_chats: Iterator[Chat]) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    for _ in range(30):
        flood.charge(next(private_chats))
    with pytest.raises(ApiError, match="Too Many Requests: retry after 1"):
        flood.charge(next(private_chats))
    clock.advance(1)
    flood.charge(next(private_chats))


def test_a_chat_takes_a_short_burst_and_then_one_message_a_second(clock: StoppedClock) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    chat = Chat(1, "private")
    for _ in range(5):
        flood.charge(chat)
    with pytest.raises(ApiError, match="Too Many Requests: retry after 5"):
        flood.charge(chat)
    clock.advance(5)
    for _ in range(10):
        flood.charge(chat)
        clock.advance(1)


def test_a_group_takes_twenty_messages_a_minute(clock: StoppedClock) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    chat = Chat(-1, "supergroup")
    for _ in range(20):
        flood.charge(chat)
        clock.advance(1)
    with pytest.raises(ApiError, match="Too Many Requests: retry after 40"):
        flood.charge(chat)


def test_a_refused_call_is_not_counted(clock: StoppedClock) -> None:
    flood = FloodLimits(STRICT, clock)
    chat = Chat(1, "private")
    flood.charge(chat)
    for _ in range(5):
        with pytest.raises(ApiError):
            flood.charge(chat)
    clock.advance(1)
    flood.charge(chat)


def test_a_sender_that_keeps_to_the_limit_is_never_refused_for_jitter(clock: StoppedClock) -> None:
    flood = FloodLimits(STRICT, clock)
    chat = Chat(1, "private")
    for _ in range(100):
        flood.charge(chat)
        clock.advance(0.97)


class TestRepeatedRequestsForUpdates:
    @pytest.fixture
    def settings(self) -> SandboxSettings:
        return SandboxSettings(port=0)

    async def test_an_immediate_one_gets_one_update_only(self, play: Play) -> None:
        for text in ("/one", "/two"):
            await play.say("Ana", text)
        assert [len(await play.ok("getUpdates")) for _ in range(2)] == [2, 1]
        play.sandbox.advance_clock(0.5)
        assert len(await play.ok("getUpdates")) == 2

    async def test_one_that_would_find_nothing_waits(self, play: Play) -> None:
        assert await play.ok("getUpdates", offset=1) == []
        poll = await play.polling(play.ok("getUpdates", offset=1))
        await asyncio.sleep(0)
        assert not poll.done()
        await play.say("Ana", "/new")
        assert len(await poll) == 1
        play.sandbox.advance_clock(3)
        assert await play.ok("getUpdates", offset=10**9) == await play.ok("getUpdates", offset=10**9 + 1) == []
