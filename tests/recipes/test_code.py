"""The recipes, all followed literally in one copy of the bot. `make lint` checks the types of what they write."""

import re
import shutil
import textwrap
from pathlib import Path

import pytest

from telegram_bot.words.catalogue import LANGUAGES
from test_support.recipes import copy_bot, follow, read_recipe, run_in

pytestmark = pytest.mark.xdist_group("recipes")

PLAY = """
import asyncio
import gc
import shutil
import sys

gc.disable()  # it would take a fifth of the time
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents import intents as i
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.words.catalogue import catalogue
from telegram_bot.notices.rendering import message_html
from tests.telegram_bot.conftest import GroupHarness


{plays}
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
INBOX = """
from telegram_sandbox import SandboxSettings, running_sandbox
from tests.telegram_bot.ingress.conftest import an_inbox, arrive, names, written

sandbox_settings = SandboxSettings(port=0)
"""
INTENT = """
harness = GroupHarness(database, seed=1)
async with running_sandbox(sandbox_settings) as sandbox, an_inbox(harness, sandbox) as inbox:
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
async with running_sandbox(sandbox_settings) as sandbox, an_inbox(harness, sandbox) as inbox:
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
LANGUAGE = """
from perudo_core import Rules
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.notices import SettingsFolder, SettingsNotice
from telegram_bot.parsing.grammar import parse
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.model import TurnClock
from telegram_bot.words.catalogue import LANGUAGES

w, folder = catalogue("pt-PT"), SettingsFolder.LANGUAGE
clock, rules = TurnClock(), Rules.preset("box_2009")
settings = SettingsNotice(view=PrivateView.AUTO, private=True, rules=rules, clock=clock, folder=folder)
labels = [button["text"] for row in keyboard(settings, w, bot="perudo_bot") for button in row]
print("pt" in LANGUAGES, any("Português" in label for label in labels))
print(w.say("Join"), "/", w.say("Start"))
print(parse("eu duvido", "pt"), parse("eu duvido", "fr") == parse("dudo", "fr"))
"""
ROWS = """
from telegram_bot.operations.forget import PersonDeletion

harness = GroupHarness(database)
async with running_sandbox(sandbox_settings) as sandbox, an_inbox(harness, sandbox) as inbox:
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
    """A copy of the bot in which the recipes of a command, of a feature and of a language were followed."""
    copy = copy_bot(tmp_path_factory.mktemp("copy"))
    language = read_recipe("A language")
    sentences, grammar, *_ = (copy / file for file in language.steps)
    sentences.parent.mkdir(parents=True)
    sentences.touch()
    follow(copy, read_recipe("A command"), read_recipe("A feature"), language)
    translate(sentences, "Join", "Jogar")
    translate(copy / COIN / "locale/it/LC_MESSAGES/perudo.po", "Heads!", "Testa!")
    english = grammar.with_name("en.toml").read_text(encoding="utf-8")
    portuguese, changes = re.subn(r"(?ms)^doubt = \[.*?^\]", 'doubt = ["dudo", "eu duvido"]', english)
    assert changes == 1
    grammar.write_text(portuguese, encoding="utf-8")
    return copy


def translate(sentences: Path, sentence: str, translation: str) -> None:
    filled, empty = sentences.read_text(encoding="utf-8"), f'msgid "{sentence}"\nmsgstr ""'
    assert empty in filled
    sentences.write_text(filled.replace(empty, f'{empty[:-1]}{translation}"'), encoding="utf-8")


def played(copy: Path, **plays: str) -> list[list[str]]:
    """The lines that each play prints, all in one process, each with a copy of the migrated database."""
    bodies = {name: textwrap.indent(INBOX * ("an_inbox" in play) + play, "    ") for name, play in plays.items()}
    made = "".join(f"async def {name}(database):\n{body}\n" for name, body in bodies.items())
    script = PLAY.replace("{plays}", made).replace("{names}", ", ".join(plays))
    *told, _ = run_in(copy, "-W", "ignore", "-c", script).split("END\n")
    return [lines.splitlines() for lines in told]


@pytest.fixture(scope="module")
def told(copy: Path) -> list[list[str]]:
    """The lines that the plays of the command's act, of its words, of the feature and of the language print."""
    return played(copy, act=INTENT, words=COMMAND, feature=FEATURE, language=LANGUAGE)


def test_a_command_acts_and_is_refused(told: list[list[str]]) -> None:
    *_, joined, refused, shuffled = told[0]
    assert joined == "Cy /join Ana Bo Cy"
    assert refused == "Bo /shuffle Ana Bo Cy NOT_HOST"
    assert shuffled.split()[:2] == ["Ana", "/shuffle"]
    assert sorted(shuffled.split()[2:5]) == ["Ana", "Bo", "Cy"] != shuffled.split()[2:5]


def test_a_command_is_in_the_menus_the_help_the_parsers_and_the_documents(copy: Path, told: list[list[str]]) -> None:
    assert told[1] == ["[True, True] True", "ShuffleSeats()"]
    assert "| `SHUFFLE` | shuffle the seats | the host |" in (copy / "docs/sms/README.md").read_text(encoding="utf-8")


def test_a_feature_is_one_file_whose_notice_has_words_in_each_medium_and_language(told: list[list[str]]) -> None:
    assert [*read_recipe("A feature").steps] == [f"{COIN}/__init__.py"]
    assert told[2] == [
        "True",
        "🪙 Heads! / Heads! / Heads! / Heads! / 🪙 Toss it again / note / p:0:coin",
        "🪙 Testa! / Testa! / Testa! / Testa! / 🪙 Toss it again / note / p:0:coin",
    ]


def test_a_language_is_spoken_and_understood(told: list[list[str]]) -> None:
    _, _, phrases, glossary = read_recipe("A language").steps
    assert (phrases, glossary) == ("tests/telegram_bot/words/phrases/pt.toml", "telegram_bot/words/GLOSSARY.md")
    assert told[3] == ["True True", "Jogar / Start", "CallDudo() True"]


@pytest.mark.usefixtures("told")  # plays first without rows
def test_a_feature_stores_rows_and_is_gone_when_its_folder_is_deleted(copy: Path, tmp_path: Path) -> None:
    follow(copy, read_recipe("Rows of a feature"))
    assert played(copy, rows=ROWS) == [["1 count(s) of tosses of a coin"]]
    feature = copy / COIN
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in feature.glob("*.py")) < 120
    assert len(list(feature.rglob("perudo.po"))) == len(LANGUAGES)
    without = tmp_path / "without"
    shutil.copytree(copy, without, ignore=shutil.ignore_patterns("coin"))
    shutil.copy(copy / "rows.db", without / "migrated.db")
    assert played(without, gone=GONE) == [["False", "[]", "FINISHED"]]
