import asyncio
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from tests.sandbox.conftest import Play


async def hurried(play: "Play", text: str) -> None:
    path = f"/bot{play.sandbox.token}/sendMessage"
    with pytest.raises(httpx.ReadTimeout):
        await play.client.post(path, json={"chat_id": play.group, "text": text}, timeout=0.3)


async def test_the_next_calls_are_refused(play: "Play") -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="refuse", times=2, code=502, description="Bad Gateway")
    await play.ok("getMe")
    for _ in range(2):
        assert await play.refused("sendMessage", chat_id=play.group, text="x") == (502, "Bad Gateway")
    await play.send()


async def test_a_flood_wait_of_any_length(play: "Play") -> None:
    await play.act(
        "POST",
        "/faults",
        method="*",
        kind="refuse",
        code=429,
        description="Too Many Requests: retry after 35",
        retry_after=35,
    )
    await play.ok("getUpdates")
    answer = await play.call("sendMessage", chat_id=play.group, text="x")
    assert answer["parameters"] == {"retry_after": 35}


async def test_a_call_that_timed_out_was_not_made(play: "Play") -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="stall_before", seconds=1)
    await hurried(play, "never")
    await asyncio.sleep(1)
    assert (await play.state())["messages"] == []


async def test_a_call_that_timed_out_was_made_after_all(play: "Play") -> None:
    await play.act("POST", "/faults", method="sendMessage", kind="stall_after", seconds=5)
    await hurried(play, "and yet")
    assert [message["text"] for message in (await play.state())["messages"]] == ["and yet"]


async def test_faults_can_be_called_off(play: "Play") -> None:
    await play.act("POST", "/faults", method="*", kind="refuse", times=9)
    await play.act("DELETE", "/faults")
    await play.send()
    await play.act("POST", "/faults", 400, method="sendMessage", kind="explode")
