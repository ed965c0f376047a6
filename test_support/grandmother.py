"""Somebody's grandmother plays by text, in five languages: `python -m test_support.grandmother` writes the page."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.words.catalogue import own_name
from test_support.sms_world import SmsWorld, code_in

PAGE: Final = Path(__file__).parents[1] / "docs/sms/grandmother.md"
NUMBERS: Final = {
    "en": ("+447400123401", "+447400123402"),
    "it": ("+393471234501", "+393471234502"),
    "fr": ("+33612345601", "+33612345602"),
    "es": ("+34612345601", "+34612345602"),
    "nl": ("+31612345601", "+31612345602"),
}
"""Ana's and Rita's."""
SHE_TEXTS: Final = {
    "en": ("Hello Ana! JOIN {code}", "I'm Rita", "What do I do?", "one more", "Four threes please, dear",
           "6x3. Love, Rita", "I don't believe it"),
    "it": ("Ciao Ana! JOIN {code}", "Sono Rita", "Cosa devo fare?", "uno in più", "Quattro tre per favore, cara",
           "6x3. Baci, Rita", "Non ci credo"),
    "fr": ("Bonjour Ana ! JOIN {code}", "Je m'appelle Rita", "Je fais quoi ?", "un de plus",
           "Quatre trois s'il te plaît ma chérie", "6x3. Bisous, Rita", "Je n'y crois pas"),
    "es": ("¡Hola Ana! JOIN {code}", "Soy Rita", "¿Qué hago?", "uno más", "Cuatro treses por favor, mija",
           "6x3. Besos, Rita", "No me lo creo"),
    "nl": ("Hoi Ana! JOIN {code}", "Ik ben Rita", "Wat moet ik doen?", "eentje meer",
           "Vier drieën alsjeblieft, lieverd", "6x3. Liefs, Rita", "Dat geloof ik niet"),
}  # fmt: skip
"""Her way to a seat, her name, her only question, three bids and a doubt. Ana raises by one in between."""
HEAD: Final = """# Rita plays by text

Rita has a telephone with keys, no data plan, and a granddaughter who said: *text JOIN and this code to that number,
Gran.* She does not know the rules. The tables show her first round, with her texts on the left and the bot's
answers on the right. Each answer is one text message; a row without a text of hers follows a move of Ana's. Before her
third bid she sends only two texts that are no calls: her name, and one question.

The bot has played this round: `python -m test_support.grandmother` writes the page, and a test compares it.
"""


async def conversation(world: SmsWorld, language: str) -> list[tuple[str, list[str]]]:
    """Yield Rita's texts with the bot's answers until her next text; an empty text is a move of Ana's."""
    ana, rita = NUMBERS[language]
    code = code_in(await world.text(ana, "NEW Ana"))
    joins, name, *rest = SHE_TEXTS[language]
    told = [(words, await world.text(rita, words)) for words in (joins.format(code=code), name)]
    await world.text(ana, "GO")
    told.append(("", world.got(rita)))
    for words, raised in zip(rest, ("1x3", "", "3x3", "5x3", "7x3"), strict=True):
        if raised:
            await world.text(ana, raised)
            told.append(("", world.got(rita)))
        told.append((words, await world.text(rita, words)))
    return told


def chapter(language: str, told: list[tuple[str, list[str]]]) -> Iterator[str]:
    """The round in one language, as a table."""
    yield f"\n## {own_name(language)}\n"
    yield "| Rita texts | and gets back |"
    yield "|---|---|"
    for words, texts in told:
        yield f"| {words} | {'<br>'.join(texts)} |"


def page() -> str:
    """The whole page."""
    lines = [HEAD.rstrip()]
    for language in SHE_TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            database = Database(f"sqlite:///{Path(folder, 'perudo.db')}")
            schema.upgrade(database.engine)
            countries = {"en": "GB"}.get(language, language.upper())
            world = SmsWorld(database, countries=(countries,), seed=5, languages=tuple(SHE_TEXTS))
            lines += chapter(language, asyncio.run(conversation(world, language)))
            database.close()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
