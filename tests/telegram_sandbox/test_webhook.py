import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.telegram_sandbox.conftest import Play, listening
from tests.telegram_sandbox.test_taps import KEYBOARD, TOO_OLD

SECRET = "s3cret_token-for-tests"


class Hook:
    def __init__(self) -> None:
        self.url = ""
        self.codes: list[int] = []
        self.refuses: dict[str, int] = {}
        """Texts that the bot never accepts, each with the status of its answer."""
        self.headers: dict[str, str] = {}
        self.answers: dict[str, Response] = {}
        """Texts, each with the bot's answer to it."""
        self.holds: set[str] = set()
        self.released = asyncio.Event()
        self.at_once = 0
        self.most_at_once = 0
        self.got: asyncio.Queue[tuple[str | None, dict[str, Any]]] = asyncio.Queue()

    async def take(self, request: Request) -> Response:
        update = await request.json()
        text = update.get("message", {}).get("text", "")
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.got.put((request.headers.get("x-telegram-bot-api-secret-token"), update))
        if text in self.holds:
            await self.released.wait()
        self.at_once -= 1
        if text in self.answers:
            return self.answers[text]
        code = self.refuses.get(text) or (self.codes.pop(0) if self.codes else 200)
        return Response(status_code=code, headers=self.headers if code != 200 else {})

    async def next(self, within: float = 10) -> tuple[str | None, dict[str, Any]]:
        return await asyncio.wait_for(self.got.get(), within)

    async def texts(self, count: int) -> list[str]:
        return [(await self.next())[1]["message"]["text"] for _ in range(count)]


async def pausing(play: Play) -> None:
    """Wait until the sandbox has read the answer, and pauses."""
    async with asyncio.timeout(60):
        while not play.sandbox.world.clock.sleepers:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.01)


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    found = Hook()
    async with listening(found.take) as address:
        found.url = f"{address}/hook"
        yield found
        found.released.set()


async def test_updates_are_pushed_with_the_secret_until_they_are_taken(play: Play, hook: Hook) -> None:
    await play.say("Ana", "/one")
    hook.codes = [500]
    await play.ok("setWebhook", url=hook.url, secret_token=SECRET, max_connections=7)
    first = await hook.next()
    assert (first[0], first[1]["message"]["text"]) == (SECRET, "/one")
    assert (await hook.next()) == first
    await play.say("Ana", "/two")
    assert (await hook.next())[1]["message"]["text"] == "/two"
    info = await play.ok("getWebhookInfo")
    assert info["url"] == hook.url
    assert info["last_error_message"] == "Wrong response from the webhook: 500 Internal Server Error"
    assert info["last_error_date"] > 0
    assert (info["max_connections"], info["ip_address"], info["has_custom_certificate"]) == (7, "127.0.0.1", False)
    words = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    await play.refuses("getUpdates", words, kind="Conflict")
    await play.ok("deleteWebhook")
    assert (await play.ok("getWebhookInfo")) == {"url": "", "has_custom_certificate": False, "pending_update_count": 0}
    await play.say("Ana", "/three")
    assert [update["message"]["text"] for update in await play.updates()] == ["/three"]
    assert hook.got.empty()


def form(**fields: str) -> Response:
    return Response(urlencode(fields), media_type="application/x-www-form-urlencoded")


async def test_an_answer_with_a_method_is_a_call(play: Play, hook: Hook) -> None:
    group = str(play.group)
    sends, files = {"method": "sendDocument", "chat_id": group}, {"document": ("a.txt", b"three")}
    document = httpx.Request("POST", "http://bot", data=sends, files=files)
    multipart = Response(document.read(), headers={"content-type": document.headers["content-type"]})
    hook.answers = {
        "/json": JSONResponse({"method": "sendMessage", "chat_id": play.group, "text": "as JSON"}),
        "/form": form(method="SENDMESSAGE", chat_id=group, text="as a form"),
        "/multipart": multipart,
        "/refused": form(method="sendMessage", chat_id=group, text=""),
        "/words": Response("ok", media_type="text/plain"),
        "/nothing": form(text="no method"),
        "/get": form(method="getMe"),
        "/away": form(method="deleteWebhook"),
        "/broken": Response("{", media_type="application/json"),
        "/last": form(method="sendMessage", chat_id=group, text="the last"),
    }
    ana, chat = play.user("Ana"), play.chat
    await play.ok("setWebhook", url=hook.url)
    calls = play.sandbox.world.calls
    before = calls.total
    for text in hook.answers:
        await play.say("Ana", text)
        await hook.next()
    await ana.sees("the last", chat)
    made = {(str(call), call.by_webhook) for call in calls.since(before) if call.method.startswith("send")}
    assert made == {
        ("sendMessage by the webhook's answer", True),
        ("sendDocument by the webhook's answer", True),
        ("sendMessage by the webhook's answer: Bad Request: message text is empty", True),
    }
    bot = play.sandbox.world.settings.bot_id
    heard = [one.text for one in ana.messages(chat) if one.sender_id == bot and one.text]
    assert heard == ["as JSON", "as a form", "the last"]
    assert play.sandbox.world.webhook.active, "deleteWebhook is not taken from an answer"


