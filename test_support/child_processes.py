"""Programs that run to their end, the environment of a bot that other processes may see, and Ctrl-C."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

WITHOUT_PRIVILEGES: Final = (
    "import ctypes, struct; ctypes.CDLL(None).capset(struct.pack('Ii', 0x20080522, 0), bytes(24))\n"
    if sys.platform.startswith("linux")
    else ""
)
"""The start of a program that gives up root's privileges, which a service does not have."""


def run(*command: str | Path, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; return its status and its output."""
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=check, **options)  # noqa: S603 - our own


def known_files(root: Path) -> list[str]:
    """Return the names of a checkout's present files, except those that git ignores."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=root, check=True).stdout
    return [name for name in listed.split("\0") if (root / name).is_file()]


def copy_known_files(root: Path, to: Path) -> None:
    """Copy these files, with their times."""
    for name in known_files(root):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, to / name)


def let_children_hear_ctrl_c() -> None:
    """Let the programs that this process starts end by Ctrl-C, also where it runs in the background of a script.

    A program ignores the signals that its parent ignored, and ends by those that its parent handled.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def has_in_sight(secret: str, bot: int) -> bool:
    """Return whether another process of the bot's user, without privileges, reads a secret in the bot's environment."""
    spy = f"{WITHOUT_PRIVILEGES}print({secret!r} in open('/proc/{bot}/environ').read())"
    return run(sys.executable, "-c", spy).stdout.strip() == "True"
