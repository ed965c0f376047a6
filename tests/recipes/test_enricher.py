"""The recipe for an enricher, followed literally in a copy of the bot."""

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
from telegram_sandbox import SandboxSettings, running_sandbox
from telegram_sandbox.faults import Fault
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import an_inbox, arrive, written


async def play():
    database = Database(sys.argv[1])
    schema.upgrade(database.engine)
    harness = GroupHarness(database)
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(harness, sandbox) as inbox:
        owner, member = list(sandbox.people.items())[:2]
        group = {"id": sandbox.group_id, "type": "supergroup", "title": "Friends"}
        for number, (text, (name, person)) in enumerate([
            ("/perudo", member), ("/join", owner), ("/leave", owner), ("/join", owner)
        ]):
            update = written(number, "Ana", text, group)
            update["message"]["from"] |= {"id": person, "first_name": name}
            if number == 3:
                sandbox.world.faults.add(Fault("refuse", "getChatMember"), times=None)
            await arrive(inbox, update)
            await inbox.idle()
            print([seat.name for seat in harness.table().seats])
    database.close()


asyncio.run(play())
"""


def test_an_enricher_added_by_the_recipe_is_asked_before_the_step(tmp_path: Path) -> None:
    copy = copy_bot(tmp_path)
    recipe = read_recipe("An enricher")
    assert recipe.files == [f"telegram_bot/channels/telegram/{name}.py" for name in ("owner_crown", "enrichers")], (
        "one file, one registration"
    )
    follow(recipe, copy)
    assert run_in(copy, "-W", "ignore", "-c", PLAY, f"sqlite:///{tmp_path}/perudo.db").splitlines() == [
        "['Bo']",
        "['Bo', 'Ana 👑']",
        "['Bo']",
        "['Bo', 'Ana']",
    ]