async def test_telegram_says_what_became_of_webhook_and_poll_and_that_nobody_listens(play: Play, hook: Hook) -> None:
    old = await play.polling(play.refuses("getUpdates", "terminated by setWebhook request", kind="Conflict", timeout=9))
    said = [
        await play.call("setWebhook", url=hook.url, allowed_updates=["message"]),
        await play.call("setWebhook", url=hook.url, allowed_updates="no list, which changes nothing"),
    ]
    await old
    assert (await play.ok("getWebhookInfo"))["allowed_updates"] == ["message"]
    said += [await play.call("deleteWebhook"), await play.call("setWebhook")]
    words = ["was set", "is already set", "was deleted", "is already deleted"]
    assert said == [{"ok": True, "result": True, "description": f"Webhook {each}"} for each in words]
    await play.ok("setWebhook", url="", drop_pending_updates=True)
    assert await play.updates() == []
    hook.holds = {"/hold"}
    await play.ok("setWebhook", url=hook.url)
    await play.say("Ana", "/hold")
    await hook.next()
    await play.ok("setWebhook", url=hook.url)
    hook.released.set()
    await play.say("Ana", "/next")
    assert await hook.texts(1) == ["/next"], "and not /hold again"
    unencrypted = hook.url.replace("http:", "https:")
    for url, why in (("http://127.0.0.1:1/nobody", "Connection refused"), (unencrypted, "SSL error")):
        await play.ok("setWebhook", url=url, drop_pending_updates=True)
        await play.say("Ana", "/one")
        while "last_error_message" not in (info := await play.ok("getWebhookInfo")):  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.05)
        assert (info["last_error_message"].partition(" {")[0], info["pending_update_count"]) == (why, 1)


async def test_what_is_not_taken_keeps_its_own_chat_waiting_and_no_other(play: Play, hook: Hook) -> None:
    club = play.sandbox.add_group("Club", [play.user("Bo")])
    hook.refuses = {"/poison": 500}
    await play.ok("setWebhook", url=hook.url, drop_pending_updates=True)
    await play.say("Ana", "/poison")
    assert await hook.texts(2) == ["/poison", "/poison"], "the first repetition comes at once, the next after a pause"
    await play.say("Ana", "/behind")
    await play.say("Bo", "/club", club.id)
    assert await hook.texts(1) == ["/club"]
    await play.pass_time(2.1)
    assert await hook.texts(1) == ["/poison"]
    await pausing(play)
    hook.refuses = {}
    await play.pass_time(4.1)
    assert await hook.texts(2) == ["/poison", "/behind"]


async def test_the_pauses_grow_to_a_minute_or_two_and_retry_after_is_kept(play: Play, hook: Hook) -> None:
    hook.refuses = {"/poison": 503}
    await play.ok("setWebhook", url=hook.url)
    await play.say("Ana", "/poison")
    await hook.texts(2)
    for pause in (2, 4, 8, 16, 32):
        await pausing(play)
        await play.pass_time(pause - 1)
        assert hook.got.empty(), pause
        await play.pass_time(1)
        await hook.texts(1)
    hook.headers = {"Retry-After": "300"}
    await pausing(play)
    await play.pass_time(120)
    await hook.texts(1)
    await pausing(play)
    await play.pass_time(290)
    assert hook.got.empty()
    await play.pass_time(10)
    await hook.texts(1)


async def test_chats_go_side_by_side_up_to_max_connections(play: Play, hook: Hook) -> None:
    await play.ok("setWebhook", url=hook.url, max_connections=2)
    hook.holds = {"/start"}
    for name in ("Ana", "Bo", "Cy", "Dee"):
        await play.start(name)
    for _ in range(2):
        await hook.next()
    assert hook.got.empty()
    hook.released.set()
    for _ in range(2):
        await hook.next()
    assert hook.most_at_once == 2
    table = await play.send("table", reply_markup=KEYBOARD)
    hook.holds = {"/hold"}
    hook.released.clear()
    await play.say("Ana", "/hold")
    await hook.next()
    await play.say("Ana", "/behind")
    await play.tap("Ana", table, "card")
    assert "callback_query" in (await hook.next())[1], "a tap waits by person, and not behind the chat's messages"
    hook.released.set()
    assert await hook.texts(1) == ["/behind"]


