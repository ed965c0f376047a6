"""The fixtures of the pytest plugin, and the sandbox where `aiogram` is not installed."""

import sys

import httpx
import pytest

from telegram_sandbox import (
    Chat,
    PortTakenError,
    RunningSandbox,
    SandboxSettings,
    User,
    running_sandbox,
    sandbox_in_thread,
    schema,
)
from tests.telegram_sandbox.conftest import Play


async def test_without_aiogram_the_sandbox_answers_and_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "is_installed", lambda: False)
    monkeypatch.setitem(sys.modules, "aiogram", None)
    async with running_sandbox() as sandbox, httpx.AsyncClient(base_url=sandbox.url) as client:
        play = Play(sandbox, client)
        sent = await play.send(no_such_parameter=1)
        assert sent["text"] == "hello"
        assert await play.refused("sendMessage", chat_id=play.group) == (400, "Bad Request: message text is empty")
        assert len(sandbox.world.calls.schema_failures) == 1, "the refused call alone"


# The fixtures of the pytest plugin


def test_a_test_without_async(telegram_sandbox: RunningSandbox, telegram_user: User, telegram_group: Chat) -> None:
    with httpx.Client(base_url=f"{telegram_sandbox.bot_base_url}{telegram_sandbox.token}") as client:
        telegram_user.blocking.send("/start", telegram_group)
        updates = client.get("/getUpdates").json()["result"]
        assert updates[-1]["message"]["text"] == "/start"
        client.post("/sendMessage", json={"chat_id": telegram_group.id, "text": "Hello"})
        assert telegram_user.blocking.sees("Hello", telegram_group).chat_id == telegram_group.id
        assert [message.text for message in telegram_user.messages(telegram_group)][-2:] == ["/start", "Hello"]


async def test_a_test_with_async_in_another_loop(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    async with httpx.AsyncClient(base_url=f"{telegram_sandbox.bot_base_url}{telegram_sandbox.token}") as client:
        await telegram_user.send("/start")
        await client.post("/sendMessage", json={"chat_id": telegram_user.id, "text": "Hello"})
        assert (await telegram_user.sees("Hello")).text == "Hello"


async def test_waiting_inside_the_sandboxs_own_loop_is_refused(play: Play) -> None:
    with pytest.raises(RuntimeError, match="await the user's own method"):
        play.sandbox.user("Ana").blocking.send("/start")


def test_a_taken_port_fails_the_fixture_and_not_the_run() -> None:
    with sandbox_in_thread() as first:
        port = int(first.url.rpartition(":")[2])
        with pytest.raises(PortTakenError), sandbox_in_thread(SandboxSettings(port=port, demand_port=True)):
            pass
