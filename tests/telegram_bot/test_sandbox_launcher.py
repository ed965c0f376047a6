"""The sandbox's telephone network: people's texts, the bot's texts, the requests it refuses, and the costs."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, expect
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from telegram_bot import sandbox_launcher
from telegram_bot.sandbox_launcher.phones import FIRST_PHONE, Phones, PhoneSettings
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from tests.telegram_sandbox.browsing import Bot, group, phone
from tests.telegram_sandbox.conftest import listening

GRAN = "+12025550111"
LOGIN = {"username": "sandbox", "password": "the-password-of-these-tests", "from": "+12025550100"}
HI = {**LOGIN, "to": GRAN, "text": "hi"}


class Gateway:
    """The bot's side of a gateway."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.got: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self.address = ""

    async def take(self, request: Request) -> Response:
        await self.got.put(dict(request.query_params))
        return Response(status_code=self.codes.pop(0) if self.codes else 200)

    async def next(self) -> dict[str, str]:
        return await self.got.get()


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    found = Gateway()
    async with listening(found.take) as found.address:
        yield found


@pytest.fixture
async def sandbox(gateway: Gateway) -> AsyncIterator[RunningSandbox]:
    phones = PhoneSettings(f"{gateway.address}/in?secret=s3", password=LOGIN["password"])
    async with running_sandbox(SandboxSettings(port=0, extensions=(phones,))) as running:
        yield running


@pytest.fixture
async def client(sandbox: RunningSandbox) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=sandbox.url, timeout=60) as client:
        yield client


async def sms(client: httpx.AsyncClient) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/sandbox/state")).json()["sms"]
    return found


async def test_a_text_reaches_the_bot_as_kannel_hands_it_over(client: httpx.AsyncClient, gateway: Gateway) -> None:
    await client.post("/sandbox/texts", json={"phone": -1, "text": "3x4"})
    got = await gateway.next()
    assert (got["from"], got["to"], got["text"], got["secret"]) == (GRAN, "+12025550100", "3x4", "s3")
    assert (got["coding"], got["charset"]) == ("0", "UTF-8")
    async with asyncio.timeout(60):
        while (await sms(client))["texts"][0]["status"] != "delivered":  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.05)


async def test_a_refused_text_comes_again_by_its_id_and_in_order(client: httpx.AsyncClient, gateway: Gateway) -> None:
    gateway.codes = [500, 503]
    for text in ("one", "two"):
        await client.post("/sandbox/texts", json={"phone": -1, "text": text})
    got = [await gateway.next() for _ in range(4)]
    assert [one["text"] for one in got] == ["one", "one", "one", "two"]
    assert len({one["id"] for one in got[:3]}) == 1


async def test_a_text_that_cannot_be_sent_is_refused(client: httpx.AsyncClient) -> None:
    body: object
    for body in ({"phone": -9, "text": "hi"}, {"phone": -1, "text": ""}, {"phone": -1}, []):
        assert (await client.post("/sandbox/texts", json=body)).status_code == 400, body


async def test_what_the_bot_texts_arrives(client: httpx.AsyncClient) -> None:
    answer = await client.get("/cgi-bin/sendsms", params={**LOGIN, "to": GRAN, "text": "Your card: 1 3 4"})
    assert (answer.status_code, answer.text) == (202, "0: Accepted for delivery")
    (text,) = (await sms(client))["texts"]
    assert (await client.post("/sandbox/phones", json={"name": "Nan"})).json()["number"] == "+12025550112"
    assert text | {"body": "Your card: 1 3 4", "from_bot": True, "segments": 1, "alphabet": "GSM-7"} == text


async def test_seven_bits_lose_what_the_alphabet_lacks_and_sixteen_do_not(client: httpx.AsyncClient) -> None:
    for coding in ("0", "2"):
        params = {**LOGIN, "to": "0012025550111", "text": "ça va", "coding": coding, "charset": "UTF-8"}
        await client.post("/cgi-bin/sendsms", data=params)
    assert [text["body"] for text in (await sms(client))["texts"]] == ["?a va", "ça va"]


async def test_a_request_that_kannel_refuses_is_refused(client: httpx.AsyncClient) -> None:
    for params, code in (
        ({"password": "x"}, 403),
        ({"to": ""}, 400),
        ({"text": None}, 400),
        ({"to": "+12025550199"}, 202),
    ):
        asked = {name: value for name, value in (HI | params).items() if value is not None}
        assert (await client.get("/cgi-bin/sendsms", params=asked)).status_code == code, params
    assert (await sms(client))["texts"] == []


async def test_receipts_tell_whether_the_phone_was_on(client: httpx.AsyncClient, gateway: Gateway) -> None:
    params = HI | {"dlr-mask": "3", "dlr-url": f"{gateway.address}/receipt?status=%d"}
    await client.get("/cgi-bin/sendsms", params=params)
    assert await gateway.next() == {"status": "1"}
    await client.patch("/sandbox/phones/-1", json={"is_on": False})
    await client.get("/cgi-bin/sendsms", params=params)
    assert await gateway.next() == {"status": "2"}
    assert [text["status"] for text in (await sms(client))["texts"]] == ["delivered", "undelivered"]


