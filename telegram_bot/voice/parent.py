"""Let a child process end with the bot, even if it hangs and the bot is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends; `parent`: its process id, as the parent knows it.

    A child that reads its input sees the end of it anyway. One that hangs in a library would stay, with its model in
    memory. Linux only; elsewhere nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the kernel was asked
        sys.exit(1)
