"""`python -m telegram_sandbox`: its output, the processes that it starts, and its end."""

import asyncio
import json
import re
import signal
import socket
import sys

import httpx
import pytest

from telegram_sandbox.__main__ import _addresses, _parser, _settings, serve
from telegram_sandbox.server import running_sandbox
from telegram_sandbox.settings import SandboxSettings


def chosen(*arguments: str) -> tuple[SandboxSettings, list[str]]:
    """The settings and the bot's command that a command line asks for."""
    options = _parser().parse_args(["--port", "0", *arguments])
    return _settings(options), options.command


async def test_it_prints_the_pages_address_and_the_token_and_stops_cleanly() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "telegram_sandbox", "--port", "0"),
        *("--bot-username", "quiz_bot", "--token", "77:abc", "--group", "Book club"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    lines = [(await process.stdout.readline()).decode() for _ in range(4)]
    found = re.fullmatch(
        r"The sandbox is at (http://127\.0\.0\.1:\d+)\n"
        r"Token:    (77:abc)\nBot API:  (http://127\.0\.0\.1:\d+/bot)\nFiles:    http://127\.0\.0\.1:\d+/file/bot\n",
        "".join(lines),
    )
    assert found, lines
    url, token, bot = found.groups()
    async with httpx.AsyncClient(timeout=60) as client:
        page = await client.get(url)
        assert page.headers["content-type"].startswith("text/html")
        assert (await client.get(f"{url}/icon.svg")).headers["content-type"].startswith("image/svg+xml")
        assert (await client.get(f"{bot}{token}/getMe")).json()["result"]["username"] == "quiz_bot"
        assert (await client.get(f"{url}/sandbox/state")).json()["chats"][-1]["title"] == "Book club"
    process.send_signal(signal.SIGINT)
    rest = await process.communicate()
    assert (process.returncode, rest) == (0, (b"", b""))


async def test_a_port_that_is_taken_is_told_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings, _ = chosen("--bot-port", str(taken.getsockname()[1]))
        assert await serve(settings, as_json=False) == 1
    output, errors = capfd.readouterr()
    assert output == ""
    assert re.fullmatch(r"The sandbox cannot start: port \d+ on 127\.0\.0\.1 is taken, choose another one\.\n", errors)


async def test_botfathers_settings_are_options_and_acts_as_well() -> None:
    settings, _ = chosen("--no-privacy-mode", "--guest-mode", "--bot-admin")
    async with running_sandbox(settings) as sandbox, httpx.AsyncClient(timeout=60) as client:
        me = f"{sandbox.bot_base_url}{sandbox.token}/getMe"
        bot = (await client.get(me)).json()["result"]
        assert (bot["can_read_all_group_messages"], bot["supports_guest_queries"]) == (True, True)
        assert sandbox.world.chats[sandbox.group_id].bot_status == "administrator"
        for mode in ("privacy", "guest"):
            answer = await client.post(f"{sandbox.url}/sandbox/{mode}", json={"enabled": mode == "privacy"})
            assert answer.status_code == 200
        bot = (await client.get(me)).json()["result"]
        assert (bot["can_read_all_group_messages"], bot["supports_guest_queries"]) == (False, False)


async def test_it_says_where_it_is_in_json() -> None:
    people = ("--person", "P1", "--person", "P2")
    settings, _ = chosen("--json", *people, "--no-log", "--no-flood-limits", "--inline")
    async with running_sandbox(settings) as sandbox, httpx.AsyncClient(timeout=60) as client:
        where = _addresses(sandbox)
        state = (await client.get(f"{where['url']}/sandbox/state")).json()
        assert [person["name"] for person in state["people"]] == ["P1", "P2"]
        assert state["bot"]["inline"]["enabled"] is True
        group = next(chat["id"] for chat in state["chats"] if chat["type"] == "supergroup")
        path = f"{where['api_base_url']}{where['token']}/sendMessage"
        for _ in range(5):
            await client.post(path, json={"chat_id": group, "text": "x", "surplus": 1})
        after = (await client.get(f"{where['url']}/sandbox/state")).json()
        assert len(after["messages"]) == 5
        assert after["totals"]["schema_failures"] == 0, "no one looked"
        async with client.stream("GET", f"{where['url']}/sandbox/events?cursor=0") as events:
            first = await anext(line async for line in events.aiter_lines() if line.startswith("data: "))
            assert json.loads(first[6:])["kind"] == "reset", "what no one followed was not kept"
