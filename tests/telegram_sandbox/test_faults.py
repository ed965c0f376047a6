import asyncio
import time
from typing import Any

import httpx
import pytest

from telegram_sandbox import Chat, SandboxSettings
from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import ApiError
from telegram_sandbox.flood_limits import FloodLimits
from tests.telegram_sandbox.conftest import Play, keyboard


async def send_in_vain(play: Play, text: str) -> None:
    path = f"/bot{play.sandbox.token}/sendMessage"
    with pytest.raises((httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError)):
        await play.client.post(path, json={"chat_id": play.group, "text": text}, timeout=httpx.Timeout(60, read=0.3))


async def shown(play: Play) -> list[str]:
    return [message["text"] for message in (await play.state())["messages"]]


async def test_the_next_calls_of_one_method_or_chat_are_refused_in_their_words_or_for_any_time(play: Play) -> None:
    for code, words in ((500, "Internal Server Error"), (502, "Bad Gateway"), (504, "Gateway Timeout")):
        await play.act("POST", "/faults", method="sendMessage", kind="refuse", times=2, code=code)
        await play.ok("getMe")
        for _ in range(2):
            assert await play.refused("sendMessage", chat_id=play.group, text="x") == (code, words)
    await play.start("Ana")
    await play.act("POST", "/faults", method="sendMessage", chat_id=play.group, kind="refuse", code=500)
    await play.send(chat=play.id("Ana"))
    assert (await play.refused("sendMessage", chat_id=play.group, text="x"))[0] == 500
    await play.send()
    await play.act("POST", "/faults", kind="refuse", code=429, retry_after=35)
    await play.ok("getUpdates")
    answer = await play.client.post(f"/bot{play.sandbox.token}/sendMessage", json={"chat_id": play.group, "text": "x"})
    assert answer.json()["description"] == "Too Many Requests: retry after 35"
    assert (answer.json()["parameters"], answer.headers["Retry-After"]) == ({"retry_after": 35}, "35")


async def test_a_call_that_timed_out_or_was_cut_off_before_was_not_made_and_afterwards_was(play: Play) -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="stall_before", seconds=1)
    await send_in_vain(play, "never")
    await asyncio.sleep(1)
    await play.act("POST", "/faults", method="sendMessage", kind="reset_before")
    await send_in_vain(play, "never")
    assert await shown(play) == []
    await play.send("again")
    await play.act("POST", "/faults", method="sendMessage", kind="stall_after", seconds=5)
    await send_in_vain(play, "and yet")
    await play.act("POST", "/faults", method="sendMessage", kind="reset_after")
    await send_in_vain(play, "it moves")
    assert await shown(play) == ["again", "and yet", "it moves"]
    assert play.sandbox.world.calls.named("sendMessage")[-1].ok, "it is in the list of calls"
    loop = asyncio.get_running_loop()
    began = loop.time()
    await play.act("POST", "/faults", method="sendMessage", kind="stall_after", seconds=0.3)
    await play.send("slowly")
    assert loop.time() - began >= 0.3


async def test_a_message_for_one_member_that_never_arrives(play: Play) -> None:
    play.bot_is("administrator")
    await play.act("POST", "/faults", kind="lose", method="sendMessage")
    await play.send("for everyone")
    alone: dict[str, Any] = {"receiver_user_id": play.id("Bo"), "reply_markup": keyboard([("Vote", "vote")])}
    assert (await play.send("your card", **alone))["ephemeral_message_id"] == 1
    assert await shown(play) == ["for everyone"]
    where = {"chat_id": play.group, "receiver_user_id": play.id("Bo"), "ephemeral_message_id": 1}
    await play.ok("editEphemeralMessageText", text="your card!", **where)
    body = {"from": play.id("Bo"), "chat_id": play.group, "data": "vote", "ephemeral_message_id": 1}
    await play.act("POST", "/taps", 400, **body)
    await play.send("your card again", **alone)
    assert await shown(play) == ["for everyone", "your card again"]


async def test_chance_can_be_repeated(play: Play) -> None:
    async def evening() -> list[bool]:
        await play.act("POST", "/faults", kind="refuse", method="getMe", times=None, probability=0.5, seed=3)
        found = [(await play.call("getMe"))["ok"] for _ in range(30)]
        await play.act("DELETE", "/faults")
        return found

    first = await evening()
    assert 5 < first.count(True) < 25
    assert await evening() == first


async def test_orders_are_listed_and_called_off_and_nonsense_is_refused(play: Play) -> None:
    await play.act("POST", "/faults", kind="refuse", times=9)
    second = await play.act("POST", "/faults", kind="refuse", method="getMe", times=None)
    await play.refused("getMe")
    waiting = (await play.act("GET", "/faults"))["faults"]
    assert [(order["left"], order["applied"]) for order in waiting] == [(8, 1), (None, 0)]
    await play.act("DELETE", f"/faults/{second['number']}")
    await play.act("DELETE", f"/faults/{second['number']}", 404)
    await play.act("DELETE", "/faults")
    await play.send()
    refusals: list[dict[str, Any]] = [{"code": 200}, {"code": 500, "retry_after": 5}, {"seconds": 5}, {"times": 0}]
    refusals += [{"probability": 0}, {"no": 1}, {"kind": "stall_after", "seconds": -1}]
    refusals += [{"kind": "explode"}, {"kind": None}]
    for order in ({"kind": "refuse"} | each for each in refusals):
        await play.act("POST", "/faults", 400, **order)
    await play.ok("getMe")


STRICT = SandboxSettings(chat_burst=1)


class StoppedClock(Clock):
    def now(self) -> float:
        return 1_000_000.0 + self._ahead


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
    assert abs(began - time.time()) < 60
    flood.charge(CHAT)
    an_hour_ago = time.time() - 3600
    monkeypatch.setattr(time, "time", lambda: an_hour_ago)
    clock.advance(1)
    flood.charge(CHAT)
    assert clock.now() >= began + 1


def test_thirty_messages_a_second_in_all_and_twenty_a_minute_in_a_group() -> None:
    flood = FloodLimits(SandboxSettings(), clock := StoppedClock())
    for number in range(1, 31):
        flood.charge(Chat(number, "private"))
    with retry_after(1):
        flood.charge(Chat(31, "private"))
    clock.advance(1)
    flood.charge(Chat(31, "private"))
    flood = FloodLimits(SandboxSettings(), clock)
    for _ in range(20):
        flood.charge(GROUP)
        clock.advance(1)
    with retry_after(40):
        flood.charge(GROUP)


def test_a_chat_takes_a_short_burst_and_then_one_message_a_second() -> None:
    flood = FloodLimits(SandboxSettings(), clock := StoppedClock())
    for _ in range(5):
        flood.charge(CHAT)
    for _ in range(5):  # a refused call is not counted
        with retry_after(5):
            flood.charge(CHAT)
    clock.advance(5)
    for _ in range(10):
        flood.charge(CHAT)
        clock.advance(1)


def test_a_sender_that_keeps_to_the_limit_is_never_refused_for_jitter() -> None:
    flood = FloodLimits(STRICT, clock := StoppedClock())
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