async def test_a_tap_is_dropped_after_150_seconds_and_a_message_waits_a_day(play: Play, hook: Hook) -> None:
    table = await play.send("table", reply_markup=KEYBOARD)
    await play.act("POST", "/outage", kind="reset")
    await play.say("Bo", "/status")
    await play.say("Cy", "/status")
    query = await play.tap("Bo", table, "card")
    await play.pass_time(151)
    await play.act("DELETE", "/outage")
    await play.ok("setWebhook", url=hook.url)
    assert await hook.texts(2) == ["/status", "/status"]
    await play.refuses("answerCallbackQuery", TOO_OLD, callback_query_id=query)
    assert (await play.ok("getWebhookInfo"))["pending_update_count"] == 0


async def test_updates_come_again_where_confirmations_get_lost(play: Play, hook: Hook) -> None:
    await play.act("POST", "/delivery", repeat=0.5, seed=5)
    await play.ok("setWebhook", url=hook.url)
    told = [f"/m{number}" for number in range(10)]
    for text in told:
        await play.say("Ana", text)
    heard: list[str] = []
    while told[-1] not in heard:
        heard += await hook.texts(1)
    assert list(dict.fromkeys(heard)) == told, "in order all the same"
    assert len(heard) > len(told)


async def test_queues_overtake_each_other_where_mail_is_slow(play: Play, hook: Hook) -> None:
    await play.act("POST", "/delivery", delay_seconds=0.5, seed=1)
    await play.ok("setWebhook", url=hook.url)
    for number in range(4):
        for name in ("Ana", "Bo", "Cy"):
            await play.say(name, f"/start {name}{number}", play.id(name))
    heard = [text.removeprefix("/start ") for text in await hook.texts(12)]
    for name in ("Ana", "Bo", "Cy"):
        assert [text for text in heard if text.startswith(name)] == [f"{name}{number}" for number in range(4)]
    assert heard != [f"{name}{number}" for number in range(4) for name in ("Ana", "Bo", "Cy")]


@pytest.mark.parametrize("by", ["webhook", "polling"])
async def test_an_update_that_was_confirmed_is_replayed_on_demand(play: Play, hook: Hook, by: str) -> None:
    if by == "webhook":
        await play.ok("setWebhook", url=hook.url)
    await play.say("Ana", "/one")
    first = (await hook.next())[1] if by == "webhook" else (await play.updates())[0]
    if by == "polling":
        assert await play.updates() == []
    while (await play.ok("getWebhookInfo"))["pending_update_count"]:  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0.01)
    assert (await play.act("POST", "/delivery/repeat"))["result"] == [first["update_id"]]
    assert ((await hook.next())[1] if by == "webhook" else (await play.updates())[0]) == first


CUT = (httpx.ReadError, httpx.RemoteProtocolError)
OUTAGES = [("refuse", httpx.ConnectError), ("reset", CUT), ("silent", httpx.ReadTimeout)]


@pytest.mark.parametrize(("kind", "error"), OUTAGES)
async def test_in_an_outage_lines_are_refused_cut_or_hear_nothing(play: Play, kind: str, error: Any) -> None:
    bots_port = f"{play.sandbox.bot_base_url}{play.sandbox.token}/"
    async with httpx.AsyncClient(base_url=bots_port, timeout=httpx.Timeout(60, read=0.3)) as bot:
        poll = await play.polling(bot.post("getUpdates", json={"timeout": 20}, timeout=60))
        await play.act("POST", "/outage", kind=kind)
        if kind != "silent":
            with pytest.raises(httpx.TransportError):
                await poll
        with pytest.raises(error):
            await bot.post("getMe")
        await play.say("Ana", "/meanwhile")
        await play.act("DELETE", "/outage")
        if kind == "refuse":
            await bot.post("getMe", timeout=60)
            assert [update["message"]["text"] for update in await play.updates()] == ["/meanwhile"]
        poll.cancel()


async def test_pushed_updates_wait_for_the_end_of_an_outage_which_the_clock_brings(play: Play, hook: Hook) -> None:
    await play.ok("setWebhook", url=hook.url)
    await play.act("POST", "/outage")
    await play.say("Ana", "/one")
    assert hook.got.empty()
    await play.act("DELETE", "/outage")
    assert await hook.texts(1) == ["/one"]
    await play.act("POST", "/outage", holds_updates=False)
    await play.say("Ana", "/two")
    assert await hook.texts(1) == ["/two"]
    await play.act("POST", "/outage", 400, kind="earthquake")
    await play.act("POST", "/outage", 400, seconds=0)
    await play.act("POST", "/delivery", 400, repeat=1)
    await play.act("POST", "/delivery", 400, delay_seconds=-1)
    await play.act("POST", "/delivery/repeat", 400, last=0)
    await play.act("POST", "/outage", kind="reset", seconds=3600)
    with pytest.raises(httpx.TransportError):
        await play.call("getMe")
    await play.pass_time(3601)
    async with asyncio.timeout(60):
        while play.sandbox.world.outage.kind:  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.01)
    await play.ok("getMe")
