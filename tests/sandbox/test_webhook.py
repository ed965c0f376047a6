import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from telegram_bot.sandbox.server import Server, listen
from telegram_bot.sandbox.settings import SandboxSettings

if TYPE_CHECKING:
    from tests.sandbox.conftest import Play

SECRET = "s3cret_token-for-tests"


class Hook:
    """A bot that listens."""

    def __init__(self) -> None:
        self.url = ""
        self.codes: list[int] = []
        self.got: asyncio.Queue[tuple[str | None, dict[str, Any]]] = asyncio.Queue()

    async def take(self, request: Request) -> Response:
        await self.got.put((request.headers.get("x-telegram-bot-api-secret-token"), await request.json()))
        return Response(status_code=self.codes.pop(0) if self.codes else 200)

    async def next(self) -> tuple[str | None, dict[str, Any]]:
        return await asyncio.wait_for(self.got.get(), 10)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    found = Hook()
    app = Starlette(routes=[Route("/hook", found.take, methods=["POST"])])
    listener = listen(SandboxSettings(port=0))
    found.url = f"http://127.0.0.1:{listener.getsockname()[1]}/hook"
    server = Server(uvicorn.Config(app, log_level="error", lifespan="off", ws="none", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    yield found
    server.should_exit = True
    await serving
    listener.close()


async def test_updates_are_pushed_with_the_secret_until_they_are_taken(play: "Play", hook: Hook) -> None:
    await play.say("Ana", "/one")
    hook.codes = [500]
    await play.ok("setWebhook", url=hook.url, secret_token=SECRET)
    first = await hook.next()
    assert first[0] == SECRET
    assert first[1]["message"]["text"] == "/one"
    again = await hook.next()
    assert again == first
    await play.say("Ana", "/two")
    assert (await hook.next())[1]["message"]["text"] == "/two"
    info = await play.ok("getWebhookInfo")
    assert info["url"] == hook.url
    assert info["last_error_message"] == "Wrong response from the webhook: 500 Internal Server Error"
    assert await play.refused("getUpdates") == (
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
    await play.ok("deleteWebhook")
    await play.say("Ana", "/three")
    assert [update["message"]["text"] for update in await play.updates()] == ["/three"]
    assert hook.got.empty()


async def test_a_webhook_ends_the_poll_that_waits(play: "Play", hook: Hook) -> None:
    poll = asyncio.create_task(play.refused("getUpdates", timeout=10))
    await asyncio.sleep(0.2)
    await play.ok("setWebhook", url=hook.url, allowed_updates=["message"])
    assert (await asyncio.wait_for(poll, 5))[0] == 409
    assert (await play.ok("getWebhookInfo"))["allowed_updates"] == ["message"]
    await play.ok("setWebhook", url="", drop_pending_updates=True)
    assert await play.updates() == []


async def test_nobody_listens(play: "Play") -> None:
    await play.ok("setWebhook", url="http://127.0.0.1:1/hook")
    await play.say("Ana", "/one")
    for _ in range(100):
        info = await play.ok("getWebhookInfo")
        if "last_error_message" in info:
            break
        await asyncio.sleep(0.05)
    assert info["last_error_message"].startswith("Connection failed")
    assert info["pending_update_count"] == 1


@pytest.mark.parametrize(
    ("params", "refusal"),
    [
        ({"url": "http://example.org"}, "bad webhook: An HTTPS URL must be provided for webhook"),
        (
            {"url": "https://example.org:8080"},
            "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443",
        ),
        ({"url": "https://example.org"}, "bad webhook: this sandbox delivers to this machine only"),
        ({"url": "hook"}, "bad webhook: invalid webhook URL specified"),
        ({"url": "http://[x"}, "bad webhook: invalid webhook URL specified"),
        ({"url": "http://127.0.0.1/h", "secret_token": "no spaces"}, "secret token contains unallowed characters"),
    ],
)
async def test_addresses_are_refused(play: "Play", params: dict[str, Any], refusal: str) -> None:
    assert await play.refused("setWebhook", **params) == (400, f"Bad Request: {refusal}")
