"""Bring the pages of a party into the internet, by a tunnel program that is installed."""

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Final

from telegram_bot.errors import OperatorError

SECONDS: Final = 60.0
"""How long a program may take until it has told the address."""
SECONDS_TO_END: Final = 5.0
"""How long it may take to end when it is asked; then it is killed, with what it started."""
PROGRAMS: Final = {
    "cloudflared": (
        ("tunnel", "--no-autoupdate", "--url", "http://127.0.0.1:{port}"),
        r"https://\w+(?:-\w+)+\.trycloudflare\.com",  # its errors name api.trycloudflare.com
    ),
    "tailscale": (("funnel", "{port}"), r"https://[\w.-]+\.ts\.net"),
}
"""By program: its arguments, and the address in its output. The first one that is installed is used."""


@contextmanager
def open_tunnel(port: int) -> Iterator[str]:
    """Run a tunnel to a local port, and yield its https address.

    Raises:
        OperatorError: no program is installed, or it ended or told no address in time.
    """
    name = next(filter(shutil.which, PROGRAMS), None)
    if name is None:
        raise OperatorError(
            "--share needs a tunnel program: install cloudflared (no account needed) or tailscale, and start again"
        )
    arguments, address = PROGRAMS[name]
    with subprocess.Popen(  # noqa: S603 - a program of the operator, with our arguments
        [name, *(each.format(port=port) for each in arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as program:
        lines: SimpleQueue[str | None] = SimpleQueue()
        # Reads to the end: a program whose output is not read stops at a full pipe.
        reader = threading.Thread(target=_read, args=(program, lines), daemon=True)
        reader.start()
        try:
            yield _address(name, lines, re.compile(address))
        finally:
            program.terminate()
            with suppress(subprocess.TimeoutExpired):
                program.wait(SECONDS_TO_END)
            program.kill()
            if hasattr(os, "killpg"):  # not on Windows
                with suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
            reader.join()


def _read(program: subprocess.Popen[str], lines: "SimpleQueue[str | None]") -> None:
    assert program.stdout is not None  # noqa: S101 - it is a pipe
    for line in program.stdout:
        lines.put(line)
    lines.put(None)


def _address(name: str, lines: "SimpleQueue[str | None]", address: re.Pattern[str]) -> str:
    last = ""
    try:
        while (line := lines.get(timeout=SECONDS)) is not None:
            if found := address.search(line):
                return found[0]
            last = line.strip() or last
    except Empty:
        pass
    raise OperatorError(f"{name} opened no tunnel: {last or 'it said nothing'}")
