"""The cost of reading aloud: time, CPU and memory of the process that speaks, and the size of its notes.

python benchmarks/speaking.py
"""

import asyncio
import time

import psutil

from telegram_bot.voice.speaking import Speech, note_seconds

SENTENCES = {
    "en": "Dudo! Ana doubts Bo's {n} fives. Ana has one five. There are only 2. The bid fails. Bo loses a die.",
    "it": "Dudo! Ana non crede a Bo: {n} cinque. Ce ne sono solo 2. La puntata non regge. Bo perde un dado.",
    "fr": "Dudo ! Ana ne croit pas Bo : {n} cinq. Il y en a seulement 2. L'annonce ne tient pas. Bo perd un dé.",
    "es": "¡Dudo! Ana no le cree a Bo: {n} cincos. Hay solo 2. La apuesta no se cumple. Bo pierde un dado.",
    "nl": "Dudo! Ana gelooft Bo niet: {n} vijven. Er zijn er maar 2. Het bod klopt niet. Bo verliest een steen.",
}
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
    for number in range(NOTES):
        for language, sentence in SENTENCES.items():
            began = time.perf_counter()
            note = await speaking.say(sentence.format(n=number + 2), language)
            slowest = max(slowest, time.perf_counter() - began)
            seconds += note_seconds(note)
            size += len(note)
    cpu = sum(child.cpu_times()[:2]) - cpu
    notes = NOTES * len(SENTENCES)
    print(f"notes: {notes}, {seconds / notes:.1f} s and {size / notes / 1000:.0f} kB each")
    print(f"CPU: {1000 * cpu / notes:.0f} ms a note, {1000 * cpu / seconds:.0f} ms a second of sound")
    print(f"slowest: {1000 * slowest:.0f} ms; the first, with the start of the process: {1000 * first:.0f} ms")
    print(f"memory of the process: {child.memory_info().rss / 1e6:.0f} MB")
    await speaking.close()


if __name__ == "__main__":
    asyncio.run(main())
