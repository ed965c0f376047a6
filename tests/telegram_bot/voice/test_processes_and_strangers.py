"""The processes beside the bot: who may talk to them, and that none outlives a bot that is killed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil
import pytest

from telegram_bot.errors import StartError
from telegram_bot.settings.voice import VoiceSettings
from telegram_bot.voice.recogniser_process import Limits
from telegram_bot.voice.worker import RecogniserClient
from test_support.documents import ROOT

ODD: Final = "test_support.odd_recogniser"
NOBODY: Final = 65534
STARTS: Final = {
    "recogniser": "from telegram_bot.voice.recogniser_process import Limits, RecogniserProcess as P\n"
    "process = P(None, Limits(seconds=60))\nasync def begin(): await process.hear(bytes(32000), 'en', ['5x4'])",
    "voice": "from telegram_bot.voice.speaking import SpeakingProcess as P\n"
    "process = P(seconds=60)\nasync def begin(): await process.say('five', 'en')",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does it on Linux only, as docs/voice.md says")
@pytest.mark.parametrize("which", STARTS)
def test_a_child_that_hangs_does_not_outlive_a_killed_bot(which: str, tmp_path: Path) -> None:
    """Stopped, it cannot see the end of its input, as if it hung in a library."""
    script = f"import asyncio\n{STARTS[which]}\nasync def main():\n await begin()\n print('ready', flush=True)\n"
    script += " await asyncio.sleep(60)\nasyncio.run(main())"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", script], cwd=ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "ready\n"
        (child,) = psutil.Process(bot.pid).children()
        child.suspend()
        bot.kill()
    deadline = time.monotonic() + 5
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.02)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder with a short path, as that of a socket has 100 bytes at most."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


async def test_nobody_else_on_the_host_may_have_notes_heard_or_read_what_is_there(open_folder: Path) -> None:
    """Even in a folder that was open to all before."""
    ears = RecogniserClient(VoiceSettings(), folder=open_folder, limits=Limits(), program=ODD)
    try:
        assert await ears._hears()
        _only_ours(open_folder)
    finally:
        await ears.close()


def _only_ours(folder: Path) -> None:
    (opened,) = folder.glob("*.sock")
    (lock,) = folder.glob("*.lock")
    assert (folder.stat().st_mode & 0o777, lock.stat().st_mode & 0o777) == (0o700, 0o600)
    with socket.socket(socket.AF_UNIX) as own:
        own.connect(str(opened))
    if os.geteuid() == 0:
        _refused_to_others(opened)


def _refused_to_others(opened: Path) -> None:
    script = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    said = subprocess.run(  # noqa: S603
        ["/usr/bin/python3", "-c", script, opened], user=NOBODY, group=NOBODY, capture_output=True, check=False
    )
    assert b"PermissionError" in said.stderr


def test_folders_of_somebody_else_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither that of the cache nor the one in /tmp, which anybody may make first."""
    me = 4_000_000_001
    theirs = Path(f"/tmp/perudo-bot-{me}")  # noqa: S108
    theirs.mkdir()
    monkeypatch.setattr("os.getuid", lambda: me)
    try:
        with pytest.raises(StartError, match="may this user write"):
            RecogniserClient(VoiceSettings(), folder=tmp_path / "cache", program=ODD)
    finally:
        theirs.rmdir()
