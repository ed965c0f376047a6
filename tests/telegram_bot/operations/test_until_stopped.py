"""The messages of the process to systemd."""

import asyncio
import socket
from pathlib import Path

import pytest

from telegram_bot.operations.until_stopped import tell_systemd


async def test_systemds_watchdog_hears_from_an_event_loop_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell_systemd()  # without systemd it ends at once
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "30000")
        alive = asyncio.create_task(tell_systemd())
        loop = asyncio.get_running_loop()
        assert [await loop.sock_recv(systemd, 100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        alive.cancel()
