"""The form of a salt: it lists the stirs of the players in their order, and every program can read it.

The first line names the form. Each further line is one stir::

    perudo-stirs/3
    🍀
    llama
    🦊

A salt without stirs has no further line. The salt does not name the players who stirred: the players saw that, and a
host could vary every part of the salt that players cannot compare until it likes the dice.

A stir is one of twelve signs or a word in its canonical form: groups of the letters a to z and the digits 2 to 9, with
single spaces between them, 32 characters at most. So a host cannot vary invisible characters, accents, letters of other
scripts, or 0 for o and 1 for l. A salt of this form with any other stir is refused. Show words in a typeface in which
`rn` and `m`, and `vv` and `w`, look different, because they remain different words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from perudo_core._errors import abbreviated, expect_type
from perudo_core._public_names import publish

__all__ = ["SIGNS", "canonical_word", "salt_from_stirs", "stirs_in_salt"]

SIGNS: Final = ("🍀", "🦊", "🐙", "🦉", "🐝", "🌵", "🍋", "🍒", "🌙", "🍄", "🔥", "🌊")
LONGEST_WORD: Final = 32

_FORM: Final = "perudo-stirs/"
_HEAD: Final = f"{_FORM}3"
_WORD: Final = re.compile(rf"(?=.{{1,{LONGEST_WORD}}}$)[a-z2-9]+(?: [a-z2-9]+)*")
_LOOKS_LIKE: Final = str.maketrans("01", "ol")


def canonical_word(text: str) -> str:
    """Return the word in its canonical form; empty for a word without letters and digits.

    Letters of other scripts are dropped: transliterate them first.

    >>> canonical_word("  Ōla,  LLAMA 10! ")
    'ola llama lo'
    """
    expect_type(text, str, "text")
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKS_LIKE)
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.sub("[^a-z2-9]+", " ", bare).split())[:LONGEST_WORD].rstrip()


def salt_from_stirs(stirs: Iterable[str]) -> str:
    r"""Return the salt of these stirs, in this order; raises `ValueError` for a stir that is not canonical.

    >>> salt_from_stirs(["🍀", "llama"])
    'perudo-stirs/3\n🍀\nllama'
    """
    if isinstance(stirs, str) or not isinstance(stirs, Iterable):
        raise TypeError(f"stirs must be a sequence of texts, not {type(stirs).__name__}")
    return "\n".join([_HEAD, *map(_checked, stirs)])


def stirs_in_salt(salt: str) -> tuple[str, ...] | None:
    r"""Return the stirs in order, or None for a salt of another form, which does not list them.

    Raises `ValueError` for a salt of another version of this form, or with a stir that is not canonical.

    >>> stirs_in_salt("perudo-stirs/3\nllama")
    ('llama',)
    """
    expect_type(salt, str, "salt")
    head, *stirs = salt.split("\n")
    if not head.startswith(_FORM):
        return None
    if head != _HEAD:
        raise ValueError(f"a salt with stirs begins with {_HEAD}, not {abbreviated(salt)}")
    return tuple(map(_checked, stirs))


def _checked(stir: str) -> str:
    expect_type(stir, str, "each of stirs")
    if stir not in SIGNS and not _WORD.fullmatch(stir):
        raise ValueError(f"no canonical stir of a salt with stirs: {abbreviated(stir)}")
    return stir


publish(globals())
