"""End a command whose output nobody takes any more."""

from __future__ import annotations

import os
import sys


def cannot_print(error: OSError) -> int:
    """Return the exit status of a command that cannot print: `head` has closed the pipe, or a disk is full."""
    # The interpreter flushes once more at its end and would report the same error.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        sys.stderr.write(f"cannot print: {error.strerror}\n")
    return 1
