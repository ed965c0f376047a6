import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, TypeVar

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from telegram_sandbox import Chat, ControlError, RunningSandbox, SandboxSettings, User, running_sandbox
from telegram_sandbox.model import BotStatus
from test_support.page_weight import serving
from tests.telegram_sandbox.browsing import PAGE, Bot

T = TypeVar("T")
LENIENT = re.compile("unknown fields|Field required")
"""Mistakes that Telegram forgives, and the schema does not."""
Case = str | tuple[dict[str, Any], str]
CODES = {"Bad Request": 400, "Forbidden": 403, "Conflict": 409}


class Play(Bot):
    @property
    def chat(self) -> Chat:
        return self.sandbox.world.chats[self.group]

    def id(self, name: str) -> int:
        return self.sandbox.people[name]

    def user(self, name: str) -> User:
        return self.sandbox.user(name)

    def bot_is(self, status: BotStatus, chat: Chat | None = None, rights: Sequence[str] | None = None) -> None:
        self.sandbox.set_bot_status(chat or self.chat, status, rights)

    async def refused(self, method: str, **params: Any) -> tuple[int, str]:
        body = await self.call(method, **params)
        assert not body["ok"], body
        return body["error_code"], body["description"]

    async def refuses(self, method: str, *cases: Case, kind: Any = "Bad Request", **always: Any) -> None:
        """Each of these requests is refused with these words, one without parameters of its own for `always` alone.

        A parameter that is None is left out.
        """
        rows = [({}, case) if isinstance(case, str) else case for case in cases]
        sent = [{**always, **params}.items() for params, _ in rows]
        heard = [await self.refused(method, **{k: v for k, v in each if v is not None}) for each in sent]
        assert heard == [(CODES[kind], f"{kind}: {words}") for _, words in rows]

    async def file(self, file_id: str) -> bytes:
        path = (await self.ok("getFile", file_id=file_id))["file_path"]
        return (await self.client.get(f"/file/bot{self.sandbox.token}/{path}")).content

    async def polling(self, poll: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        updates = self.sandbox.world.updates
        before = updates._reader
        task = asyncio.create_task(poll)
        while updates._reader == before:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.01)
        return task

    async def send(self, text: str = "hello", chat: int | None = None, **params: Any) -> dict[str, Any]:
        sent: dict[str, Any] = await self.ok("sendMessage", chat_id=chat or self.group, text=text, **params)
        return sent

    async def updates(self) -> list[dict[str, Any]]:
        """The updates since the last call of this method."""
        found: list[dict[str, Any]] = await self.ok("getUpdates", offset=self.offset)
        if found:
            self.offset = found[-1]["update_id"] + 1
        return found

    async def heard(self, kind: str = "message") -> Any:
        """The last update since the last look, of this kind."""
        return (await self.updates())[-1][kind]

    async def act(self, verb: str, path: str, code: int = 200, /, **body: Any) -> Any:
        answer = await self.client.request(verb, f"/sandbox{path}", json=body)
        assert answer.status_code == code, (path, body, answer.text)
        return answer.json()

    async def say(self, name: str, text: str, chat: int | None = None, **more: Any) -> dict[str, Any]:
        body = {"from": self.id(name), "chat_id": chat or self.group, "text": text, **more}
        said: dict[str, Any] = await self.act("POST", "/messages", **body)
        return said

    async def start(self, name: str, payload: str = "") -> User:
        await self.say(name, f"/start {payload}".strip(), self.id(name))
        return self.user(name)

    async def tap(self, name: str, message: dict[str, Any], data: str, **more: Any) -> str:
        where = (
            {"ephemeral_message_id": message["ephemeral_message_id"]}
            if message.get("ephemeral_message_id")
            else {"message_id": message["message_id"]}
        )
        body = {"from": self.id(name), "chat_id": message["chat"]["id"], "data": data, **where, **more}
        return str((await self.act("POST", "/taps", **body))["query_id"])

    async def pass_time(self, seconds: float) -> None:
        await self.act("POST", "/clock", seconds=seconds)

    async def state(self) -> dict[str, Any]:
        found: dict[str, Any] = (await self.client.get("/sandbox/state")).json()
        return found

    async def seen(self, message_id: int, chat: int | None = None) -> dict[str, Any]:
        messages = (await self.state())["messages"]
        return next(m for m in messages if m["chat_id"] == (chat or self.group) and m["message_id"] == message_id)


def listening(take: Callable[[Request], Awaitable[Response]]) -> AbstractAsyncContextManager[str]:
    """A server that hands every request to this function; yields its address."""
    return serving(Starlette(routes=[Route("/{rest:path}", take, methods=["GET", "POST"])]))


async def cannot(act: Awaitable[Any], words: str) -> None:
    """The sandbox lets nobody do this, and says why in words of this pattern."""
    with pytest.raises(ControlError, match=words):
        await act


async def in_vain(wait: Awaitable[Any], words: str) -> None:
    """A person waits in vain, and reads words of this pattern."""
    with pytest.raises(AssertionError, match=words):
        await wait


def keyboard(*rows: list[tuple[str, str]]) -> dict[str, Any]:
    return {"inline_keyboard": [[{"text": text, "callback_data": data} for text, data in row] for row in rows]}


def set_by(request: pytest.FixtureRequest, **usual: Any) -> SandboxSettings:
    """A sandbox without flood limits, for which most tests would only wait, with a file's own `SETTINGS`."""
    return SandboxSettings(port=0, flood_limits=False, **usual | getattr(request.module, "SETTINGS", {}))


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> SandboxSettings:
    return set_by(request)


@pytest.fixture
async def play(settings: SandboxSettings) -> AsyncIterator[Play]:
    async with (
        running_sandbox(replace(settings, judge=True)) as sandbox,
        httpx.AsyncClient(base_url=sandbox.url, timeout=60) as client,
    ):
        yield Play(sandbox, client)
        told = [(call, str(call.schema_error)) for call in sandbox.world.calls.schema_failures]
        wrong = [call for call, why in told if why.startswith("sandbox") or (call.ok and not LENIENT.search(why))]
        assert not wrong, wrong


@pytest.fixture
def page_settings(request: pytest.FixtureRequest) -> SandboxSettings:
    return set_by(request, page=PAGE)


@pytest_asyncio.fixture(loop_scope="session")
async def sandbox(page_settings: SandboxSettings) -> AsyncIterator[RunningSandbox]:
    async with running_sandbox(page_settings) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def bot(sandbox: RunningSandbox) -> AsyncIterator[Bot]:
    async with httpx.AsyncClient(timeout=60) as client:
        yield Bot(sandbox, client)


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, sandbox: RunningSandbox) -> AsyncIterator[Page]:
    """The page on a wide screen, in a context of its own; an error in the browser's console fails the test."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    mistakes: list[str] = []
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.on("console", lambda line: mistakes.append(line.text) if line.type == "error" else None)
    await page.goto(sandbox.url)
    await page.get_by_role("region", name="Ana's phone").wait_for()
    yield page
    await page.close()
    assert mistakes == []
