"""The cost of reading aloud: time, CPU and memory of the process that speaks, and the size of its notes.

python benchmarks/speaking.py
"""

import asyncio
import time

import psutil

from telegram_bot.voice.speaking import Speech, note_seconds
from telegram_bot.words.language_files import GRAMMARS
from test_support.phrases import by_friends

NOTES = 40


async def main() -> None:
    """Say sentences in all languages with the voice that every installation has."""
    speaking = Speech()
    began = time.perf_counter()
    await speaking.say("One.", "en")
    first = time.perf_counter() - began
    (child,) = psutil.Process().children()
    cpu = sum(child.cpu_times()[:2])
    seconds = size = 0.0
    slowest = 0.0
    sentences = {language: by_friends(language)["sentences"]["end_of_a_round"] for language in GRAMMARS}
    for number in range(NOTES):
        for language, sentence in sentences.items():
            began = time.perf_counter()
            note = await speaking.say(sentence.format(n=number + 2), language)
            slowest = max(slowest, time.perf_counter() - began)
            seconds += note_seconds(note)
            size += len(note)
    cpu = sum(child.cpu_times()[:2]) - cpu
    notes = NOTES * len(sentences)
    print(f"notes: {notes}, {seconds / notes:.1f} s and {size / notes / 1000:.0f} kB each")
    print(f"CPU: {1000 * cpu / notes:.0f} ms a note, {1000 * cpu / seconds:.0f} ms a second of sound")
    print(f"slowest: {1000 * slowest:.0f} ms; the first, with the start of the process: {1000 * first:.0f} ms")
    print(f"memory of the process: {child.memory_info().rss / 1e6:.0f} MB")
    await speaking.close()


if __name__ == "__main__":
    asyncio.run(main())
