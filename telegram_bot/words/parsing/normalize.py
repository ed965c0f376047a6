"""Normalize a text for comparison: small letters without accents, plain digits, no emoji or outer punctuation."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*|\S")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")  # "twenty-one", "spot-on"
_ACCENT: Final = re.compile(r"(?<=[^\W\d_])'(?![^\W\d_])")  # "e' un bluff", as Italian phones write è
_DICE_SHOWN: Final = {die: str(face) for face, die in enumerate("⚀⚁⚂⚃⚄⚅", start=1)}
_SEEN_AS: Final = {"×": "x", "✕": "x", "✖": "x", "’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'"} | _DICE_SHOWN  # noqa: RUF001
_QUOTES: Final = "\"'“”„«»()¡¿ "
_AT_THE_END: Final = _QUOTES + ".,;:!?…-"


def normalize(text: str) -> str:
    """The normalized text."""
    return "".join(map(_normalize_character, text)).casefold().lstrip(_QUOTES).rstrip(_AT_THE_END)


def tokens(text: str) -> tuple[str, ...]:
    """The numbers, words and signs of a normalized text."""
    return tuple(_TOKEN.findall(_ACCENT.sub("", _HYPHEN.sub(" ", text))))


def comparison_key(phrase: str) -> str:
    """The key under which a phrase is stored in a vocabulary."""
    return " ".join(tokens(phrase))


def _normalize_character(character: str) -> str:
    if seen := _SEEN_AS.get(character):
        return f" {seen} " if character in _DICE_SHOWN else seen
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    match unicodedata.category(character):
        case "Cf" | "Mn" | "Me" | "Mc":  # joiners, accents and the frames of keycap emoji
            return ""
        case "Pd":
            return "-"
        case "So" | "Sk" | "Cc" | "Zs" | "Zl" | "Zp" | "Co" | "Cs" | "Cn":
            return " "
    plain = "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return character if any(map(str.isdigit, plain)) else plain  # ² and ½ are no digits
