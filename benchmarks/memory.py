"""Memory and disk of a worker, as docs/operating/service.md states them: `python -m benchmarks.memory`.

The bot is real, with its usual settings but for Telegram's limits; people play at the pace that fills Telegram's thirty
sends a second. RSS is what `ps` shows, PSS counts what processes share by halves: that of several workers can be added.
Linux only (PSS).
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Final

import psutil

from benchmarks import database_growth
from benchmarks.bot_speed import CEILING, SENDS_A_TAP, House, Running, running, say
from test_support.voice_notes import espeak_note

MIB: Final = 2**20
USUAL: Final = {"PERUDO_PICTURES__HANDS": "true", "PERUDO_PICTURES__REVEALS": "true"}
"""The features that `bot_speed` switches off."""
HOUSE: Final = House("SQLite")
TABLES: Final = 1000
GAMES: Final = 1000
NOTE: Final = "note"
NOTE_SECONDS: Final = 20.0


async def main(seconds: float) -> None:
    """Print a line for each measurement."""
    with tempfile.TemporaryDirectory() as folder:
        urls = (f"sqlite:///{Path(folder, name)}.db" for name in ("empty", "full", "spoken"))
        async with running(HOUSE, next(urls), 0, settings=USUAL) as bot:
            await asyncio.sleep(5)
            say(f"without games: {_shown(_bot(bot))}")
        async with running(HOUSE, next(urls), TABLES, settings=USUAL) as bot:
            say(f"{TABLES} tables, no one has tapped yet: {_shown(_bot(bot))}")
            await bot.people.steadily(CEILING / SENDS_A_TAP, seconds)
            await bot.people.settle()
            say(f"after {bot.people.taps} taps in {seconds:.0f} s: {_shown(_bot(bot))}")
        async with running(HOUSE, next(urls), 1, settings=USUAL) as bot:
            bot.server.files[NOTE] = espeak_note("five fours")
            before = _bot(bot)
            bot.people.speak(NOTE, 1)
            async with asyncio.timeout(NOTE_SECONDS):
                while not bot.people.waits.notes:  # noqa: ASYNC110 - until the bot asks
                    await asyncio.sleep(0.05)
            say(f"before a voice note: {_shown(before)}; after it: {_shown(_bot(bot))}")
            for child in _bot(bot).children():
                say(f"  beside it until it is idle: {child.cmdline()[2]}: {_shown(child)}")


def _bot(bot: Running) -> psutil.Process:
    return psutil.Process(bot.process.pid)


def _shown(process: psutil.Process) -> str:
    memory = process.memory_full_info()
    return f"RSS {memory.rss / MIB:.0f} MiB, PSS {memory.pss / MIB:.0f} MiB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long people tap")
    asyncio.run(main(parser.parse_args().seconds))
    database_growth.measure(GAMES)
