"""The recipes of code, all followed literally in one copy of the bot, which ruff and mypy then accept."""

import shutil
import textwrap
from pathlib import Path

import pytest

from telegram_bot.words.catalogue import LANGUAGES
from test_support.documents import ROOT
from test_support.recipes import copy_bot, follow, read_recipe, run_in

pytestmark = pytest.mark.xdist_group("recipes")

PLAY = """
import asyncio
import shutil
import sys

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.service import intents as i
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.words.catalogue import catalogue
from telegram_bot.notices.rendering import message_html
from telegram_sandbox import SandboxSettings, running_sandbox
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import an_inbox, arrive, names, written


{plays}
SANDBOX = SandboxSettings(port=0)
install(FEATURES)
migrated = Database("sqlite:///migrated.db")
schema.upgrade(migrated.engine)
migrated.close()
for play in ({names},):
    database = Database("sqlite:///" + shutil.copy("migrated.db", play.__name__ + ".db"))
    asyncio.run(play(database))
    database.close()
    print("END")
"""
INTENT = """
harness = GroupHarness(database, seed=1)
async with running_sandbox(SANDBOX) as sandbox, an_inbox(harness, sandbox) as inbox:
    said = [("Ana", "/perudo"), ("Bo", "/join"), ("Cy", "/join"), ("Bo", "/shuffle"), ("Ana", "/shuffle")]
    for number, (name, text) in enumerate(said, start=1):
        await arrive(inbox, written(number, name, text))
        await inbox.idle()
        print(name, text, *names(harness), *(notice.reason.name for notice in harness.notices("rejection")))
"""
COMMAND = """
from telegram_bot.channels.sms.text_parser import parse_message
from telegram_bot.channels.telegram import channel
from telegram_bot.notices import HelpNotice
from telegram_bot.notices.rendering import message_html

w = catalogue("en")
line = "shuffle the seats"
menus = [channel.menu(menu, w) for menu in ("group_menu", "private_menu")]
told = [("shuffle", line) in [(each.command, each.description) for each in menu] for menu in menus]
print(told, f"/shuffle · {line}" in message_html(HelpNotice(private=True), w))
print(parse_message("Shuffle!", "it", "Europe/Rome").request)
"""
FEATURE = """
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.operations.forget import PersonDeletion

harness = GroupHarness(database)
async with running_sandbox(SANDBOX) as sandbox, an_inbox(harness, sandbox) as inbox:
    await arrive(inbox, written(901, "Ana", "/coin"), written(902, "Ana", "/coin"))
    await inbox.idle()
for envelope in harness.envelopes():
    side, count = message_html(envelope.notice, catalogue("en")).splitlines()
    (keys,) = keyboard(envelope.notice, catalogue("en"), bot="bot")
    print(side in ("🪙 Heads!", "🪙 Tails!"), count, [key["callback_data"] for key in keys])
print((await PersonDeletion(harness.service).traces(harness.player("Ana").id)).lines[-1].strip())
"""
GONE = """
from telegram_bot.channels.telegram import channel
from telegram_bot.operations.forget import PersonDeletion
from sqlalchemy import text

harness = GroupHarness(database)
print("coin" in [command.command for command in channel.menu("group_menu", catalogue("en"))])
harness.mark_all_sent()
await PersonDeletion(harness.service).forget(harness.player("Ana").id)
with database.transaction() as session:
    print(session.connection().execute(text("SELECT tosses FROM coin_tosses")).all())
await harness.game("2", "33", calls="1x6 dudo")
print(harness.table().status.name)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the bot in which each recipe was followed."""
    copy = copy_bot(tmp_path_factory.mktemp("copy"))
    follow(copy, read_recipe("A command"), read_recipe("A feature"))
    return copy


def played(copy: Path, **plays: str) -> list[list[str]]:
    """The lines that each play prints, all in one process, each with a copy of the migrated database."""
    functions = "".join(
        f"async def {name}(database):\n{textwrap.indent(play, '    ')}\n" for name, play in plays.items()
    )
    script = PLAY.replace("{plays}", functions).replace("{names}", ", ".join(plays))
    *told, _ = run_in(copy, "-W", "ignore", "-c", script).split("END\n")
    return [lines.splitlines() for lines in told]


@pytest.fixture(scope="module")
def told(copy: Path) -> list[list[str]]:
    """The lines that the plays of the command's act, of its words and of the feature print."""
    return played(copy, act=INTENT, words=COMMAND, feature=FEATURE)


def test_what_the_recipes_changed_is_accepted_by_ruff_and_mypy(copy: Path) -> None:
    python = [path for path in (copy / "telegram_bot").rglob("*.py") if path.read_bytes() != original(copy, path)]
    files = [str(path.relative_to(copy)) for path in python]
    assert len(files) > 4
    config = str(ROOT / "pyproject.toml")
    for command in ("format", "check"):  # as `make format` and `make lint`
        run_in(copy, "-m", "ruff", command, "--no-cache", "--config", config, *files)
    cache = ROOT / ".mypy_cache"
    if cache.exists():  # what the copy has unchanged is not looked at again
        shutil.copytree(cache, copy / ".mypy_cache", dirs_exist_ok=True)
    run_in(copy, "-m", "mypy", "--config-file", config, *files)


def original(copy: Path, path: Path) -> bytes | None:
    before = ROOT / path.relative_to(copy)
    return before.read_bytes() if before.exists() else None


def test_a_command_acts_and_is_refused(told: list[list[str]]) -> None:
    *_, joined, refused, shuffled = told[0]
    assert joined == "Cy /join Ana Bo Cy"
    assert refused == "Bo /shuffle Ana Bo Cy NOT_HOST"
    assert shuffled.split()[:2] == ["Ana", "/shuffle"]
    assert sorted(shuffled.split()[2:5]) == ["Ana", "Bo", "Cy"] != shuffled.split()[2:5]


def test_a_command_is_in_the_menus_the_help_the_parsers_and_the_documents(copy: Path, told: list[list[str]]) -> None:
    assert told[1] == ["[True, True] True", "ShuffleSeats()"]
    line = "| `SHUFFLE` | shuffle the seats | the host |"
    assert line in (copy / "docs/sms/README.md").read_text(encoding="utf-8")


def test_a_feature_is_a_folder_and_is_gone_when_that_is_deleted(
    copy: Path, told: list[list[str]], tmp_path: Path
) -> None:
    assert told[2] == [
        "True Your first toss. ['p:0:coin']",
        "True You have tossed the coin 2 times. ['p:0:coin']",
        "1 count(s) of tosses of a coin",
    ]
    feature = copy / "telegram_bot/features/coin"
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in feature.glob("*.py")) < 120
    assert len(list(feature.rglob("perudo.po"))) == len(LANGUAGES) - 1
    without = tmp_path / "without"
    shutil.copytree(copy, without, ignore=shutil.ignore_patterns(".mypy_cache", "coin"))
    shutil.copy(copy / "feature.db", without / "migrated.db")
    features = without / "telegram_bot/features/__init__.py"
    features.write_text(features.read_text(encoding="utf-8").replace('    "coin",\n', ""), encoding="utf-8")
    assert played(without, gone=GONE) == [["False", "[]", "FINISHED"]]
