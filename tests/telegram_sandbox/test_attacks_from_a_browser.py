"""Requests that a foreign site could make a browser on this machine send, or a bot could make the sandbox send."""

import asyncio
import re
import socket

import httpx
import pytest

from telegram_sandbox import SandboxSettings, launcher, running_sandbox
from telegram_sandbox.request_guard import RequestGuard
from tests.telegram_sandbox.conftest import Play

EVIL = "evil.example"
READ = "/ /sandbox/state /sandbox/events?cursor=0 /static/main.js /icon.svg /bot{token}/getMe /cgi-bin/sendsms"
WRITTEN = "/bot{token}/sendMessage /cgi-bin/sendsms /sandbox/messages /sandbox/media /sandbox/reset"
ADDRESSES = (
    *(("GET", path) for path in (*READ.split(), "/file/bot{token}/photos/file_1.jpg")),
    *(("POST", path) for path in WRITTEN.split()),
    ("DELETE", "/sandbox/faults"),
    ("OPTIONS", "/sandbox/reset"),
)


async def answered(play: Play, headers: dict[str, str]) -> set[int]:
    """The statuses of every address for a request with these headers."""
    found = set()
    for verb, path in ADDRESSES:
        url = path.format(token=play.sandbox.token)
        async with play.client.stream(verb, url, headers=headers) as answer:
            found.add(answer.status_code)
    return found


async def test_a_name_that_was_made_to_lead_here_and_another_origin_are_refused_everywhere(play: Play) -> None:
    made = "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "192.168.1.7:80", ""
    for host in (EVIL, f"{EVIL}:8080", *made):
        assert await answered(play, {"host": host}) == {421}, host
    here = play.sandbox.url.removeprefix("http://")
    for origin in (f"http://{EVIL}", "null", f"https://{here}", "http://localhost:1", here):
        assert await answered(play, {"origin": origin}) == {403}, origin
    reader, writer = await asyncio.open_connection("127.0.0.1", int(here.rpartition(":")[2]))
    writer.write(f"GET /sandbox/state HTTP/1.1\r\nHost: localhost\r\nHost: {EVIL}\r\n\r\n".encode())
    assert (await reader.readline()).split()[1] in (b"400", b"421"), "two hosts"
    writer.close()


async def test_a_request_without_an_origin_is_refused_if_another_page_made_it_and_the_page_may_act(
    play: Play,
) -> None:
    """`<img src="http://127.0.0.1:8080/cgi-bin/sendsms?…">` sends such a request, as does a page of another port."""
    for site in ("cross-site", "same-site"):
        image = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert await answered(play, image) == {403}
        frame = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
        assert (await play.client.get("/", headers=frame)).status_code == 403
        link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        page = await play.client.get("/", headers=link)
        assert (page.status_code, page.headers["content-security-policy"]) == (200, "frame-ancestors 'none'")
        assert (await play.client.get("/sandbox/state", headers=link)).status_code == 403
    port = play.sandbox.url.rpartition(":")[2]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}", "127.0.0.1"):
        own = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        assert (await play.client.post("/sandbox/reset", headers=own)).status_code == 200


async def test_every_sandbox_has_a_token_of_its_own() -> None:
    first, second = SandboxSettings(), SandboxSettings()
    assert first.token != second.token
    assert re.fullmatch(r"424242:[\w-]{35}", first.token)
    async with (
        running_sandbox(SandboxSettings(port=0, token="7:given")) as sandbox,
        httpx.AsyncClient(timeout=60) as client,
    ):
        assert (await client.get(f"{sandbox.bot_base_url}7:given/getMe")).status_code == 200


async def test_a_webhook_leads_elsewhere_only_if_that_was_asked_for(play: Play) -> None:
    code, why = await play.refused("setWebhook", url=f"https://{EVIL}/hook")
    assert (code, "--deliver-anywhere" in why) == (400, True)
    settings = SandboxSettings(port=0, deliver_anywhere=True, token="7:x")
    for scheme, status in (("https", 200), ("http", 400)):  # Telegram's rules stay
        async with running_sandbox(settings) as sandbox, httpx.AsyncClient(timeout=60) as client:
            hook = f"{sandbox.bot_base_url}7:x/setWebhook"
            assert (await client.post(hook, json={"url": f"{scheme}://{EVIL}/hook"})).status_code == status


async def test_an_open_sandbox_says_what_it_opens_and_answers_to_addresses_and_its_own_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = SandboxSettings(host="0.0.0.0", port=0, allowed_hosts=("box.example",))  # noqa: S104
    launcher.warn_if_open(settings)
    assert "listens on 0.0.0.0, for other machines too" in capsys.readouterr().err
    async with running_sandbox(settings) as sandbox, httpx.AsyncClient(timeout=60) as client:
        assert sandbox.url.startswith("http://127.0.0.1:"), "where the bot next to it finds it"
        known = "10.1.2.3:80", "box.example", socket.gethostname()
        for host in (*known, EVIL, f"10.1.2.3.{EVIL}"):
            answer = await client.get(f"{sandbox.url}/sandbox/state", headers={"host": host})
            assert answer.status_code == (200 if host in known else 421), host
    guard = RequestGuard(None, "::1", ())  # type: ignore[arg-type]
    assert (guard._may_be_called("::1"), guard._may_be_called("fe80::1")) == (True, False)
