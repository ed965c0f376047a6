"""A feature is in its folder: the bot's other code names it once, in the list of features."""

import tokenize
from pathlib import Path

import pytest

from telegram_bot.features import FEATURES
from telegram_bot.words.catalogue import FEATURES_DIR
from test_support.documents import ROOT

BOT = ROOT / "telegram_bot"
MIGRATIONS = BOT / "storage/migrations"


def mentions(name: str, file: Path) -> int:
    """How often a Python file uses the name as a name or as a whole string."""
    with file.open("rb") as source:
        tokens = list(tokenize.tokenize(source.readline))
    return sum(
        token.string == name
        if token.type == tokenize.NAME
        else token.type == tokenize.STRING and token.string.strip("\"'") == name
        for token in tokens
    )


@pytest.mark.parametrize("name", [feature.name for feature in FEATURES])
def test_the_name_of_a_feature_is_outside_its_folder_in_one_line(name: str) -> None:
    outside = [
        file
        for file in BOT.rglob("*.py")
        if not file.is_relative_to(FEATURES_DIR / name) and not file.is_relative_to(MIGRATIONS)
    ]
    assert len(outside) > 200
    named = {file.relative_to(BOT).as_posix(): times for file in outside if (times := mentions(name, file))}
    assert named == {"features/__init__.py": 1}, "the base uses this name: choose one that `git grep` does not find"


def test_every_folder_is_in_the_list_and_has_the_name_of_its_feature() -> None:
    folders = {file.parent.name for file in FEATURES_DIR.glob("*/__init__.py")}
    assert {feature.name for feature in FEATURES} == folders
    for feature in FEATURES:
        assert (ROOT / "tests/telegram_bot/features" / feature.name).is_dir(), feature.name
