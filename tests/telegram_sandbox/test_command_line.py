"""`python -m telegram_sandbox`: its output, the bot that it starts, and the end of both."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from telegram_sandbox import PortTakenError, SandboxSettings, launcher, running_sandbox, sandbox_in_thread
from telegram_sandbox.__main__ import _addresses, _parser, _settings, serve
from telegram_sandbox.launcher import run

SETTINGS = SandboxSettings(port=0)
Printed = pytest.CaptureFixture[str]
WAITING_BOT = """
import json, os, time, urllib.request
answer = urllib.request.urlopen(os.environ["BOT_API_BASE_URL"] + os.environ["BOT_TOKEN"] + "/getMe")
print("bot is", json.load(answer)["result"]["username"], os.environ["BOT_API_FILE_URL"][-9:], flush=True)
time.sleep(60)
"""


def chosen(*arguments: str) -> SandboxSettings:
    return _settings(_parser().parse_args(["--port", "0", *arguments]))


async def started(*arguments: str, lines: int) -> tuple[asyncio.subprocess.Process, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "telegram_sandbox", "--port", "0", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    return process, "".join([(await process.stdout.readline()).decode() for _ in range(lines)])


async def test_it_prints_the_pages_address_and_the_token_and_stops_cleanly() -> None:
    named = ("--bot-username", "quiz_bot", "--token", "77:abc", "--group", "Book club")
    process, said = await started(*named, lines=4)
    found = re.fullmatch(
        r"The sandbox is at (http://127\.0\.0\.1:\d+)\n"
        r"Token:    (77:abc)\nBot API:  (http://127\.0\.0\.1:\d+/bot)\nFiles:    http://127\.0\.0\.1:\d+/file/bot\n",
        said,
    )
    assert found, said
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


async def test_a_taken_port_is_told_without_a_traceback_and_another_one_is_used_where_it_may_be(capfd: Printed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = f"The sandbox cannot start: port {port} on 127.0.0.1 is taken, choose another one.\n"
        assert await serve(chosen("--bot-port", str(port)), as_json=False) == 1
        assert capfd.readouterr() == ("", told)
        demanded = SandboxSettings(port=port, demand_port=True)
        assert await run(demanded, [sys.executable, "-c", ""]) == 1
        assert capfd.readouterr() == (told, "")
        with pytest.raises(PortTakenError), sandbox_in_thread(demanded):  # it fails a fixture and not the run
            pass
        async with running_sandbox(SandboxSettings(port=port)) as sandbox, httpx.AsyncClient(timeout=60) as client:
            assert sandbox.url != f"http://127.0.0.1:{port}"
            assert (await client.get(f"{sandbox.url}/sandbox/state")).status_code == 200


async def test_it_says_where_it_is_in_json_and_botfathers_settings_are_options_and_acts_as_well() -> None:
    settings = chosen("--json", "--person", "P1", "--person", "P2", "--no-log", "--no-flood-limits", "--inline")
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
    settings = chosen("--no-privacy-mode", "--guest-mode", "--bot-admin")
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


async def test_both_stop_together_and_cleanly(capfd: Printed) -> None:
    running = asyncio.create_task(run(SETTINGS, [sys.executable, "-c", WAITING_BOT]))
    said = ""
    while "bot is" not in said:
        await asyncio.sleep(0.05)
        said += capfd.readouterr().out
    os.kill(os.getpid(), signal.SIGTERM)
    assert await running == 0
    first, second = said.splitlines()
    assert first.startswith("The sandbox is at http://127.0.0.1:")
    assert second == "bot is sandbox_bot /file/bot"
    assert capfd.readouterr().err == ""


async def test_a_killed_launcher_leaves_no_bot_behind() -> None:
    process, said = await started(sys.executable, "-c", WAITING_BOT, lines=2)
    assert "bot is" in said
    process.kill()
    await process.communicate()  # the pipe ends with the last process that holds it: the bot


async def test_a_stubborn_bot_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Printed) -> None:
    monkeypatch.setattr(launcher, "PATIENCE_SECONDS", 0.5)
    bot = f"trap '' TERM; touch {tmp_path}/ready; sleep 60"
    running = asyncio.create_task(run(SETTINGS, ["sh", "-c", bot]))
    while not (tmp_path / "ready").exists():  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await running == 0
    assert "it is killed" in capfd.readouterr().out
    assert await run(SETTINGS, ["/no/such/bot"]) == 1
    assert "The bot cannot start" in capfd.readouterr().out


@pytest.mark.parametrize(("status", "code"), [(7, 7), (0, 1)])
async def test_a_bot_that_ends_is_not_restarted_and_leaves_no_process_behind_also_on_a_system_without_sighup(
    status: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Printed
) -> None:
    monkeypatch.delattr(signal, "SIGHUP")
    bot = f"sleep 60 & echo $! > {tmp_path}/pid; echo oh no; exit {status}"
    assert await run(SETTINGS, ["sh", "-c", bot]) == code
    out = capfd.readouterr().out
    assert "oh no" in out
    assert f"The bot has ended by itself with exit code {status}" in out
    if psutil.pid_exists(pid := int((tmp_path / "pid").read_text())):
        psutil.Process(pid).wait(30)


async def test_open_polls_and_streams_do_not_delay_the_end() -> None:
    async with httpx.AsyncClient(timeout=60) as client, asyncio.TaskGroup() as tasks:
        async with running_sandbox(SETTINGS) as sandbox:
            poll = tasks.create_task(client.get(f"{sandbox.bot_base_url}{sandbox.token}/getUpdates?timeout=30"))
            stream = tasks.create_task(client.get(f"{sandbox.url}/sandbox/events"))
            while sandbox.world.updates._reader == 0:  # noqa: ASYNC110 - the poll comes over a line
                await asyncio.sleep(0.02)
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < 20, "the poll's thirty seconds are not waited for"
        assert (await poll).json() == {"ok": True, "result": []}
        assert (await stream).status_code == 200


async def test_an_ipv6_address_or_a_plain_word_where_the_machine_has_none() -> None:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        with pytest.raises(PortTakenError):
            await running_sandbox(SandboxSettings(host="::1", port=0)).__aenter__()
    else:
        async with running_sandbox(SandboxSettings(host="::1", port=0)) as sandbox:
            assert sandbox.url.startswith("http://[::1]:")
