"""A feature is in its folder: the bot's other code does not name it."""

import re
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from telegram_bot.feature import Feature
from telegram_bot.features import FEATURES
from telegram_bot.words.catalogue import FEATURES_DIR
from test_support.all_notices import BASE_NOTICES, notices_of
from test_support.documents import ROOT

BOT = ROOT / "telegram_bot"
MIGRATIONS = BOT / "storage/migrations"
STATIC = BOT / "channels/web/static"


@cache
def names_in(file: Path) -> Counter[str]:
    """How often a Python file uses each name as a name or as a whole string."""
    with file.open("rb") as source:
        tokens = list(tokenize.tokenize(source.readline))
    names = Counter(token.string for token in tokens if token.type == tokenize.NAME)
    return names + Counter(token.string.strip("\"'") for token in tokens if token.type == tokenize.STRING)


@pytest.mark.parametrize("name", [feature.name for feature in FEATURES])
def test_the_name_of_a_feature_is_in_its_folder_alone(name: str) -> None:
    outside = [
        file
        for file in BOT.rglob("*.py")
        if not file.is_relative_to(FEATURES_DIR / name) and not file.is_relative_to(MIGRATIONS)
    ]
    assert len(outside) > 200
    mentioning = [file for file in outside if name in file.read_text("utf-8")]
    named = [file.relative_to(BOT).as_posix() for file in mentioning if names_in(file)[name]]
    assert not named, "the base uses this name: choose one that `git grep` does not find"
    longer = {each for file in mentioning for each in names_in(file) if each.startswith(f"{name}_")}
    assert not longer, "the base knows a part of the feature, such as a setting: move it to the feature's folder"


def own_words(feature: Feature) -> set[str]:
    """The words that only this feature adds to the pages' protocol: its cards, and its acts."""
    cards = {notice.card_slot for notice in notices_of(feature.name) if notice.card_slot is not None}
    return (cards - {each.card_slot for each in BASE_NOTICES}) | {
        act.word for request in feature.requests for act in request.acts
    }


def used_in(text: str, suffix: str, name: str, words: set[str]) -> set[str]:
    """Those of a feature's words that a file of a page uses: its name anywhere, the others as a string or a style."""
    as_word = {word for word in {name} if re.search(rf"(?<![\w-]){word}(?![\w-])", text)}
    if suffix == ".css":
        return as_word | {word for word in words - {"shout"} if re.search(rf"\.{word}(?![\w-])", text)}
    # "shout" is also the class of loud words; and the door of a room has an "enter" of its own.
    return as_word | {word for word in words if re.search(rf"""(?<!class=)(?<!ask\()(?<!value=)(["']){word}\1""", text)}


@pytest.mark.parametrize("feature", FEATURES, ids=[feature.name for feature in FEATURES])
def test_the_base_s_pages_use_no_name_card_or_act_of_a_feature(feature: Feature) -> None:
    files = [file for suffix in ("js", "css", "html") for file in STATIC.glob(f"*.{suffix}")]
    assert len(files) > 15
    used = {
        file.name: found
        for file in files
        if (found := used_in(file.read_text(), file.suffix, feature.name, own_words(feature)))
    }
    assert used == {}, "move what shows this to the feature's static folder"


def test_every_folder_has_the_name_of_its_feature_and_a_folder_of_tests() -> None:
    assert {feature.name for feature in FEATURES} == {file.parent.name for file in FEATURES_DIR.glob("*/__init__.py")}
    for feature in FEATURES:
        assert (ROOT / "tests/telegram_bot/features" / feature.name).is_dir(), feature.name
