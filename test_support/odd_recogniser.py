"""A recogniser's program that misbehaves as a note's language says: hangs, dies, or answers with its own id."""

from __future__ import annotations

import os
import sys
import time

from telegram_bot.voice.frames import pack, read_frame_blocking


def main() -> None:
    while (frame := read_frame_blocking(sys.stdin.buffer)) is not None:
        wish = frame[1].decode()
        if wish == "hang":
            time.sleep(60)
        if wish == "die":
            os._exit(1)
        time.sleep(0.2 if wish == "slow" else 0)
        sys.stdout.buffer.write(pack({"verdict": "ask", "guesses": [["5x4", float(os.getpid())]]}))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
