import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from telegram_sandbox import launcher
from telegram_sandbox.launcher import run
from telegram_sandbox.server import PortTakenError, listen, running_sandbox
from telegram_sandbox.settings import SandboxSettings

SETTINGS = SandboxSettings(port=0)
WAITING_BOT = """
import json, os, time, urllib.request
answer = urllib.request.urlopen(os.environ["BOT_API_BASE_URL"] + os.environ["BOT_TOKEN"] + "/getMe")
print("bot is", json.load(answer)["result"]["username"], os.environ["BOT_API_FILE_URL"][-9:], flush=True)
time.sleep(60)
"""
LAUNCHER = """
import asyncio, os, sys
from telegram_sandbox.launcher import run
from telegram_sandbox.settings import SandboxSettings
sys.exit(asyncio.run(run(SandboxSettings(port=0), [sys.executable, "-c", sys.argv[1]])))
"""


async def test_both_stop_together_and_cleanly(capfd: pytest.CaptureFixture[str]) -> None:
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
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LAUNCHER, WAITING_BOT), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout
    for _ in range(2):
        assert await process.stdout.readline()
    process.kill()
    # The pipe ends with the last process that holds it: the bot.
    await process.communicate()


async def test_a_stubborn_bot_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher, "PATIENCE_SECONDS", 0.5)
    bot = f"trap '' TERM; touch {tmp_path}/ready; sleep 60"
    running = asyncio.create_task(run(SETTINGS, ["sh", "-c", bot]))
    while not (tmp_path / "ready").exists():  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await running == 0
    assert "it is killed" in capfd.readouterr().out


@pytest.mark.parametrize(("status", "code"), [(7, 7), (0, 1)])
async def test_a_bot_that_ends_is_not_restarted_also_on_a_system_without_sighup(
    status: int, code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(signal, "SIGHUP")
    assert await run(SETTINGS, [sys.executable, "-c", f"import sys; print('oh no'); sys.exit({status})"]) == code
    out = capfd.readouterr().out
    assert "oh no" in out
    assert f"The bot has ended by itself with exit code {status}" in out


async def test_a_bot_that_ends_leaves_no_process_behind_and_one_that_is_not_there_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert await run(SETTINGS, ["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/pid"]) == 1
    if psutil.pid_exists(pid := int((tmp_path / "pid").read_text())):
        psutil.Process(pid).wait(30)
    assert await run(SETTINGS, ["/no/such/bot"]) == 1
    assert "The bot cannot start" in capfd.readouterr().out


async def test_a_taken_port(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demanded = SandboxSettings(port=port, demand_port=True)
        with pytest.raises(PortTakenError):
            listen(demanded)
        assert await run(demanded, [sys.executable, "-c", ""]) == 1
        assert f"port {port} on 127.0.0.1 is taken" in capfd.readouterr().out
        async with running_sandbox(SandboxSettings(port=port)) as sandbox:
            assert sandbox.url != f"http://127.0.0.1:{port}"
            async with httpx.AsyncClient(timeout=60) as client:
                assert (await client.get(f"{sandbox.url}/sandbox/state")).status_code == 200


async def test_open_polls_and_streams_do_not_delay_the_end() -> None:
    async with httpx.AsyncClient(timeout=30) as client, asyncio.TaskGroup() as tasks:
        async with running_sandbox(SETTINGS) as sandbox:
            poll = tasks.create_task(client.get(f"{sandbox.bot_base_url}{sandbox.token}/getUpdates?timeout=30"))
            stream = tasks.create_task(client.get(f"{sandbox.url}/sandbox/events"))
            while sandbox.world.updates._reader == 0:  # noqa: ASYNC110 - the poll comes over a line
                await asyncio.sleep(0.02)
            began = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - began < 20, "the poll's thirty seconds are not waited for"
        assert (await poll).json() == {"ok": True, "result": []}
        assert (await stream).status_code == 200


def speaks_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_an_ipv6_address_or_a_plain_word_where_the_machine_has_none() -> None:
    settings = SandboxSettings(host="::1", port=0)
    if speaks_ipv6():
        async with running_sandbox(settings) as sandbox:
            assert sandbox.url.startswith("http://[::1]:")
    else:
        with pytest.raises(PortTakenError):
            async with running_sandbox(settings):
                pass
