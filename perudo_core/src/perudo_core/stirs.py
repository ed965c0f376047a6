"""A salt that says what was stirred into the dice, in which order, so that every reader of salts can read it.

The first line names the form. Each further line is one stir::

    perudo-stirs/3
    🍀
    llama
    🦊

Where nobody stirred, there is no further line. The salt does not say who stirred: the players saw it, and what they
cannot compare, a host could try until the dice please it.

A stir is one of twelve signs or a word in its canonical form: groups of the letters a to z and the digits 2 to 9, with
single spaces between them, 32 characters at most. So a host cannot try invisible signs, accents, letters of other
scripts, or 0 for o and 1 for l. A salt of this form with any other stir is refused. Show words in a typeface that
tells `rn` from `m` and `vv` from `w`: these stay different.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from perudo_core._errors import abbreviated

__all__ = ["SIGNS", "canonical_word", "salt_from_stirs", "stirs_in_salt"]

SIGNS: Final = ("🍀", "🦊", "🐙", "🦉", "🐝", "🌵", "🍋", "🍒", "🌙", "🍄", "🔥", "🌊")
LONGEST_WORD: Final = 32

_FORM: Final = "perudo-stirs/"
_HEAD: Final = f"{_FORM}3"
_WORD: Final = re.compile(rf"(?=.{{1,{LONGEST_WORD}}}$)[a-z2-9]+(?: [a-z2-9]+)*")
_LOOKS_LIKE: Final = str.maketrans("01", "ol")


def canonical_word(text: str) -> str:
    """A word as it goes into the salt; empty if no letter and no digit is left of it.

    Letters of other scripts fall away: transliterate them first.

    >>> canonical_word("  Ōla,  LLAMA 10! ")
    'ola llama lo'
    """
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKS_LIKE)
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.sub("[^a-z2-9]+", " ", bare).split())[:LONGEST_WORD].rstrip()


def salt_from_stirs(stirs: Iterable[str]) -> str:
    r"""The salt of these stirs, in this order; raises `ValueError` for a stir that is not canonical.

    >>> salt_from_stirs(["🍀", "llama"])
    'perudo-stirs/3\n🍀\nllama'
    """
    return "\n".join([_HEAD, *map(_checked, stirs)])


def stirs_in_salt(salt: str) -> tuple[str, ...] | None:
    r"""What was stirred, in order; None if the salt does not say.

    Raises `ValueError` for a salt that says it badly: another version, or a stir that is not canonical.

    >>> stirs_in_salt("perudo-stirs/3\nllama")
    ('llama',)
    """
    head, *stirs = salt.split("\n")
    if not head.startswith(_FORM):
        return None
    if head != _HEAD:
        raise ValueError(f"a salt with stirs begins with {_HEAD}, not {abbreviated(salt)}")
    return tuple(map(_checked, stirs))


def _checked(stir: str) -> str:
    if stir not in SIGNS and not _WORD.fullmatch(stir):
        raise ValueError(f"no canonical stir of a salt with stirs: {abbreviated(stir)}")
    return stir
