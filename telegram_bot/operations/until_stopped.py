"""Run a command's work until it ends or the operator stops it."""

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final, TypeVar

STOPS: Final = (signal.SIGINT, signal.SIGTERM)

T = TypeVar("T")


def until_stopped(work: Awaitable[T]) -> T | None:
    """Run to the end, or to the first Ctrl-C or SIGTERM: then return None.

    A second one does not wait for the clean-up.
    """

    async def watched() -> T | None:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        stopping = False

        def stop() -> None:
            nonlocal stopping
            stopping = True
            task.cancel()
            for each in STOPS:
                loop.remove_signal_handler(each)

        for each in STOPS:
            loop.add_signal_handler(each, stop)
        try:
            return await task
        except asyncio.CancelledError:
            if not stopping:
                raise
            return None

    return asyncio.run(watched())


async def tell_systemd() -> None:
    """Tell systemd's watchdog, if there is one, that the event loop runs; until cancelled."""
    address, period = os.environ.get("NOTIFY_SOCKET"), int(os.environ.get("WATCHDOG_USEC", "0")) / 3_000_000
    if not address or not period:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.setblocking(False)
        while True:
            with suppress(OSError):
                systemd.sendto(b"WATCHDOG=1", address.replace("@", "\0", 1))
            await asyncio.sleep(period)
