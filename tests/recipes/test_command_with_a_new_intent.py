"""The recipe for a command with a new intent, followed literally in a copy of the bot."""

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
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import an_inbox, arrive, names, written


async def play():
    database = Database(sys.argv[1])
    schema.upgrade(database.engine)
    harness = GroupHarness(database, seed=1)
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(harness, sandbox) as inbox:
        said = [("Ana", "/perudo"), ("Bo", "/join"), ("Cy", "/join"), ("Bo", "/shuffle"), ("Ana", "/shuffle")]
        for number, (name, text) in enumerate(said, start=1):
            await arrive(inbox, written(number, name, text))
            await inbox.idle()
            print(name, text, *names(harness), *(notice.reason.name for notice in harness.notices("rejection")))
    database.close()


asyncio.run(play())
"""


def test_a_command_with_an_intent_added_by_the_recipe_acts_and_is_refused(tmp_path: Path) -> None:
    copy = copy_bot(tmp_path)
    follow(read_recipe("A command with a new intent"), copy)
    lines = run_in(copy, "-W", "ignore", "-c", PLAY, f"sqlite:///{tmp_path}/perudo.db").splitlines()
    *_, joined, refused, shuffled = lines
    assert joined == "Cy /join Ana Bo Cy"
    assert refused == "Bo /shuffle Ana Bo Cy NOT_HOST"
    assert shuffled.split()[:2] == ["Ana", "/shuffle"]
    assert sorted(shuffled.split()[2:5]) == ["Ana", "Bo", "Cy"] != shuffled.split()[2:5]
