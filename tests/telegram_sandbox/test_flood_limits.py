import asyncio
import time
from typing import Any

import pytest

from telegram_sandbox import Chat, SandboxSettings
from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import ApiError
from telegram_sandbox.flood_limits import FloodLimits
from tests.telegram_sandbox.conftest import Play

STRICT = SandboxSettings(chat_burst=1)


class StoppedClock(Clock):
    def now(self) -> float:
        return 1_000_000.0 + self._ahead


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


CHAT, GROUP = Chat(1, "private"), Chat(-1, "supergroup")


def retry_after(seconds: int) -> Any:
    return pytest.raises(ApiError, match=f"Too Many Requests: retry after {seconds}")


@pytest.mark.parametrize("settings", [SandboxSettings(port=0)])
async def test_a_second_webhook_within_a_second_is_refused(play: Play) -> None:
    async def status(url: str) -> Any:
        return (await play.call("setWebhook", url=url)).get("error_code", 200)

    first, second, removal = [await status(url) for url in ("http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "")]
    play.sandbox.advance_clock(1)
    assert [first, second, removal, await status("http://127.0.0.1:9/b")] == [200, 429, 200, 200]


def test_the_machines_clock_may_be_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    flood, began = FloodLimits(STRICT, clock), clock.now()
    assert abs(began - time.time()) < 1
    flood.charge(CHAT)
    an_hour_ago = time.time() - 3600
    monkeypatch.setattr(time, "time", lambda: an_hour_ago)
    clock.advance(1)
    flood.charge(CHAT)
    assert clock.now() >= began + 1


def test_thirty_a_second_in_all(clock: StoppedClock) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    for number in range(1, 31):
        flood.charge(Chat(number, "private"))
    with retry_after(1):
        flood.charge(Chat(31, "private"))
    clock.advance(1)
    flood.charge(Chat(31, "private"))


def test_a_chat_takes_a_short_burst_and_then_one_message_a_second(clock: StoppedClock) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    for _ in range(5):
        flood.charge(CHAT)
    for _ in range(5):  # a refused call is not counted
        with retry_after(5):
            flood.charge(CHAT)
    clock.advance(5)
    for _ in range(10):
        flood.charge(CHAT)
        clock.advance(1)


def test_a_group_takes_twenty_messages_a_minute(clock: StoppedClock) -> None:
    flood = FloodLimits(SandboxSettings(), clock)
    for _ in range(20):
        flood.charge(GROUP)
        clock.advance(1)
    with retry_after(40):
        flood.charge(GROUP)


def test_a_sender_that_keeps_to_the_limit_is_never_refused_for_jitter(clock: StoppedClock) -> None:
    flood = FloodLimits(STRICT, clock)
    for _ in range(100):
        flood.charge(CHAT)
        clock.advance(0.97)


@pytest.mark.parametrize("settings", [SandboxSettings(port=0)])
async def test_a_repeated_request_for_updates_gets_one_update_only_or_waits(play: Play) -> None:
    for text in ("/one", "/two"):
        await play.say("Ana", text)
    assert [len(await play.ok("getUpdates")) for _ in range(2)] == [2, 1]
    play.sandbox.advance_clock(0.5)
    assert len(await play.updates()) == 2
    play.sandbox.advance_clock(3)
    assert await play.ok("getUpdates", offset=play.offset) == []
    poll = await play.polling(play.ok("getUpdates", offset=play.offset))
    await asyncio.sleep(0)
    assert not poll.done()
    await play.say("Ana", "/new")
    assert len(await poll) == 1
    play.sandbox.advance_clock(3)
    assert await play.ok("getUpdates", offset=10**9) == await play.ok("getUpdates", offset=10**9 + 1) == []
