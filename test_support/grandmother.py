"""A beginner plays her first round by text, in every language: `python -m test_support.grandmother` writes the page."""

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from test_support.phrases import BY_FRIENDS, by_friends
from test_support.sms_world import SmsWorld, code_in

PAGE: Final = Path(__file__).parents[1] / "docs/sms/grandmother.md"
LANGUAGES: Final = tuple(each.stem for each in sorted(BY_FRIENDS.glob("*.toml")) if each.stem != "clashes")
HEAD: Final = """# Rita plays by text

Rita has a telephone with keys, no data plan, and a granddaughter, Ana, who told her to text JOIN and a code. Rita does
not know the rules. This is her first round: her texts, and the bot's answers, one text message each. A row without a
text of hers follows a move of Ana's. The round is the same in each language of the bot.

`python -m test_support.grandmother` plays the round and writes this page.

"""
SHOWN: Final = "en"
"""The language of the page. The test plays the round in all."""


async def conversation(world: SmsWorld, language: str) -> list[tuple[str, list[str]]]:
    """Play the round; return Rita's texts with the bot's answers to each. An empty text is a move of Ana's."""
    first_round = by_friends(language)["first_round"]
    ana, rita = first_round["numbers"]
    code = code_in(await world.text(ana, "NEW Ana"))
    joins, name, *rest = first_round["texts"]
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
        world = SmsWorld(database, countries=("GB",), seed=5, languages=LANGUAGES)
        told = asyncio.run(conversation(world, SHOWN))
        database.close()
    return HEAD + table(told)


if __name__ == "__main__":
    install(FEATURES)
    PAGE.write_text(page(), encoding="utf-8")
