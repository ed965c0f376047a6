"""A feature is in its folder: the bot's other code names it once, in the list of features."""

import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from telegram_bot.features import FEATURES
from telegram_bot.words.catalogue import FEATURES_DIR
from test_support.documents import ROOT

BOT = ROOT / "telegram_bot"
MIGRATIONS = BOT / "storage/migrations"


@cache
def names_in(file: Path) -> Counter[str]:
    """How often a Python file uses each name as a name or as a whole string."""
    with file.open("rb") as source:
        tokens = list(tokenize.tokenize(source.readline))
    names = Counter(token.string for token in tokens if token.type == tokenize.NAME)
    return names + Counter(token.string.strip("\"'") for token in tokens if token.type == tokenize.STRING)


@pytest.mark.parametrize("name", [feature.name for feature in FEATURES])
def test_the_name_of_a_feature_is_outside_its_folder_in_one_line(name: str) -> None:
    outside = [
        file
        for file in BOT.rglob("*.py")
        if not file.is_relative_to(FEATURES_DIR / name) and not file.is_relative_to(MIGRATIONS)
    ]
    assert len(outside) > 200
    named = {file.relative_to(BOT).as_posix(): times for file in outside if (times := names_in(file)[name])}
    assert named == {"features/__init__.py": 1}, "the base uses this name: choose one that `git grep` does not find"


def test_every_folder_is_in_the_list_and_has_the_name_of_its_feature() -> None:
    folders = {file.parent.name for file in FEATURES_DIR.glob("*/__init__.py")}
    assert {feature.name for feature in FEATURES} == folders
    for feature in FEATURES:
        assert (ROOT / "tests/telegram_bot/features" / feature.name).is_dir(), feature.name
