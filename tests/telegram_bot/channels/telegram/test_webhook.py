"""Updates over HTTP: the accepted senders, the moment of confirmation, and how Telegram learns the address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from pydantic import JsonValue
from telegram import Bot

from telegram_bot.channels.telegram import webhook as module
from telegram_bot.channels.telegram.heard_notes import HeardNotes
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.polling import MOST_REFUSALS, Polling
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.telegram.webhook import SECRET_HEADER, WebhookReceiver
from telegram_bot.delivery.limits import Limits
from telegram_bot.errors import MisconfiguredError, OperatorError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.operations.web_server import WebServer
from telegram_bot.settings import PollingSettings, Settings, WebhookSettings
from telegram_bot.storage.models import InboxEntry, LaneName
from telegram_sandbox import RunningSandbox
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL, GroupHarness
from tests.telegram_bot.ingress.conftest import PEOPLE, Json, poison, tapped, written

SECRET = "one-that-only-Telegram-knows"
NOWHERE = WebhookSettings(url="http://127.0.0.1:1/telegram")


def somebody(name: str) -> Json:
    return {"id": PEOPLE[name], "is_bot": False, "first_name": name, "language_code": "en"}


@dataclass
class Worker:
    """One process's share: a web server with the webhook, and the inbox behind it."""

    harness: GroupHarness
    sandbox: RunningSandbox
    webhook: WebhookReceiver
    inbox: InboxWorker
    client: httpx.AsyncClient

    async def bring(self, update: object, **headers: str) -> int:
        """Bring an update as Telegram does; the answer's status."""
        headers = {SECRET_HEADER: SECRET, "content-type": "application/json"} | headers
        raw = update if isinstance(update, bytes) else httpx.Request("POST", "http://x", json=update).content
        return (await self.client.post("/telegram", content=raw, headers=headers)).status_code

    def names(self) -> list[str]:
        return [seat.name for seat in self.harness.table().seats]


@asynccontextmanager
async def a_worker(harness: GroupHarness, sandbox: RunningSandbox) -> AsyncIterator[Worker]:
    async with Bot(sandbox.token, base_url=sandbox.bot_base_url) as bot:
        source = TelegramSource(bot, harness.service, TelegramSender(bot, Limits(0, 0, 0)))
        inbox = InboxWorker(harness.service, lambda _lanes: None, [source])
        webhook = WebhookReceiver(bot, harness.service, NOWHERE, SECRET, InlineMode(bot, harness.service))
        server = WebServer("127.0.0.1", 0, webhook.routes(inbox), {})
        await server.start()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
            yield Worker(harness, sandbox, webhook, inbox, client)
        await server.stop()
        await inbox.stop(1)


@pytest.fixture
async def worker(harness: GroupHarness, sandbox: RunningSandbox) -> AsyncIterator[Worker]:
    async with a_worker(harness, sandbox) as worker:
        yield worker


async def test_an_update_is_acted_on_before_it_is_confirmed_and_once(worker: Worker) -> None:
    worker.inbox.wake = (woken := set[LaneName]()).update
    assert await worker.bring(written(1, "Ana", "/perudo")) == 200
    assert worker.names() == ["Ana"]
    assert {lane.channel for lane in woken} == {"telegram"}, "delivery is told at once"
    for _ in range(3):
        assert await worker.bring(written(2, "Bo", "/join")) == 200
    assert await worker.bring(written(3, "Bo", "/leave")) == 200
    assert await worker.bring(written(2, "Bo", "/join")) == 200, "brought again, late"
    assert worker.names() == ["Ana"]
    assert [(row.cause, row.payload, row.done_at is not None) for row in worker.harness.rows(InboxEntry)] == [
        (str(number), None, True) for number in (1, 2, 3)
    ]


async def test_a_posted_call_counts_once_in_any_worker_and_reports_and_queries_are_not_stored(worker: Worker) -> None:
    await worker.harness.game("23456", "22345")
    stored = len(worker.harness.rows(InboxEntry))
    me = {"id": 424242, "is_bot": True, "first_name": "Sandbox", "username": "sandbox_bot"}
    query = {"id": "1", "from": somebody("Ana"), "chat_type": "group", "query": "", "offset": ""}
    chosen = {"result_id": "g:1:0:bid=3x4", "from": somebody("Ana"), "query": ""}

    def posted(number: int) -> Json:
        link = {"type": "text_link", "offset": 0, "length": 2, "url": "https://t.me/sandbox_bot?start=g-1-0-bid_3x4"}
        update = written(number, "Ana", "🎲 3 × 4️⃣")
        update["message"] |= {"via_bot": me, "entities": [link]}
        return update

    async with a_worker(worker.harness, worker.sandbox) as other:
        both = (worker, other)
        answers = [await each.bring({"update_id": 900, "inline_query": query}) for each in both]
        answers += [await each.bring({"update_id": 901, "chosen_inline_result": chosen}) for each in both]
        answers += await asyncio.gather(*(each.bring(posted(902)) for each in both * 3))
        answers.append(await other.bring(posted(903)))
    assert set(answers) == {200}
    game = worker.harness.table().begun_game
    assert [(bid.seat, bid.quantity, bid.face) for bid in game.bids] == [(0, 3, 4)]
    assert len(worker.harness.rows(InboxEntry)) == stored + 2


