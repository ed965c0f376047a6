"""The first game of a visitor who plays four phones alone, from the command that `make play` runs."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import httpx
import pytest

T = TypeVar("T")
Json = dict[str, Any]
PATIENCE_SECONDS = 120


class Visitor:
    """Someone in front of the page, who writes and taps in other people's names."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def state(self) -> Json:
        found: Json = (await self.client.get("/sandbox/state")).json()
        return found

    async def group(self) -> int:
        return next(int(chat["id"]) for chat in (await self.state())["chats"] if chat["type"] != "private")

    async def people(self) -> dict[str, int]:
        return {person["name"]: person["id"] for person in (await self.state())["people"]}

    async def say(self, name: str, text: str, chat: int) -> None:
        body = {"from": (await self.people())[name], "chat_id": chat, "text": text}
        (await self.client.post("/sandbox/messages", json=body)).raise_for_status()

    async def message(self, words: str, chat: int) -> Json:
        """Wait for a message with these words."""

        async def look() -> Json | None:
            shown = [one for one in (await self.state())["messages"] if one["chat_id"] == chat and not one["service"]]
            return next((one for one in reversed(shown) if words in (one["text"] or one["caption"] or "")), None)

        return await until(look)

    async def tap(self, name: str, label: str, chat: int) -> str | None:
        """Tap the newest button with this label; return the bot's answer."""

        async def look() -> tuple[Json, str] | None:
            for message in reversed((await self.state())["messages"]):
                for row in (message["reply_markup"] or {}).get("inline_keyboard", ()):
                    for button in row:
                        if message["chat_id"] == chat and label in button["text"]:
                            return message, button["callback_data"]
            return None

        message, data = await until(look)
        body = {
            "from": (await self.people())[name],
            "chat_id": chat,
            "data": data,
            "message_id": message["message_id"],
        }
        query = (await self.client.post("/sandbox/taps", json=body)).json()["query_id"]

        async def answer() -> Json | None:
            found: Json = (await self.client.get(f"/sandbox/taps/{query}")).json()
            return found if found["answered"] else None

        text: str | None = (await until(answer))["text"]
        return text


async def until(look: Callable[[], Awaitable[T | None]]) -> T:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (found := await look()) is None:  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.1)
    return found


@pytest.fixture
async def visitor() -> AsyncIterator[Visitor]:
    command = (sys.executable, "-m", "telegram_bot.cli", "sandbox", "--port", "0")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PERUDO_")}
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", (await process.stdout.readline()).decode())
        assert found is not None
        async with httpx.AsyncClient(base_url=found[0], timeout=60) as client:
            yield Visitor(client)
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_it_has_no_clock_a_key_of_the_page_begins_practice_and_every_call_of_the_bot_is_accepted(
    visitor: Visitor,
) -> None:
    group, people = await visitor.group(), await visitor.people()
    for name, number in people.items():
        await visitor.message(f"Hi {name}!", number)
    script, ana = (await visitor.client.get("/extensions/brand/page.js")).text, people["Ana"]
    found = re.search(r'aloneMessage: "(.+)",\s+aloneButton: "Practise alone"', script)
    assert found
    await visitor.say("Ana", found[1], ana)
    await visitor.message("How many do you want to play against", ana)
    await visitor.tap("Ana", "2", ana)

    await visitor.say("Bo", "/perudo", group)
    assert "2 minutes" not in (await visitor.message("who's in?", group))["text"]
    for name in ("Cy", "Dee"):
        assert await visitor.tap(name, "Join", group) == "You're in! Your dice come to you in private."
    await visitor.tap("Bo", "Start", group)
    for number in people.values():
        await visitor.message("Your dice", number)
    state = await visitor.state()
    assert [call for call in state["calls"] if not call["ok"] or not call["schema_ok"]] == []
