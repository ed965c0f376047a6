"""Normalize a text for comparison: small letters without accents, plain digits, no emoji or outer punctuation."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from telegram_bot.words.dice import SIGNS

_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*|\.{3,}|\S")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")  # "twenty-one", "spot-on"
_ACCENT: Final = re.compile(r"(?<=[^\W\d_])'(?![^\W\d_])")  # "e' un bluff", as Italian phones write è
_DICE_SHOWN: Final = {die: die for die in SIGNS} | dict.fromkeys("⭐🌟🅰🗿", SIGNS[0])
"""A die sign remains: it is a face and never a number of dice."""
_LIGATURES: Final = {"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae"}
_SEEN_AS: Final = (
    {"\N{HEAVY PLUS SIGN}": "+"}
    | dict.fromkeys("×✕✖\N{CYRILLIC SMALL LETTER HA}\N{CYRILLIC CAPITAL LETTER HA}", "x")
    | dict.fromkeys("’‘ʼ´`", "'")  # noqa: RUF001
    | _LIGATURES
    | _DICE_SHOWN
)
_HELD: Final = re.compile(r"([aeiouy])\1{2,}|([^\W\d_])\2{2,}$")
"""A lengthened vowel or last letter."""
_KEYCAP: Final = "\N{VARIATION SELECTOR-16}?\N{COMBINING ENCLOSING KEYCAP}"
_SAME_KEYCAPS: Final = re.compile(rf"([1-6]){_KEYCAP}\s*\1{_KEYCAP}")
_QUESTION_MARKS: Final = frozenset("?\N{INVERTED QUESTION MARK}\N{FULLWIDTH QUESTION MARK}\N{ARABIC QUESTION MARK}")
_QUOTES: Final = "\"'“”„«»()¡¿ "
_QUOTATION: Final = re.compile(
    r"(?:[“„‟]|(?<!\w)”)[^“”„‟]*(?:[“”]|\Z)|«[^«»]*(?:»|\Z)|»[^«»]*«|‹[^‹›]*(?:›|\Z)|[「『][^」』]*(?:[」』]|\Z)"  # noqa: RUF001
    r"|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)[‘‚'](?=\S)[^‘’'\n]*[’‘'](?!\w)"  # noqa: RUF001
)
"""Words in quotation marks. A typographic mark that no other closes quotes the rest: networks cut long texts."""
_LINK: Final = re.compile(r"(?:\bhttps?://|\bwww\.|\b(?:[\w-]+\.)+[a-z]{2,}/)\S*", re.IGNORECASE)
_PART: Final = re.compile(r"(?<=\S)\s*\(\d{1,2}/\d{1,2}\)\s*\Z|\A\s*\(\d{1,2}/\d{1,2}\)(?=\s*\S)")
"""The number of a part, (2/2), which phones write around a long text."""
_AT_THE_START: Final = re.compile(rf"\A(?:[{re.escape(_QUOTES)}]|- |@[a-z]\w*\s)+")
"""Quotes, the dash before direct speech, a mention of the bot."""
_AT_THE_END: Final = _QUOTES + ".,;:!?…-"


def normalize(text: str) -> str:
    """Return the normalized text."""
    plain = text.translate(_NORMALIZED).casefold()
    return _AT_THE_START.sub("", plain).rstrip(_AT_THE_END)


def tokens(text: str) -> tuple[str, ...]:
    """Return the numbers, words and signs of a normalized text."""
    if "-" in text:
        text = _HYPHEN.sub(" ", text)
    if "'" in text:
        text = _ACCENT.sub("", text)
    return tuple(_TOKEN.findall(text))


def comparison_key(phrase: str) -> str:
    """Return the key under which a vocabulary stores a phrase."""
    words = phrase.split()
    return " ".join(words if "".join(words).isalpha() else tokens(phrase))


class _Normalized(dict[int, str]):
    """The normalized form of each code point, which is found when it is first met."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_CHARACTERS:
            self.clear()  # many strange texts fill no memory
        self[code] = _normalize_character(chr(code))
        return self[code]


_MOST_CHARACTERS: Final = 4096
_NORMALIZED: Final = _Normalized()


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


def without_links(text: str) -> str:
    """Return a text with a strange sign for each link, and without the number of a part of a long text."""
    return _LINK.sub(" § ", _PART.sub("", text))


def without_quotations(text: str) -> str | None:
    """Return a text with a strange sign for each quotation, or None if it quotes nothing or is one quotation."""
    around, quotations = _QUOTATION.subn(" § ", text)
    return around if quotations and re.search(r"\w", around.replace("§", "")) else None


def is_question(text: str) -> bool:
    """Return True if the text is a question."""
    return not _QUESTION_MARKS.isdisjoint(text)


def has_a_keycap_twice(text: str) -> bool:
    """Return True if two equal keycaps are side by side: the bid 4x4, or the dice of a hand."""
    return _SAME_KEYCAPS.search(text) is not None


def accented_words(text: str) -> frozenset[str]:
    """Return the words of a text with their accents, which `normalize` removes."""
    return frozenset(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", text).casefold()))


def without_elongation(word: str, known: Collection[str]) -> str:
    """Return a lengthened word, "dudooo", in its normal spelling: each run of three or more letters is one, or two."""
    if word in known or not _HELD.search(word):
        return word
    spelled = (_HELD.sub(lambda held, size=size: held[0][:size], word) for size in (1, 2))  # type: ignore[misc]
    return next((each for each in spelled if each in known), word)
