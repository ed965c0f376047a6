"""The recipe for a subscriber, followed to the letter in a copy of the bot."""

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
MOST_FILES: Final = 4
GAME: Final = """
import asyncio
import sys

from telegram_bot.service import intents as i
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, KeyValue
from tests.telegram_bot.conftest import GroupHarness


async def play():
    database = Database(sys.argv[1])
    schema.upgrade(database.engine)
    harness = GroupHarness(database)
    for hands, calls in ((("2", "3"), "1x2 dudo"), (("2", "3"), "1x2 1x3 2x3 dudo"), (("2", "3"), "1x2 dudo")):
        table = len(harness.rows(GameTable)) + 1
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", i.Start(), table=table)
        await harness.set_dice(*hands, table=table)
        for call in calls.split():
            await harness.call(call, table=table)
        print(*(row.value for row in harness.rows(KeyValue) if row.key == "longest_game"))
    database.close()


asyncio.run(play())
"""


def recipe() -> str:
    """The section of docs/recipes.md."""
    text = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    return text.split("## A subscriber\n")[1].split("\n## ")[0]


def test_the_recipe_for_a_subscriber_works_and_needs_few_files(tmp_path: Path) -> None:
    steps = re.findall(r"^\d\. ", recipe(), flags=re.MULTILINE)
    assert len(steps) <= MOST_FILES
    new_file, registry = re.findall(r"^\d\. `(telegram_bot/service/\S+\.py)`", recipe(), flags=re.MULTILINE)
    module, line = (textwrap.dedent(block) for block in re.findall(r"```python\n(.*?)```", recipe(), flags=re.DOTALL))
    shutil.copytree(ROOT / "telegram_bot", tmp_path / "telegram_bot", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / new_file).write_text(module, encoding="utf-8")
    (name,) = [node.name for node in ast.parse(module).body if isinstance(node, ast.ClassDef)]
    listed = (tmp_path / registry).read_text(encoding="utf-8")
    (old_line,) = re.findall(r"^SUBSCRIBERS.*\n", listed, flags=re.MULTILINE)
    assert line == old_line.replace(")\n", f", {name}())\n"), "the recipe adds to the list as it stands"
    imported = new_file.removesuffix(".py").replace("/", ".")
    with_import = listed.replace("\nfrom telegram_bot", f"\nfrom {imported} import {name}\nfrom telegram_bot", 1)
    (tmp_path / registry).write_text(with_import.replace(old_line, line), encoding="utf-8")
    outcome = subprocess.run(  # noqa: S603
        [sys.executable, "-c", GAME, f"sqlite:///{tmp_path}/perudo.db"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.stdout.split() == ["2", "4", "4"], outcome.stderr
