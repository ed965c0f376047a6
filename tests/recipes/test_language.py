"""The recipe for a language, followed literally in a copy of the bot."""

import re
from pathlib import Path

from test_support.recipes import copy_bot, read_recipe, run_commands, run_in

SPEAK = """
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.notices import SettingsFolder, SettingsNotice
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.model import TurnClock
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.parsing.grammar import parse
from perudo_core import Rules

install(FEATURES)
w = catalogue("pt-PT")
settings = SettingsNotice(
    view=PrivateView.AUTO, private=True, rules=Rules.preset("box_2009"), clock=TurnClock(),
    folder=SettingsFolder.LANGUAGE,
)
labels = [button["text"] for row in keyboard(settings, w, bot="perudo_bot") for button in row]
print("pt" in LANGUAGES, any("Português" in label for label in labels))
print(w.say("Join"), "/", w.say("Start"))
print(parse("eu duvido", "pt"), parse("eu duvido", "fr") == parse("dudo", "fr"))
"""


def test_a_language_added_by_the_recipe_is_spoken_and_understood(tmp_path: Path) -> None:
    copy = copy_bot(tmp_path)
    recipe = read_recipe("A language")
    catalogue, grammar, phrases, glossary = recipe.files
    assert (phrases, glossary) == ("tests/telegram_bot/words/phrases/pt.toml", "telegram_bot/words/GLOSSARY.md")

    sentences = copy / catalogue
    sentences.parent.mkdir(parents=True)
    sentences.touch()
    run_commands(copy, recipe)
    filled = sentences.read_text(encoding="utf-8")
    assert 'msgid "Join"\nmsgstr ""' in filled
    sentences.write_text(filled.replace('msgid "Join"\nmsgstr ""', 'msgid "Join"\nmsgstr "Jogar"'), encoding="utf-8")
    english = (copy / grammar).with_name("en.toml").read_text(encoding="utf-8")
    portuguese, changes = re.subn(r"(?ms)^doubt = \[.*?^\]", 'doubt = ["dudo", "eu duvido"]', english)
    assert changes == 1
    (copy / grammar).write_text(portuguese, encoding="utf-8")

    assert run_in(copy, "-c", SPEAK).splitlines() == ["True True", "Jogar / Start", "CallDudo() True"]
