"""The checks of `perudo-bot doctor` for a webhook: its real receiver, the sandbox as Telegram, and its faults."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.operations.doctor import CheckResult, telegram
from telegram_bot.operations.web_server import WebServer
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import WebSettings
from telegram_sandbox import RunningSandbox, running_sandbox
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.operations.test_doctor import diagnosis, settings_for

PUBLIC = "https://bot.example.org/telegram"
TOKEN = "123456789:AA-a-token-for-the-example-only-0123"


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    async with running_sandbox() as running:
        yield running


def settings_at(sandbox: RunningSandbox, folder: Path, url: str, **more: Any) -> Settings:
    return settings_for(sandbox, folder, webhook={"url": url}, **more)


@asynccontextmanager
async def bot_at(harness: GroupHarness, settings: Settings, port: int) -> AsyncIterator[None]:
    """The bot's web server with its webhook, of which it has told Telegram."""
    async with make_bot(settings) as bot:
        inline, secret = InlineMode(bot, harness.service), settings.webhook_secret()
        webhook = WebhookReceiver(bot, harness.service, settings.webhook, secret, inline)
        routes = webhook.routes(InboxWorker(harness.service, lambda _lanes: None, []))
        server = WebServer("127.0.0.1", port, routes, {})
        await server.start()
        await webhook._look()
        yield
        await server.stop()


async def test_a_bot_that_is_reached_and_asks_for_its_secret(
    harness: GroupHarness,
    sandbox: RunningSandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    port = free_port()
    url = f"http://127.0.0.1:{port}/telegram"
    before = await diagnosis(settings_at(sandbox, tmp_path, url))
    assert (before["webhook"].ok, before["webhook"].mend) == (False, "Start the bot: it tells Telegram.")
    assert before["reach"].ok is None
    assert before["reach"].mend.startswith("Does the proxy run")
    async with bot_at(harness, settings_at(sandbox, tmp_path, url), port):
        found = await diagnosis(settings_at(sandbox, tmp_path, url))
        assert [check for check, finding in found.items() if not finding.ok] == ["backup"], found
        assert found["webhook"].says.startswith(f"Telegram delivers to 127.0.0.1:{port}")
        assert found["reach"].says == f"the bot answers at 127.0.0.1:{port}, and asks for the secret"
        settings = settings_at(sandbox, tmp_path, url, web={"port": port})
        (own,) = await telegram.examine_port(settings)
        assert (own.ok, own.says) == (True, f"the bot listens on 127.0.0.1, port {port}")
        elsewhere = await diagnosis(settings_at(sandbox, tmp_path, f"http://127.0.0.1:{port}/other"))
        assert elsewhere["webhook"].says == f"Telegram delivers to another address, at 127.0.0.1:{port}"
        says = f"127.0.0.1:{port} answers 404 instead of the bot"
        assert (elsewhere["reach"].ok, elsewhere["reach"].says) == (False, says)
        monkeypatch.setattr(Settings, "webhook_secret", lambda _: "another-secret")
        other_secret = await diagnosis(settings_at(sandbox, tmp_path, url))
        mend = "Start every worker with the same token."
        assert (other_secret["reach"].ok, other_secret["reach"].mend) == (False, mend)
    assert caplog.text.count("a request to the webhook is refused") == 1, "its own requests leave no line"


async def test_the_port_is_free_or_anothers(sandbox: RunningSandbox, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/telegram"
    settings = settings_at(sandbox, tmp_path, url, web={"port": port})
    (found,) = await telegram.examine_port(settings)
    assert (found.ok, "is free for the bot" in found.says) == (True, True)
    with socket.create_server(("127.0.0.1", port)) as other:
        other.settimeout(0)
        (found,) = await telegram.examine_port(settings)
        assert (found.ok, found.says) == (False, f"another program has port {port} on 127.0.0.1")
        assert "web.port" in found.mend
    elsewhere = settings.model_copy(update={"web": WebSettings(host="192.0.2.7", port=port)})
    (found,) = await telegram.examine_port(elsewhere)
    assert (found.ok, "web.host" in found.mend) == (False, True)
    assert await telegram.examine_port(settings_at(sandbox, tmp_path, "")) == []


async def test_telegram_tells_what_went_wrong(sandbox: RunningSandbox, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/telegram"
    async with httpx.AsyncClient(timeout=60) as client:
        await client.post(f"{sandbox.bot_base_url}{sandbox.token}/setWebhook", json={"url": url})
    await sandbox.user("Ana").send("/start")
    settings = settings_at(sandbox, tmp_path, url)
    async with asyncio.timeout(60):
        while "could not deliver" not in (found := (await diagnosis(settings))["webhook"]).says:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.1)
    assert found.ok is False
    assert found.says.endswith("; waiting there: 1")
    assert found.mend == "Does the proxy run, and does the firewall let Telegram in?"


async def test_somebody_else_at_the_address(sandbox: RunningSandbox, tmp_path: Path) -> None:
    async def welcome(_request: Request) -> Response:
        return PlainTextResponse("everyone is welcome")

    server = WebServer("127.0.0.1", 0, [Route("/telegram", welcome, methods=["POST"])], {})
    await server.start()
    try:
        found = await diagnosis(settings_at(sandbox, tmp_path, f"http://127.0.0.1:{server.port}/telegram"))
    finally:
        await server.stop()
    assert found["reach"].ok is False
    assert found["reach"].says.endswith("lets in whoever comes: that is not this bot")


def test_a_process_that_stands_by_needs_another_database() -> None:
    (found,) = telegram.webhook_workers(Settings.model_validate({"webhook": {"url": PUBLIC}}))
    assert found.says == "games are kept in SQLite: one process may run"
    assert "docs/operating/moving.md" in found.mend
    elsewhere = Settings.model_validate({"webhook": {"url": PUBLIC}, "database_url": "postgresql://a:b@c/d"})
    assert list(telegram.webhook_workers(elsewhere)) == []


def with_address(url: str) -> Settings:
    return Settings.model_validate({"token": TOKEN, "webhook": {"url": url}})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (PUBLIC, ""),
        ("https://bot.example.org:8443/x", ""),
        ("https://bot.example.org:88/", ""),
        ("https://8.8.8.8/telegram", ""),
        ("http://bot.example.org/telegram", "https only"),
        ("https://bot.example.org:8080/telegram", "443, 80, 88, 8443 only, not to 8080"),
        ("https://localhost/telegram", "localhost cannot be reached from outside"),
        ("https://192.168.1.5/telegram", "192.168.1.5 cannot be reached from outside"),
        ("https://worker-1/telegram", "worker-1 cannot be reached from outside"),
    ],
)
def test_an_address_that_telegram_does_not_take_is_told_and_an_own_server_takes_any(url: str, words: str) -> None:
    found = list(telegram.webhook_address(with_address(url)))
    assert [each.ok for each in found] == ([False] if words else [])
    assert all(words in each.says for each in found)
    own = with_address(url).model_copy(update={"api_base_url": "http://127.0.0.1:8081/bot"})
    assert list(telegram.webhook_address(own)) == []


