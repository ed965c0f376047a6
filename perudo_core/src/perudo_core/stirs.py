"""A salt that says who stirred what into the dice, in which order, so that every reader of salts can read it.

The first line names the form. Each further line is one stir: the player's seat, from 1, or `-` for somebody who left
before the game, a space, and what they stirred in::

    perudo-stirs/2
    1 🍀
    2 llama
    - 🦊

Where nobody stirred, `nobody stirred` is the second line and the last.

A stir is one of twelve signs or a word in its canonical form: groups of the letters a to z and the digits 2 to 9, with
single spaces between them, 32 characters at most. So two stirs that look alike are the same stir: a host cannot try
invisible signs, accents, letters of other scripts, or 0 for o and 1 for l, until the dice please it. A salt of this
form with any other stir is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from perudo_core.actions import Seat
from perudo_core.errors import abbreviated

__all__ = ["SIGNS", "Stir", "canonical_word", "salt_from_stirs", "stirs_in_salt"]

SIGNS: Final = ("🍀", "🦊", "🐙", "🦉", "🐝", "🌵", "🍋", "🍒", "🌙", "🍄", "🔥", "🌊")
LONGEST_WORD: Final = 32

_FORM: Final = "perudo-stirs/"
_HEAD: Final = f"{_FORM}2"
_NOBODY: Final = "nobody stirred"
_WORD: Final = re.compile(rf"(?=.{{1,{LONGEST_WORD}}}$)[a-z2-9]+(?: [a-z2-9]+)*")
_LINE: Final = re.compile(r"(-|[1-9]\d{0,3}) ([^\n]+)", re.ASCII)
_LOOKS_LIKE: Final = str.maketrans("01", "ol")


class Stir(NamedTuple):
    """One player's addition to the salt."""

    seat: Seat | None
    """From 0; None: the player left before the game."""
    what: str
    """One of `SIGNS`, or a word in its canonical form."""


def canonical_word(text: str) -> str:
    """A word as it goes into the salt; empty if no letter and no digit is left of it.

    Letters of other scripts fall away: transliterate them first.

    >>> canonical_word("  Ōla,  LLAMA 10! ")
    'ola llama lo'
    """
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LOOKS_LIKE)
    bare = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(re.sub("[^a-z2-9]+", " ", bare).split())[:LONGEST_WORD].rstrip()


def salt_from_stirs(stirs: Iterable[Stir]) -> str:
    r"""The salt of these stirs, in this order; raises `ValueError` for a stir that is not canonical.

    >>> salt_from_stirs([Stir(0, "🍀"), Stir(None, "llama")])
    'perudo-stirs/2\n1 🍀\n- llama'
    """
    lines = [f"{'-' if seat is None else seat + 1} {what}" for seat, what in stirs]
    for line in lines:
        _read(line)
    return "\n".join([_HEAD, *(lines or [_NOBODY])])


def stirs_in_salt(salt: str) -> tuple[Stir, ...] | None:
    r"""Who stirred what, in order; None if the salt does not say.

    Raises `ValueError` for a salt that says it badly: another version, or a stir that is not canonical.

    >>> stirs_in_salt("perudo-stirs/2\n2 llama")
    (Stir(seat=1, what='llama'),)
    """
    head, *lines = salt.split("\n")
    if not head.startswith(_FORM):
        return None
    if head != _HEAD or not lines:
        raise ValueError(f"a salt with stirs begins with {_HEAD} and goes on, not {abbreviated(salt)}")
    return () if lines == [_NOBODY] else tuple(map(_read, lines))


def _read(line: str) -> Stir:
    found = _LINE.fullmatch(line)
    if found is None or not (found[2] in SIGNS or _WORD.fullmatch(found[2])):
        raise ValueError(f"no canonical line of a salt with stirs: {abbreviated(line)}")
    return Stir(None if found[1] == "-" else int(found[1]) - 1, found[2])
