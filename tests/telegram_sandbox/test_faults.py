import asyncio
from typing import Any

import httpx
import pytest

from tests.telegram_sandbox.conftest import Play, keyboard


async def send_in_vain(play: Play, text: str) -> None:
    """Send a message to which no answer follows."""
    path = f"/bot{play.sandbox.token}/sendMessage"
    with pytest.raises((httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError)):
        await play.client.post(path, json={"chat_id": play.group, "text": text}, timeout=httpx.Timeout(60, read=0.3))


async def shown(play: Play) -> list[str]:
    return [message["text"] for message in (await play.state())["messages"]]


async def test_the_next_calls_of_one_method_or_chat_are_refused_in_the_words_of_their_code(play: Play) -> None:
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


async def test_a_flood_wait_of_any_length(play: Play) -> None:
    await play.act("POST", "/faults", kind="refuse", code=429, retry_after=35)
    await play.ok("getUpdates")
    answer = await play.client.post(f"/bot{play.sandbox.token}/sendMessage", json={"chat_id": play.group, "text": "x"})
    assert answer.json()["description"] == "Too Many Requests: retry after 35"
    assert (answer.json()["parameters"], answer.headers["Retry-After"]) == ({"retry_after": 35}, "35")


async def test_a_call_that_timed_out_or_was_cut_off_before_was_not_made(play: Play) -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="stall_before", seconds=1)
    await send_in_vain(play, "never")
    await asyncio.sleep(1)
    await play.act("POST", "/faults", method="sendMessage", kind="reset_before")
    await send_in_vain(play, "never")
    assert await shown(play) == []
    await play.send("again")


async def test_a_call_that_timed_out_or_was_cut_off_afterwards_was_made_after_all(play: Play) -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="stall_after", seconds=5)
    await send_in_vain(play, "and yet")
    await play.act("POST", "/faults", method="sendMessage", kind="reset_after")
    await send_in_vain(play, "it moves")
    assert await shown(play) == ["and yet", "it moves"]
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
    refusals += [
        {"probability": 0},
        {"no": 1},
        {"kind": "explode"},
        {"kind": "stall_after", "seconds": -1},
        {"kind": None},
    ]
    for order in ({"kind": "refuse"} | each for each in refusals):
        await play.act("POST", "/faults", 400, **order)
    await play.ok("getMe")
