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
from telegram_bot.intents import intents as i
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
from telegram_bot.features.coin import CoinNotice
from telegram_bot.notices.rendering import sms_text, spoken_text
from telegram_bot.presentation.cards import card_of
from tests.telegram_bot.words.test_every_notice_by_text import READER

harness = GroupHarness(database)
async with running_sandbox(SANDBOX) as sandbox, an_inbox(harness, sandbox) as inbox:
    await arrive(inbox, written(901, "Ana", "/coin"))
    await inbox.idle()
(said,) = harness.notices("coin")
print(type(said) is CoinNotice)
for language in ("en", "it"):
    w, coin = catalogue(language), CoinNotice(heads=True)
    card = card_of(coin, 1, None, w)
    ((key,),) = keyboard(coin, w, bot="bot")
    looks = [message_html(coin, w), sms_text(coin, w, READER), spoken_text(coin, w), card["text"], key["text"]]
    print(*looks, card["card"], key["callback_data"], sep=" / ")
"""
ROWS = """
from telegram_bot.operations.forget import PersonDeletion

harness = GroupHarness(database)
async with running_sandbox(SANDBOX) as sandbox, an_inbox(harness, sandbox) as inbox:
    await arrive(inbox, written(901, "Ana", "/coin"), written(902, "Ana", "/coin"))
    await inbox.idle()
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
COIN = "telegram_bot/features/coin"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the bot in which the recipes of a command and of a feature were followed."""
    copy = copy_bot(tmp_path_factory.mktemp("copy"))
    follow(copy, read_recipe("A command"), read_recipe("A feature"))
    italian = copy / COIN / "locale/it/LC_MESSAGES/perudo.po"
    empty = italian.read_text(encoding="utf-8")
    italian.write_text(empty.replace('msgid "Heads!"\nmsgstr ""', 'msgid "Heads!"\nmsgstr "Testa!"'), encoding="utf-8")
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


@pytest.fixture(scope="module")
def with_rows(copy: Path, told: list[list[str]]) -> Path:  # noqa: ARG001 - plays first without rows
    """The same copy, after the recipe of a feature's rows."""
    follow(copy, read_recipe("Rows of a feature"))
    return copy


def test_what_the_recipes_changed_is_accepted_by_ruff_and_mypy(with_rows: Path) -> None:
    python = [
        path for path in (with_rows / "telegram_bot").rglob("*.py") if path.read_bytes() != original(with_rows, path)
    ]
    files = [str(path.relative_to(with_rows)) for path in python]
    assert len(files) > 3
    config = str(ROOT / "pyproject.toml")
    for command in ("format", "check"):  # as `make format` and `make lint`
        run_in(with_rows, "-m", "ruff", command, "--no-cache", "--config", config, *files)
    cache = ROOT / ".mypy_cache"
    if cache.exists():  # what the copy has unchanged is not looked at again
        shutil.copytree(cache, with_rows / ".mypy_cache", dirs_exist_ok=True)
    run_in(with_rows, "-m", "mypy", "--config-file", config, *files)


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


def test_a_feature_is_one_file_whose_notice_has_words_in_each_medium_and_language(told: list[list[str]]) -> None:
    assert read_recipe("A feature").files == [f"{COIN}/__init__.py"]
    assert told[2] == [
        "True",
        "🪙 Heads! / Heads! / Heads! / Heads! / 🪙 Toss it again / note / p:0:coin",
        "🪙 Testa! / Testa! / Testa! / Testa! / 🪙 Toss it again / note / p:0:coin",
    ]


def test_a_feature_stores_rows_and_is_gone_when_its_folder_is_deleted(with_rows: Path, tmp_path: Path) -> None:
    assert played(with_rows, rows=ROWS) == [["1 count(s) of tosses of a coin"]]
    feature = with_rows / COIN
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in feature.glob("*.py")) < 120
    assert len(list(feature.rglob("perudo.po"))) == len(LANGUAGES) - 1
    without = tmp_path / "without"
    shutil.copytree(with_rows, without, ignore=shutil.ignore_patterns(".mypy_cache", "coin"))
    shutil.copy(with_rows / "rows.db", without / "migrated.db")
    assert played(without, gone=GONE) == [["False", "[]", "FINISHED"]]