def told(**info: Any) -> CheckResult:
    return telegram.webhook_as_telegram_sees_it(with_address(PUBLIC), {"url": PUBLIC, **info})


@pytest.mark.parametrize(
    ("why", "cure"),
    [
        ("Wrong response from the webhook: 403 Forbidden", "the same token"),
        ("Wrong response from the webhook: 404 Not Found", "forward the path"),
        ("Wrong response from the webhook: 502 Bad Gateway", "Is a worker running"),
        ("SSL error {error:0A000086:SSL routines::certificate verify failed}", "certificate for this name"),
        ("Failed to resolve host: Name or service not known", "A or AAAA"),
        ("Connection timed out", "firewall"),
        ("Connection refused", "firewall"),
        ("something new", "docs/operating/webhook.md"),
    ],
)
def test_each_failure_has_its_cure(why: str, cure: str) -> None:
    found = told(last_error_date=time.time() - 30, last_error_message=why, pending_update_count=7)
    assert found.ok is False
    assert why in found.says
    assert cure in found.mend


def test_a_failure_that_is_over_is_told_and_needs_no_mending() -> None:
    found = told(last_error_date=time.time() - 30, last_error_message="Connection refused", pending_update_count=0)
    assert found.ok
    assert "its last failure was 30 s ago (Connection refused)" in found.says
    assert "failure" not in told(last_error_date=time.time() - 9000, last_error_message="x").says


def test_more_waits_than_is_taken() -> None:
    assert told(pending_update_count=500).ok is False
    assert told(pending_update_count=50).ok
