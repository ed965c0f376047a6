"""Names: whether they can be seen, and similar ones at one table are made distinct."""

import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import count

from wcwidth import wcwidth

from telegram_bot.tables.model import COMPUTER_MARK

_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")
"""Characters that Unicode calls letters or signs, but that are invisible."""
_UNSEEN = {"Cf", "Mn", "Me", "Zs", "Cc", "Co"}
_PICTURES = {"So", "Sk", "Cn"}
"""Emoji, also those that are newer than this Python, and their skin tones. The bot puts some next to names, such as the
host's."""
_WIDE = 2
"""The columns of an emoji."""


def is_blank(name: str) -> bool:
    """Return True if nothing of a name can be seen."""
    return all(map(_is_unseen, name))


def told_apart(name: str, others: Iterable[str]) -> str:
    """Return the name, with a number after it if another one looks like it."""
    taken = frozenset[str]().union(*map(_looks, others))
    numbered = (f"{name} {number}" for number in count(2))
    return name if taken.isdisjoint(_looks(name)) else next(each for each in numbered if taken.isdisjoint(_looks(each)))


def is_numbered(shown: str, name: str) -> bool:
    """Return True if the shown name is this name with a number that `told_apart` has added."""
    return shown.startswith(f"{name} ") and shown[len(name) + 1 :].isdecimal()


@cache
def _confusables() -> dict[str, str]:
    """Return for each character the letters that it looks like; a line of the file has them before the characters."""
    lines = files(__package__).joinpath("confusables.txt").read_text(encoding="utf-8").splitlines()
    return {char: letters for letters, *alike in map(str.split, lines) for char in alike}


def _looks(name: str) -> frozenset[str]:
    """Return the shapes of a name, as it is written and in small letters."""
    plain = unicodedata.normalize("NFKD", name)
    return frozenset(_skeleton(text) for text in (plain, plain.casefold()))


def _skeleton(text: str) -> str:
    first, seen = _confusables(), [char for char in text if not _is_unseen(char)]
    letters = [char for char in seen if char in COMPUTER_MARK or unicodedata.category(char) not in _PICTURES]
    return "".join(first.get(char, char) for char in letters or seen)


def _is_unseen(char: str) -> bool:
    category = unicodedata.category(char)
    return char in _BLANK or category in _UNSEEN or (category == "Cn" and wcwidth(char) < _WIDE)
