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
import time

INTERRUPTED = 128 + signal.SIGINT
LOOK_SECONDS = 0.2
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
        shown, goes_on, interrupted = 0, True, False
        while goes_on:
            try:
                time.sleep(LOOK_SECONDS)
                has_ended = quiet.poll() is not None
                goes_on = seen.poll() is None or not has_ended
                size = os.fstat(written.fileno()).st_size  # the command writes where this file's position is
                new = os.pread(written.fileno(), size - shown, shown)
                if new and (has_ended or shown or FAILED in new):
                    sys.stdout.write("\n" * (not shown) + new.decode(errors="replace"))
                    sys.stdout.flush()
                    shown = size
            except KeyboardInterrupt:
                interrupted = True
        return INTERRUPTED if interrupted else int(any((quiet.returncode, seen.returncode)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
