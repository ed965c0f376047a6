"""The recipe for a message, followed literally in a copy of the bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from test_support.recipes import copy_bot, follow, read_recipe, run_in

if TYPE_CHECKING:
    from pathlib import Path

PLAY = """
import asyncio
import sys

from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import GroupHarness


async def play():
    database = Database(sys.argv[1])
    schema.upgrade(database.engine)
    harness = GroupHarness(database)
    await harness.game("2", "33", "44", calls="1x6 dudo")
    for envelope in harness.envelopes():
        if envelope.notice.kind == "out":
            print(envelope.chat, message_html(envelope.notice, catalogue("it")))
    database.close()


asyncio.run(play())
"""


def test_a_message_added_by_the_recipe_is_sent_and_can_be_translated(tmp_path: Path) -> None:
    copy = copy_bot(tmp_path)
    recipe = read_recipe("A message")
    follow(recipe, copy)
    assert (
        run_in(copy, "-c", PLAY, f"sqlite:///{tmp_path}/perudo.db") == "-1001 Ana has lost the last die. Well played!\n"
    )
    for catalogue in (copy / "telegram_bot/words/locale").rglob("perudo.po*"):
        assert 'msgid "{name} has lost the last die. Well played!"' in catalogue.read_text(encoding="utf-8")
