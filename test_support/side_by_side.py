"""Run two commands at the same time, as `make test` does: python -m test_support.side_by_side FIRST SECOND.

The first command's output appears whole when the command ends, or from the first failure of a test on, the second's as
it is written. The exit status is 0 if both commands succeed. Ctrl-C reaches both commands, as it reaches every process
of a terminal; a SIGTERM interrupts both, so that pytest still names what failed.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from typing import IO

INTERRUPTED = 128 + signal.SIGINT
LOOK_SECONDS = 0.5
FAILED = b"\n____"
"""A failure's heading, as `forked_workers` prints it when it happens."""


def main(first: str, second: str) -> int:
    with tempfile.TemporaryFile() as written:
        quiet = subprocess.Popen(shlex.split(first), stdin=subprocess.DEVNULL, stdout=written, stderr=written)  # noqa: S603 - a command of the Makefile
        seen = subprocess.Popen(shlex.split(second))  # noqa: S603 - so is this one

        def interrupt(*_: object) -> None:
            quiet.send_signal(signal.SIGINT)
            seen.send_signal(signal.SIGINT)

        signal.signal(signal.SIGTERM, interrupt)
        showing = threading.Thread(target=_show, args=(quiet, written))
        showing.start()
        interrupted = False
        while showing.is_alive() or seen.poll() is None:
            try:
                seen.wait()
                showing.join()
            except KeyboardInterrupt:
                interrupted = True
        return INTERRUPTED if interrupted else int(any((quiet.returncode, seen.returncode)))


def _show(command: subprocess.Popen[bytes], written: IO[bytes]) -> None:
    """Print a command's output after its end, or from its first failure on."""
    shown, ended = 0, False
    while not ended:
        try:
            command.wait(LOOK_SECONDS)
            ended = True
        except subprocess.TimeoutExpired:
            pass
        size = os.fstat(written.fileno()).st_size
        new = os.pread(written.fileno(), size - shown, shown)  # the command writes where this file's position is
        if ended or shown or FAILED in new:
            sys.stdout.write("\n" * (not shown) + new.decode(errors="replace"))
            sys.stdout.flush()
            shown = size


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
