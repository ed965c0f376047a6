"""The program of the process that analyses one game: reads its record, writes its story, ends.

It ends as well when its input does, so it does not outlive the bot, whatever ends that.
"""

from __future__ import annotations

import json
import os
import sys
from threading import Thread

from perudo_core import read_record
from telegram_bot.statistics.story import story_of

NICENESS = 10
"""Whoever plays comes first."""


def main() -> None:
    """Read a record from the standard input, a line with a JSON string; write the story as JSON to the output."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    record = json.loads(sys.stdin.readline())
    Thread(target=_end_with_the_bot, daemon=True).start()
    sys.stdout.write(story_of(read_record(record)).model_dump_json())


def _end_with_the_bot() -> None:
    """End this process when nobody holds the other end of its input any longer."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