async def test_what_is_no_update_is_refused_and_not_kept(worker: Worker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    update = written(1, "Ana", "/perudo")
    for secret in ("", "wrong", SECRET + "x", SECRET[:-1], "ü"):
        headers = {SECRET_HEADER.encode(): secret.encode()}
        assert (await worker.client.post("/telegram", json=update, headers=headers)).status_code == 403, secret
    for _ in range(50):
        assert (await worker.client.post("/telegram", json=update)).status_code == 403
    assert caplog.text.count("a request to the webhook is refused: 403 not the secret token") == 1
    numbers: list[object] = ["7", True, 7.0, -1, 2**63]
    deep = b'{"update_id": 7, "message": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    for odd in (b"{", b"[]", b"null", {}, deep, *({"update_id": number} for number in numbers)):
        assert await worker.bring(odd) == 400, odd
    assert "a request to the webhook is refused: 400 no update_id" in caplog.text, "another reason is told"
    assert 'update_id": ' not in caplog.text
    assert await worker.bring(b" " * 1048577) == 413
    assert await worker.bring(update, **{"content-type": "text/plain"}) == 415
    assert (await worker.client.get("/telegram", headers={SECRET_HEADER: SECRET})).status_code == 405
    assert (await worker.client.post("/other", json={}, headers={SECRET_HEADER: SECRET})).status_code == 404
    assert worker.harness.rows(InboxEntry) == []


async def test_a_failure_is_confirmed_at_last_and_a_tap_is_answered(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    await worker.bring(written(1, "Ana", "/perudo"))
    poison(worker.harness)
    assert [await worker.bring(written(2, "Bo", "/join")) for _ in range(4)] == [500, 500, 200, 200]
    assert await worker.bring(written(3, "Cy", "/join")) == 200
    assert worker.names() == ["Ana", "Cy"]
    (dead,) = [row for row in worker.harness.rows(InboxEntry) if row.error]
    assert (dead.cause, dead.attempts, dead.error) == ("2", 3, "IntegrityError")
    assert dead.payload == written(2, "Bo", "/join") | {"message": dead.payload and dead.payload["message"]}
    assert "update 2 is set aside" in caplog.text
    assert SECRET not in caplog.text
    assert [await worker.bring(tapped(4, "Bo", "j:1", "q-poison")) for _ in range(3)] == [500, 500, 200]
    assert await worker.bring({"update_id": 5, "callback_query": {"id": "q-unreadable", "from": "nobody"}}) == 200
    await worker.inbox.idle()
    asked = worker.sandbox.world.calls.named("answerCallbackQuery")
    assert [call.params["callback_query_id"] for call in asked] == ["q-poison", "q-unreadable"]
    assert {call.params["text"] for call in asked} == {"Something went wrong here. Please try again."}


async def test_what_takes_long(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("telegram_bot.channels.telegram.webhook.LATEST_ANSWER_SECONDS", 0.2)
    go_on = asyncio.Event()
    handle = worker.harness.service.handle

    async def slowly(intent: i.Intent) -> Any:
        await go_on.wait()
        return await handle(intent)

    monkeypatch.setattr(worker.harness.service, "handle", slowly)
    assert await worker.bring(written(1, "Ana", "/perudo")) == 200
    assert "update 1 takes long" in caplog.text
    assert worker.harness.unfinished() == ["1"]
    again = asyncio.create_task(worker.bring(written(1, "Ana", "/perudo")))
    await asyncio.sleep(0.05)
    go_on.set()
    assert await again == 200
    await worker.inbox.idle()
    assert worker.names() == ["Ana"]


async def test_a_voice_note_is_confirmed_before_it_is_heard(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = asyncio.Event()
    listen = HeardNotes.look_up

    async def slowly(enricher: HeardNotes, intent: i.Intent) -> JsonValue:
        await go_on.wait()
        return await listen(enricher, intent)

    monkeypatch.setattr(HeardNotes, "look_up", slowly)
    note = written(1, "Ana", "", {"id": PEOPLE["Ana"], "type": "private", "first_name": "Ana"})
    del note["message"]["text"]
    note["message"]["voice"] = {"file_id": "F", "file_unique_id": "U", "duration": 2, "file_size": 4000}
    assert await worker.bring(note) == 200
    assert await worker.bring(note) == 200
    assert worker.harness.unfinished() == ["1"]
    assert await worker.bring(written(2, "Ana", "/perudo")) == 200
    assert worker.names() == ["Ana"], "no one waits for the note"
    go_on.set()
    await worker.inbox.idle()
    assert worker.harness.unfinished() == []


@ONLY_POSTGRESQL
async def test_without_a_database_nothing_is_confirmed_and_nothing_counts_as_a_failure(
    worker: Worker, postgresql: PostgresServer, database_url: str
) -> None:
    assert await worker.bring(written(1, "Ana", "/perudo")) == 200
    with postgresql.unreachable(database_url):
        assert {await worker.bring(written(2, "Bo", "/join")) for _ in range(5)} == {503}
    assert await worker.bring(written(2, "Bo", "/join")) == 200
    assert worker.names() == ["Ana", "Bo"]


def times_set(worker: Worker) -> int:
    return len(worker.sandbox.world.calls.named("setWebhook"))


async def look(worker: Worker, url: str, secret: str = SECRET) -> WebhookReceiver:
    webhook = WebhookReceiver(worker.webhook.bot, worker.harness.service, WebhookSettings(url=url), secret)
    await webhook._look()
    worker.harness.now += 60
    return webhook


async def test_the_webhook_is_set_again_when_it_changes_but_not_fought(
    worker: Worker, caplog: pytest.LogCaptureFixture
) -> None:
    here = str(worker.client.base_url) + "/telegram"
    for _ in range(10):
        webhook = await look(worker, here)
        assert webhook.reachable.is_set()
        assert webhook.problem() is None
    assert times_set(worker) == 1
    (call,) = worker.sandbox.world.calls.named("setWebhook")
    assert call.params["secret_token"] == SECRET
    for _ in range(2):
        await look(worker, here, "another-secret")
    assert times_set(worker) == 2
    await worker.webhook.bot.delete_webhook()
    webhook = await look(worker, here, "another-secret")
    assert times_set(worker) == 3
    await worker.webhook.bot.set_webhook("http://127.0.0.1:9/other")
    await webhook._look()
    assert times_set(worker) == 4
    assert not webhook.reachable.is_set(), "no clock runs out for players who are not heard"
    assert webhook.problem() == "Telegram brings its updates to 127.0.0.1: is another bot running with this token?"
    assert str(webhook.problem()) in caplog.text


async def test_an_address_that_telegram_does_not_take_ends_the_bot_with_its_words(worker: Worker) -> None:
    for url in ("http://example.org/telegram", "https://example.org:8080/telegram"):
        webhook = WebhookReceiver(worker.webhook.bot, worker.harness.service, WebhookSettings(url=url), SECRET)
        worker.harness.now += 60
        with pytest.raises(OperatorError, match=r"Telegram does not take webhook\.url \(Bad webhook"):
            await asyncio.wait_for(webhook.listen(worker.inbox), 60)


async def test_a_webhook_survives_some_refusals_and_not_many(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_BACKOFF_SECONDS", 0.001)
    monkeypatch.setattr(module, "MAX_BACKOFF_SECONDS", 0.001)
    monkeypatch.setattr(module, "WATCH_SECONDS", 0.001)
    webhook = await look(worker, str(worker.client.base_url) + "/telegram")
    for refused in (MOST_REFUSALS - 1, None):
        worker.sandbox.add_fault("refuse", code=401, method="getWebhookInfo", times=refused)
        asked = len(worker.sandbox.world.calls.named("getWebhookInfo"))
        listening = asyncio.create_task(webhook.listen(worker.inbox))
        async with asyncio.timeout(60):
            while not listening.done() and len(worker.sandbox.world.calls.named("getWebhookInfo")) < asked + 12:  # noqa: ASYNC110 - the log of calls has no event
                await asyncio.sleep(0.01)
        assert listening.done() is (refused is None)
        listening.cancel()
        with pytest.raises(MisconfiguredError if refused is None else asyncio.CancelledError):
            await listening


async def test_who_polls_takes_a_webhook_away_and_loses_nothing_that_waits(worker: Worker) -> None:
    await worker.webhook.bot.set_webhook("http://127.0.0.1:9/other")
    polling = Polling(worker.webhook.bot, PollingSettings(probe_seconds=0))
    listening = asyncio.create_task(polling.listen(worker.inbox))
    await asyncio.wait_for(polling.reachable.wait(), 60)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    (call,) = worker.sandbox.world.calls.named("deleteWebhook")
    assert call.params.get("drop_pending_updates") in (None, "false")


def test_every_worker_with_the_token_comes_to_the_same_secret() -> None:
    token = "123456789:AAF0-of_thirty-five-characters-here"
    one, same, other = (Settings(token=each) for each in (token, token, token[:-1] + "f"))
    assert one.webhook_secret() == same.webhook_secret() != other.webhook_secret()
    assert token not in one.webhook_secret()
    assert len(one.webhook_secret()) == 64
