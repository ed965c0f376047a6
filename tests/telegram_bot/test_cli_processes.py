"""`perudo-bot run` and `perudo-bot sandbox` as processes: started, reachable, stopped."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from telegram_sandbox import RunningSandbox, running_sandbox
from test_support.child_processes import WITHOUT_PRIVILEGES, has_in_sight

STRANGER = "123456:a-token-that-nobody-knows-anything-about"
PATIENCE = 60
PROGRAM = f"{WITHOUT_PRIVILEGES}import sys; from telegram_bot.cli import main; sys.exit(main())"


class Program:
    """`perudo-bot` while it runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said = ""

    async def says(self, pattern: str) -> re.Match[str]:
        """Wait until its output contains a text."""
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE):
            while not (found := re.search(pattern, self.said)):
                line = (await self.process.stdout.readline()).decode()
                assert line, f"it ended and had only said: {self.said}"
                self.said += line
        return found

    async def end(self, how: signal.Signals | None = None) -> int:
        """Wait for its end, or stop it; return its status."""
        assert self.process.stdout
        if how is not None:
            self.process.send_signal(how)
        async with asyncio.timeout(PATIENCE):
            self.said += (await self.process.stdout.read()).decode()
            return await self.process.wait()


@asynccontextmanager
async def perudo_bot(folder: Path, *arguments: str, **variables: str) -> AsyncIterator[Program]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, *arguments),
        cwd=folder,
        env=own | {"TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"} | variables,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    program = Program(process)
    try:
        yield program
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
    assert "Traceback" not in program.said


@asynccontextmanager
async def a_bot(folder: Path, sandbox: RunningSandbox, token: str, **variables: str) -> AsyncIterator[Program]:
    """A bot of the sandbox, which never says its token."""
    variables |= {"PERUDO_TOKEN": token, "PERUDO_API_BASE_URL": sandbox.bot_base_url}
    async with perudo_bot(folder, "run", **variables) as bot:
        yield bot
    assert token not in bot.said


async def test_the_sandbox_shows_its_page_and_stops_cleanly_by_ctrl_c(tmp_path: Path) -> None:
    async with perudo_bot(tmp_path, "sandbox", "--port", "0") as sandbox:
        address = (await sandbox.says(r"The sandbox is at (http://127\.0\.0\.1:\d+)\n"))[1]
        async with httpx.AsyncClient(timeout=60) as client:
            assert (await client.get(address)).headers["content-type"].startswith("text/html")
        assert await sandbox.end(signal.SIGINT) == 0
    assert [*Path.rglob(tmp_path, "*")] == [tmp_path / "scratch"], "it leaves nothing, and its database is thrown away"


async def test_the_bot_stops_cleanly_when_its_service_is_stopped(tmp_path: Path) -> None:
    async with (
        running_sandbox() as sandbox,
        a_bot(tmp_path, sandbox, sandbox.token, PERUDO_LOG_LEVEL="DEBUG") as bot,
    ):
        async with asyncio.timeout(PATIENCE):
            while not sandbox.world.calls.named("getMe"):
                assert bot.process.returncode is None, bot.said
                await asyncio.sleep(0.05)
        assert not has_in_sight(sandbox.token, bot.process.pid), "other processes of its user read its environment"
        assert await bot.end(signal.SIGTERM) == 0


async def test_a_token_that_telegram_does_not_know_ends_the_bot_in_one_line(tmp_path: Path) -> None:
    async with running_sandbox() as sandbox, a_bot(tmp_path, sandbox, STRANGER) as bot:
        assert await bot.end() == 2, "the units do not restart it after this"
    assert bot.said.splitlines()[-1].startswith("perudo-bot: Telegram does not know this token")