async def test_numbers_and_text_may_come_as_headers_and_body(client: httpx.AsyncClient) -> None:
    headers = {"X-Kannel-Username": "sandbox", "X-Kannel-Password": LOGIN["password"], "X-Kannel-To": GRAN}
    headers["X-Kannel-Coding"] = "2"
    answer = await client.post("/cgi-bin/sendsms", headers=headers, content="ça va".encode())
    assert answer.status_code == 202
    assert [text["body"] for text in (await sms(client))["texts"]] == ["ça va"]
    refused = await client.post("/cgi-bin/sendsms", headers=headers, content=b"\xff")
    assert (refused.status_code, refused.text) == (400, "Missing text, rejected")


async def test_delivery_reports_go_to_this_machine_only(client: httpx.AsyncClient) -> None:
    metadata = "http://169.254.169.254/latest/meta-data"
    for url in (metadata, "http://evil.example/", "http://localhost.evil.example/", "//x", "http://["):
        answer = await client.get("/cgi-bin/sendsms", params=HI | {"dlr-url": url})
        assert (answer.status_code, "dlr-url" in answer.text) == (400, True), url
    assert (await sms(client))["texts"] == []


async def test_a_delivery_report_follows_no_redirect(client: httpx.AsyncClient) -> None:
    reached: asyncio.Queue[str] = asyncio.Queue()

    async def redirecting(request: Request) -> Response:
        await reached.put(request.url.path)
        return RedirectResponse("/elsewhere", 302)

    async with listening(redirecting) as address:
        for place in ("/first", "/second"):  # a redirect of the first would be followed before
            await client.get("/cgi-bin/sendsms", params=HI | {"dlr-url": f"{address}{place}"})
            assert await reached.get() == place
    assert reached.empty()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_phone_on_the_page_texts_and_is_texted(browser: Browser) -> None:
    phones = PhoneSettings("http://127.0.0.1:9/", hint="Text JOIN to {number}")
    settings = SandboxSettings(port=0, extensions=(phones,))
    page = await browser.new_page(reduced_motion="reduce")
    async with running_sandbox(settings) as sandbox:
        (sms,) = sandbox.world.extensions
        assert isinstance(sms, Phones)
        await page.goto(sandbox.url)
        gran = page.get_by_role("region", name="Gran's phone, text messages only")
        await expect(gran).to_contain_text("Text JOIN to +12025550100")
        field = gran.get_by_label("Text message from Gran")
        await field.fill("join abc234")
        await field.press("Enter")
        await expect(field).to_have_value("")
        await expect(gran).to_contain_text("0 in, 1 out")
        assert sms.text_number(FIRST_PHONE, "You're in!")
        await expect(gran.get_by_label("Text from Sandbox")).to_contain_text("You're in!")
        assert [(text.from_bot, text.body) for text in sms.texts] == [(False, "join abc234"), (True, "You're in!")]
        await expect(gran).to_contain_text("1 in, 1 out · costs 0.02 at 0.01 each")
        await page.get_by_role("button", name="Settings").click()
        await page.get_by_role("menuitem", name="Add a phone without an app").click()
        await expect(page.get_by_role("region", name="text messages only")).to_have_count(2)
        await page.request.post(f"{sandbox.url}/sandbox/reset")
        await expect(page.get_by_role("region", name="text messages only")).to_have_count(1)
        await page.close()


def test_every_sandbox_has_a_password_of_its_own() -> None:
    assert PhoneSettings("").password != PhoneSettings("").password


def test_a_port_is_kept_for_the_servers_that_this_process_starts() -> None:
    port = sandbox_launcher.free_port()
    with closing(socket.socket()) as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))
    for _ in ("begins", "begins again"):
        with closing(socket.create_server(("127.0.0.1", port))):
            pass


@pytest.mark.asyncio(loop_scope="session")
async def test_the_page_introduces_the_game_and_leads_to_its_other_pages(browser: Browser) -> None:
    settings = sandbox_launcher.with_pages(sandbox_launcher.with_phone(replace(sandbox_launcher.SETTINGS, port=0)))
    page = await browser.new_page(reduced_motion="reduce", viewport={"width": 1600, "height": 800})
    async with running_sandbox(settings) as sandbox, httpx.AsyncClient(timeout=60) as client:
        bot = Bot(sandbox, client)
        await page.goto(sandbox.url)
        await expect(page.get_by_text("Perudo, or liar's dice").first).to_be_visible()
        await expect(group(page, "Ana").get_by_role("heading", name="Play a game of Perudo")).to_be_visible()
        await expect(group(page, "Ana").get_by_role("listitem")).to_have_count(3)
        await expect(group(page, "Bo").get_by_text("join it from here too")).to_be_visible()
        await page.get_by_role("button", name="Practise alone").click()
        heard = await bot.hear("message")
        assert (heard["text"], heard["chat"]["type"], heard["from"]["first_name"]) == ("/practise", "private", "Ana")
        await expect(phone(page, "Ana").get_by_role("tab", name="bot")).to_have_attribute("aria-selected", "true")
        await phone(page, "Ana").get_by_role("tab", name="Friends").click()
        await page.get_by_role("button", name="Start a game").click()
        assert (await bot.hear("message"))["text"] == "/perudo"
        links = page.get_by_role("navigation", name="Other pages").get_by_role("button")
        await expect(links).to_have_text(["Play as a guest", "Television"])
        await page.close()
