"""A beginner plays her first round by text, in five languages: `python -m test_support.grandmother` writes the page."""

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from test_support.sms_world import SmsWorld, code_in

PAGE: Final = Path(__file__).parents[1] / "docs/sms/grandmother.md"
NUMBERS: Final = {
    "en": ("+447400123401", "+447400123402"),
    "it": ("+393471234501", "+393471234502"),
    "fr": ("+33612345601", "+33612345602"),
    "es": ("+34612345601", "+34612345602"),
    "nl": ("+31612345601", "+31612345602"),
}
"""The numbers of Ana and Rita."""
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
"""Rita's texts: JOIN, her name, one question, three bids and a doubt. Ana raises by one in between."""
HEAD: Final = """# Rita plays by text

Rita has a telephone with keys, no data plan, and a granddaughter, Ana, who told her to text JOIN and a code. Rita does
not know the rules. This is her first round: her texts, and the bot's answers, one text message each. A row without a
text of hers follows a move of Ana's. The bot speaks five languages, and the round is the same in each.

`python -m test_support.grandmother` plays the round and writes this page.

"""
SHOWN: Final = "en"
"""The language of the page. The test plays the round in all."""


async def conversation(world: SmsWorld, language: str) -> list[tuple[str, list[str]]]:
    """Play the round; return Rita's texts with the bot's answers to each. An empty text is a move of Ana's."""
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


def table(told: list[tuple[str, list[str]]]) -> str:
    """Return the round as a table of Markdown."""
    rows = [f"| {words} | {'<br>'.join(texts)} |" for words, texts in told]
    return "\n".join(["| Rita texts | and gets back |", "|---|---|", *rows, ""])


def page() -> str:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder, 'perudo.db')}")
        schema.upgrade(database.engine)
        world = SmsWorld(database, countries=("GB",), seed=5, languages=tuple(SHE_TEXTS))
        told = asyncio.run(conversation(world, SHOWN))
        database.close()
    return HEAD + table(told)


if __name__ == "__main__":
    install(FEATURES)
    PAGE.write_text(page(), encoding="utf-8")
