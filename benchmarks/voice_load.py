"""The cost of voice notes for people who tap: 100 tables play, and 20 notes a minute are recognised meanwhile.

`--at-once 1000`: 1,000 people send a note at the same moment, while others tap, and each download takes a second.

Run it with `python -m benchmarks.voice_load` from the project's folder. The bot, its decoder and its recogniser are
real and run as an operator would start them, over HTTP; the notes are spoken by espeak-ng. Prints a markdown table.
"""

import argparse
import asyncio
import contextlib
import itertools
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.bot_load.people import percentiles
from benchmarks.bot_speed import House, Running, Steady, head, running, say, steadily
from test_support.voice_notes import espeak_note

TABLES: Final = 100
NOTES_A_MINUTE: Final = 20
SENTENCES: Final = ("five fours", "three twos", "six fives", "four threes", "two sixes")
MINUTE: Final = 60.0
DOWNLOAD_SECONDS: Final = 1.0
WARM_UP_SECONDS: Final = 4.0
"""`steadily` forgets its first three seconds."""


async def speak(bot: Running, per_minute: int) -> None:
    """Let people say bids at this pace, until cancelled."""
    for number in itertools.count():
        bot.people.speak(f"note{number % len(SENTENCES)}", 1)
        await asyncio.sleep(MINUTE / per_minute)


async def measure(url: str, per_minute: int, seconds: float) -> str:
    """Measure steady taps with so many notes a minute."""
    async with running(House("SQLite"), url, TABLES) as bot:
        for number, sentence in enumerate(SENTENCES):
            bot.server.files[f"note{number}"] = espeak_note(sentence)
        speaking = asyncio.create_task(speak(bot, per_minute)) if per_minute else None
        was = await steadily(bot, seconds)
        if speaking is not None:
            speaking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await speaking
        asked = bot.people.waits.notes
    return _row(str(per_minute), was, asked)


async def burst(url: str, notes: int, seconds: float) -> str:
    """Measure steady taps, at whose start so many people send a note at once."""
    async with running(House("SQLite"), url, notes + TABLES) as bot:
        bot.server.files["note"] = espeak_note(SENTENCES[0])
        bot.server.file_seconds = DOWNLOAD_SECONDS
        speaking = asyncio.create_task(_speak_after_warm_up(bot, notes))
        was = await steadily(bot, seconds)
        await speaking
        return _row(f"{notes} at once", was, bot.people.waits.notes)


async def _speak_after_warm_up(bot: Running, notes: int) -> None:
    await asyncio.sleep(WARM_UP_SECONDS)
    bot.people.speak("note", 1, at_once=notes)


def _row(notes: str, was: Steady, asked: list[float]) -> str:
    median, slowest = percentiles(asked)
    return (
        f"| {notes} | {was.answer[0]:.0f} | {was.answer[1]:.0f} | {was.send[0]:.0f} | {was.send[1]:.0f} | "
        f"{len(asked)} | {median:.0f} | {slowest:.0f} | {was.share:.0%} | {was.unanswered} |"
    )


async def main(seconds: float, at_once: int) -> None:
    """Measure without notes, and with them."""
    head(
        "notes a minute",
        *("answer p50, ms", "p99", "sent p50, ms", "p99"),
        *("notes asked", "asked after p50, ms", "p99"),
        *("bot's share of a core", "unanswered"),
    )
    with tempfile.TemporaryDirectory() as folder:
        if at_once:
            say(await burst(f"sqlite:///{Path(folder)}/burst.db", at_once, seconds))
            return
        for per_minute in (0, NOTES_A_MINUTE):
            say(await measure(f"sqlite:///{Path(folder)}/{per_minute}.db", per_minute, seconds))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each pace is kept")
    parser.add_argument("--at-once", type=int, default=0, help="how many people send a note at the same moment")
    given = parser.parse_args()
    asyncio.run(main(given.seconds, given.at_once))
