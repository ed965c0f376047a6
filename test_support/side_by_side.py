"""Run two commands at the same time, as `make test` does: python -m test_support.side_by_side FIRST SECOND.

The first command's output appears whole when the command ends, the second's as it is written. The exit status is 0 if
both commands succeed. Ctrl-C reaches both commands, as it reaches every process of a terminal; a SIGTERM interrupts
both, so that pytest still names what failed.
"""

import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from typing import IO

INTERRUPTED = 128 + signal.SIGINT


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
    """Print a command's output after its end."""
    command.wait()
    written.seek(0)
    sys.stdout.write("\n" + written.read().decode(errors="replace"))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
