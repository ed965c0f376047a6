"""`python -m telegram_sandbox` as a process: what it prints, what it starts, how it stops."""

import asyncio
import json
import re
import signal
import socket
import sys

import httpx
import pytest


async def command_line(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "telegram_sandbox", "--port", "0", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
async def test_it_prints_the_pages_address_and_the_token_and_stops_cleanly(how: signal.Signals) -> None:
    process = await command_line("--bot-username", "quiz_bot", "--token", "77:abc", "--group", "Book club")
    assert process.stdout
    lines = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(4)]
    found = re.fullmatch(
        r"The sandbox is at (http://127\.0\.0\.1:\d+)\n"
        r"Token:    (77:abc)\nBot API:  (http://127\.0\.0\.1:\d+/bot)\nFiles:    http://127\.0\.0\.1:\d+/file/bot\n",
        "".join(lines),
    )
    assert found, lines
    url, token, bot = found.groups()
    async with httpx.AsyncClient() as client:
        page = await client.get(url)
        assert page.headers["content-type"].startswith("text/html")
        assert (await client.get(f"{url}/icon.svg")).headers["content-type"].startswith("image/svg+xml")
        assert (await client.get(f"{bot}{token}/getMe")).json()["result"]["username"] == "quiz_bot"
        assert (await client.get(f"{url}/sandbox/state")).json()["chats"][-1]["title"] == "Book club"
    process.send_signal(how)
    rest = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, rest) == (0, (b"", b""))


async def test_a_bot_that_it_starts_finds_the_server_in_its_environment() -> None:
    bot = "import os; print(os.environ['BOT_TOKEN'], os.environ['BOT_API_BASE_URL'], os.environ['BOT_API_FILE_URL'])"
    process = await command_line("--token", "77:abc", sys.executable, "-c", bot)
    output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert re.search(r"(?m)^77:abc http://127\.0\.0\.1:\d+/bot http://127\.0\.0\.1:\d+/file/bot$", output.decode())
    assert process.returncode == 1, "the bot ended by itself"


async def test_a_port_that_is_taken_is_told_without_a_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = await command_line("--bot-port", str(taken.getsockname()[1]))
        output, errors = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, output) == (1, b"")
    assert re.fullmatch(r"The sandbox cannot start: port \d+ on 127\.0\.0\.1 is taken\.\n", errors.decode())


async def test_it_says_where_it_is_in_json() -> None:
    people = ("--person", "P1", "--person", "P2")
    process = await command_line("--json", *people, "--no-validation", "--no-flood-limits", "--inline")
    assert process.stdout
    where = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    async with httpx.AsyncClient() as client:
        state = (await client.get(f"{where['url']}/sandbox/state")).json()
        assert [person["name"] for person in state["people"]] == ["P1", "P2"]
        assert state["bot"]["inline"]["enabled"] is True
        group = next(chat["id"] for chat in state["chats"] if chat["type"] == "supergroup")
        path = f"{where['api_base_url']}{where['token']}/sendMessage"
        for _ in range(5):
            sent = await client.post(path, json={"chat_id": group, "text": "x", "surplus": 1})
            assert sent.status_code == 200
        after = (await client.get(f"{where['url']}/sandbox/state")).json()
        assert len(after["messages"]) == 5
        assert after["totals"]["schema_failures"] == 0, "nobody looked"
        async with client.stream("GET", f"{where['url']}/sandbox/events?cursor=0") as events:
            first = await anext(line async for line in events.aiter_lines() if line.startswith("data: "))
            assert json.loads(first[6:])["kind"] == "reset", "what nobody followed was not kept"
    process.send_signal(signal.SIGTERM)
    _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, errors) == (0, b"")
