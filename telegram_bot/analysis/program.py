"""The program of the process that analyses one game: reads its record, writes its story, ends."""

from __future__ import annotations

import os
import sys

from perudo_core import read_record
from telegram_bot.statistics.story import story_of

NICENESS = 10
"""Whoever plays comes first."""


def main() -> None:
    """Read a record as JSON from the standard input, write the story as JSON to the standard output."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    sys.stdout.write(story_of(read_record(sys.stdin.read())).model_dump_json())


if __name__ == "__main__":
    main()
