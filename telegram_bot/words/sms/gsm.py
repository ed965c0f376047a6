"""The alphabet of text messages (GSM 03.38): lengths, and the replacement of other letters.

One letter outside the alphabet turns the whole text into UCS-2, where 70 characters fill a message instead of 160.
"""

import unicodedata
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from anyascii import anyascii

BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The default alphabet (3GPP TS 23.038, 6.2.1), one septet each."""

EXTENSION: Final = frozenset("\f^{}\\[~]|€")
"""The extension table: an escape and a letter, two septets together."""

SINGLE: Final = 160
"""Septets in a single message."""
PART: Final = 153
"""Septets in each part of a longer message."""
WIDE_SINGLE: Final = 70
WIDE_PART: Final = 67
"""The same two lengths in UTF-16 code units, for a text with a letter outside the alphabet."""

_SIGNS: Final = {
    **dict.fromkeys("\u2018\u2019\u02bc\u00b4`", "'"),  # the quotes that keyboards write by themselves
    **dict.fromkeys("\u201c\u201d\u201e«»", '"'),
    **dict.fromkeys("\u2010\u2011\u2013\u2014\u2212·~", "-"),
    **dict.fromkeys("\t\u00a0\u2009\u202f", " "),
    "…": "...",
    "×": "x",
    "→": ">",
    "[": "(",
    "{": "(",
    "]": ")",
    "}": ")",
    "|": "/",
    "\\": "/",
    "€": "EUR",
}


class Counted(NamedTuple):
    """How a text is sent: its encoding, its length in that encoding, and the number of messages."""

    alphabet: Literal["GSM-7", "UCS-2"]
    length: int
    segments: int


def is_gsm(text: str) -> bool:
    """Return whether every letter is in the alphabet or its extension."""
    return all(letter in BASIC or letter in EXTENSION for letter in text)


def septets(text: str) -> int:
    """Return the length of a text in the alphabet.

    Raises:
        ValueError: a letter is outside of it.
    """
    if BASIC.issuperset(text):
        return len(text)
    total = 0
    for letter in text:
        if letter in BASIC:
            total += 1
        elif letter in EXTENSION:
            total += 2
        else:
            raise ValueError(f"U+{ord(letter):04X} is not in the alphabet")
    return total


def count_segments(text: str) -> Counted:
    """Return the encoding and the number of messages of a text without changes.

    A two-septet letter, or a surrogate pair, is never split over two parts.
    """
    if is_gsm(text):
        sizes = [1 if letter in BASIC else 2 for letter in text]
        return Counted("GSM-7", sum(sizes), _parts(sizes, SINGLE, PART))
    sizes = [len(letter.encode("utf-16-be", "surrogatepass")) // 2 for letter in text]
    return Counted("UCS-2", sum(sizes), _parts(sizes, WIDE_SINGLE, WIDE_PART))


def _parts(sizes: list[int], single: int, part: int) -> int:
    if sum(sizes) <= single:
        return 1
    parts, filled = 1, 0
    for size in sizes:
        if filled + size > part:
            parts, filled = parts + 1, 0
        filled += size
    return parts


def to_gsm(text: str) -> str:
    """Return the text in the alphabet: "ç" becomes c, "…" three dots, 王 Wang; characters without a sound are left out.

    The result contains one-septet letters only.
    """
    if BASIC.issuperset(text):
        return text
    return "".join(map(_letter, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=4096)  # cached: the layout tries many lengths of the same text
def _letter(letter: str) -> str:
    if letter in BASIC:
        return letter
    if (sign := _SIGNS.get(letter)) is not None:
        return sign
    if unicodedata.category(letter)[0] not in "LN":
        return ""  # an emoji, a mark, a joiner: its transliteration would be a whole name
    return "".join(plain for plain in anyascii(letter) if plain in BASIC)


def cut(text: str, length: int) -> str:
    """Return the beginning of a text, at most `septets` long, without a blank at the end."""
    room = length
    for position, letter in enumerate(text):
        room -= septets(letter)
        if room < 0:
            return text[:position].rstrip()
    return text
