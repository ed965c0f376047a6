"""What people type or say in their own words: "5 4", "five fours", "liar!", "spot on".

The words are data, `grammars/<language>.toml`; this module only knows the shape: a number, perhaps something between,
a face. English is understood besides the player's own language. Whatever is not a call in full is no call: a slip of
the finger is answered with a question, never acted upon.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from telegram_bot.words.catalogue import ENGLISH, best_match

GRAMMAR_DIR: Final = Path(__file__).with_name("grammars")
GRAMMARS: Final[tuple[str, ...]] = (
    ENGLISH,
    *sorted({path.stem for path in GRAMMAR_DIR.glob("*.toml")} - {ENGLISH}),
)
"""The languages that have a grammar, English first."""

LONGEST_CALL: Final = 64
"""Characters; no call is longer, and what is longer is not looked at."""
_LONGEST_MESSAGE: Final = 4096  # spaces and all
_MOST_TOKENS: Final = 12
_MOST_DICE_WITHOUT_COUNT: Final = 50
_SHORTEST_SLIP: Final = 4
_TWO_SLIPS_FROM: Final = 8
_FACES: Final = range(1, 7)
_DICE_SHOWN: Final = {die: str(face) for face, die in enumerate("⚀⚁⚂⚃⚄⚅", start=1)}

CommandName: TypeAlias = Literal["dice", "status", "rules", "help", "leave"]
COMMANDS: Final[tuple[CommandName, ...]] = get_args(CommandName)


@dataclass(frozen=True, slots=True)
class SaidBid:
    """So many dice of a face."""

    quantity: int
    face: int


@dataclass(frozen=True, slots=True)
class SaidDudo:
    """The last bid is doubted."""


@dataclass(frozen=True, slots=True)
class SaidCalza:
    """The last bid is called exact."""


@dataclass(frozen=True, slots=True)
class SaidCommand:
    """A request that is no move."""

    name: CommandName


@dataclass(frozen=True, slots=True)
class DidYouMean:
    """Nearly a call. Nothing is done; the player may send this text instead."""

    text: str


Call: TypeAlias = SaidBid | SaidDudo | SaidCalza
_Meaning = TypeVar("_Meaning", int, SaidBid | SaidDudo | SaidCalza)
Said: TypeAlias = Call | SaidCommand | DidYouMean


def understand(text: str, language: str | None, *, total_dice: int | None = None) -> Said | None:
    """What a player said; None if it is ordinary talk. The number of dice at the table tells 54 from 5x4."""
    if len(text) > _LONGEST_MESSAGE or len(text := text.strip()) > LONGEST_CALL:
        return None
    grammar = _grammar(best_match(language, GRAMMARS))
    if whole := grammar.phrases.get(text):  # before its punctuation is dropped: "?"
        return whole
    tokens = _tokens(_tidy(text))
    if not 0 < len(tokens) <= _MOST_TOKENS:
        return None
    phrase = " ".join(tokens)
    said = grammar.phrases.get(phrase)
    if said is None and len({*tokens} - {","}) == 1:
        said = grammar.phrases.get(tokens[0])  # "liar liar"
    return said or grammar.bid(tokens) or _glued(phrase, total_dice) or grammar.nearly(tokens)


def spell(said: Said) -> str:
    """The form that is always understood, in every language: "5x4", "dudo", "calza"."""
    match said:
        case SaidBid(quantity, face):
            return f"{quantity}x{face}"
        case SaidDudo():
            return "dudo"
        case SaidCalza():
            return "calza"
        case SaidCommand(name):
            return name
        case DidYouMean(text):
            return text


# --- tidying ------------------------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*|\S")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")  # "twenty-one", "spot-on"
_SEEN_AS: Final = {"×": "x", "✕": "x", "✖": "x", "’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'"} | _DICE_SHOWN  # noqa: RUF001
_QUOTES: Final = "\"'“”„«»()¡¿ "
_AT_THE_END: Final = _QUOTES + ".,;:!?…-"


def _tidy(text: str) -> str:
    """Small letters without accents, plain digits, no emoji, no punctuation around."""
    return "".join(map(_tidy_character, text)).casefold().lstrip(_QUOTES).rstrip(_AT_THE_END)


def _tokens(tidy: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(_HYPHEN.sub(" ", tidy)))


def _tidy_character(character: str) -> str:
    if seen := _SEEN_AS.get(character):
        return f" {seen} " if character in _DICE_SHOWN else seen
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    match unicodedata.category(character):
        case "Cf" | "Mn" | "Me" | "Mc":  # joiners, accents and the rims of keycaps
            return ""
        case "Pd":
            return "-"
        case "So" | "Sk" | "Cc" | "Zs" | "Zl" | "Zp" | "Co" | "Cs" | "Cn":
            return " "
    plain = "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return character if any(map(str.isdigit, plain)) else plain  # ² and ½ are no digits


# --- the words of a language ----------------------------------------------------------------------------------------


class Grammar:
    """The words of one language, with the English ones behind them."""

    def __init__(self, *files: dict[str, Any]) -> None:
        """Later files give way to earlier ones."""
        self.phrases: dict[str, Said] = {}
        self.numbers: dict[str, int] = {}
        self.faces: dict[str, int] = {}
        self.openers: set[str] = set()
        self.between: set[str] = set()
        self.digit_plurals: set[str] = set()
        self.ordinary: set[str] = set()
        for file in files:
            self._add(file)
        self._slips: dict[str, Call] = {
            word: said
            for word, said in self.phrases.items()
            if isinstance(said, SaidDudo | SaidCalza) and word.isalpha() and len(word) >= _SHORTEST_SLIP
        }

    def _add(self, file: dict[str, Any]) -> None:
        for word in file.get("doubt", ()):
            self.phrases.setdefault(_key(word), SaidDudo())
        for word in file.get("exact", ()):
            self.phrases.setdefault(_key(word), SaidCalza())
        for command in COMMANDS:
            for word in file.get("commands", {}).get(command, ()):
                self.phrases.setdefault(_key(word), SaidCommand(command))
        for name, words in (("numbers", self.numbers), ("faces", self.faces)):
            for value, spellings in file.get(name, {}).items():
                for word in spellings:
                    words.setdefault(_key(word), int(value))
        for name in ("openers", "between", "digit_plurals", "ordinary"):
            getattr(self, name).update(map(_key, file.get(name, ())))

    def bid(self, tokens: tuple[str, ...]) -> SaidBid | None:
        """A number, perhaps something between, a face; and nothing else."""
        if " ".join(tokens) in self.numbers:
            return None  # "twenty one" is a number, as 21 is
        starts = [0, *(size for size in range(1, len(tokens)) if " ".join(tokens[:size]) in self.openers)]
        for start in starts:
            for middle in range(len(tokens) - 1, start, -1):
                quantity = self._quantity(tokens[start:middle])
                if quantity is None:
                    continue
                for end in range(middle, len(tokens)):
                    face = self._face(tokens[end:])
                    if face and (middle == end or " ".join(tokens[middle:end]) in self.between):
                        return SaidBid(quantity, face)
        return None

    def _quantity(self, tokens: tuple[str, ...]) -> int | None:
        if len(tokens) == 1 and re.fullmatch(r"[1-9]\d{0,2}", tokens[0]):
            return int(tokens[0])
        return self.numbers.get(" ".join(tokens))

    def _face(self, tokens: tuple[str, ...]) -> int | None:
        if re.fullmatch("[1-6]", tokens[0]):
            return int(tokens[0]) if len(tokens) == 1 or " ".join(tokens[1:]) in self.digit_plurals else None
        return self.faces.get(" ".join(tokens))

    def nearly(self, tokens: tuple[str, ...]) -> DidYouMean | None:
        """The call that a slip of the finger stands for: in a call of one word, or in one word of a whole bid."""
        if len(tokens) == 1:
            call = _nearest(tokens[0], self._slips, self.ordinary)
            return DidYouMean(spell(call)) if call else None
        for position, token in enumerate(tokens):
            for words in (self.faces, self.numbers):
                value = _nearest(token, words, self.ordinary)
                corrected = self.bid((*tokens[:position], str(value), *tokens[position + 1 :])) if value else None
                if corrected:
                    return DidYouMean(spell(corrected))
        return None


def _key(phrase: str) -> str:
    return " ".join(_tokens(phrase))


@cache
def read_grammar(language: str) -> dict[str, Any]:
    """A language's own file."""
    return tomllib.loads((GRAMMAR_DIR / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def _grammar(language: str) -> Grammar:
    return Grammar(*(read_grammar(name) for name in dict.fromkeys((language, ENGLISH))))


# --- numbers run together, and slips ---------------------------------------------------------------------------------


def _glued(digits: str, total_dice: int | None) -> SaidBid | None:
    """54 is 5x4 where nobody can mean 54 dice."""
    most = _MOST_DICE_WITHOUT_COUNT if total_dice is None else total_dice
    if not re.fullmatch(r"[1-9]\d{0,2}[1-6]", digits) or int(digits) <= most:
        return None
    quantity, face = divmod(int(digits), 10)
    return SaidBid(quantity, face) if quantity <= most else None


def _nearest(word: str, words: dict[str, _Meaning], ordinary: set[str]) -> _Meaning | None:
    """What the nearest of some words means, where a slip of the finger explains the difference."""
    if len(word) < _SHORTEST_SLIP or not word.isalpha() or word in ordinary or word in words:
        return None
    slips = 2 if len(word) >= _TWO_SLIPS_FROM else 1
    near = [
        (distance, known)
        for known in words
        if known[0] == word[0]  # few slip on the first letter, and "hours" are no fours
        and len(known) >= _SHORTEST_SLIP
        and abs(len(known) - len(word)) <= slips
        and (distance := _distance(word, known)) <= slips
    ]
    return words[min(near)[1]] if near else None


def _distance(left: str, right: str) -> int:
    """Letters left out, put in, replaced or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        last, row, before_last = row, [i], before
        for j, other in enumerate(right, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        before = last
    return row[-1]
