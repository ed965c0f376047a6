"""Find the processes that a bot has started for long computations, and those that have outlived their bot; Ctrl-C."""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

ORPHAN_SECONDS: Final = 3.0
"""How long a process may take to notice that its bot is dead."""
WITHOUT_PRIVILEGES: Final = (
    "import ctypes, struct; ctypes.CDLL(None).capset(struct.pack('Ii', 0x20080522, 0), bytes(24))\n"
    if sys.platform.startswith("linux")
    else ""
)
"""The start of a program that gives up root's privileges, which a service does not have."""


def let_children_hear_ctrl_c() -> None:
    """Let the programs that this process starts end by Ctrl-C, also where it runs in the background of a script.

    A program ignores the signals that its parent ignored, and ends by those that its parent handled.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def parents_of(module: str) -> dict[int, int]:
    """Return the processes of this session that run a module, each with its parent."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            number = int(folder.name)
            if module.encode() in folder.joinpath("cmdline").read_bytes() and os.getsid(number) == os.getsid(0):
                found[number] = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
    return found


async def orphans_of(module: str, within: float = ORPHAN_SECONDS) -> list[int]:
    """Return the processes that run a module and outlive their bot by more than so many seconds."""
    for _ in range(int(within / 0.05)):
        if not (orphans := _orphans(module)):
            return []
        await asyncio.sleep(0.05)
    return orphans


def _orphans(module: str) -> list[int]:
    return [number for number, parent in parents_of(module).items() if not _is_python(parent)]


def _is_python(number: int) -> bool:
    """Return whether a process may be a bot; the process that inherits orphans is none."""
    with suppress(OSError):
        return b"python" in Path(f"/proc/{number}/cmdline").read_bytes()
    return False


def has_in_sight(secret: str, bot: int) -> bool:
    """Return whether another process of the bot's user, without privileges, reads a secret in the bot's environment."""
    spy = f"{WITHOUT_PRIVILEGES}print({secret!r} in open('/proc/{bot}/environ').read())"
    done = subprocess.run([sys.executable, "-c", spy], capture_output=True, text=True, check=False)  # noqa: S603 - a test's own words
    return done.stdout.strip() == "True"
