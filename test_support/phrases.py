"""Phrases with their meanings, and how the bot understands them."""

import csv
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from telegram_bot.cli.read import Meaning, meaning_of
from telegram_bot.parsing.joining import name_in
from telegram_bot.words.language_files import GRAMMARS

PHRASES: Final = Path(__file__).resolve().parents[1] / "tests/telegram_bot/parsing/phrases"
SETS: Final = ("dev", "held_out")
MEASURED: Final = tuple(language for language in GRAMMARS if (PHRASES / f"{language}.dev.tsv").exists())
"""The languages with phrases to measure; the others were never measured."""
BY_FRIENDS: Final = PHRASES.parents[1] / "words/phrases"
"""The folder with texts of each language, one file for each."""
TEXTED: Final = "texted"
"""The set of whole texts to the bot alone, with questions and names."""
ON_TURN: Final = ("on_turn", "on_turn_held_out")
"""The sets of texts at one's turn, by several hands, each with the bid to beat: to learn from, and only to measure."""
_DICE_ON_TURN: Final = 20
STANDING: Final = (3, 4)
"""The bid to beat where a text of the kind `relative` was written."""
KINDS: Final = ("clear", "transcript", "doubtful", "talk", "command")
OUTCOMES: Final = ("understood", "asked", "missed", "wrong play")


def by_friends(name: str) -> dict[str, Any]:
    """Return the texts of a language with their meanings, and its words for tests."""
    return tomllib.loads((BY_FRIENDS / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, the dice in play when it was said, and what it means."""

    kind: str
    dice: int
    text: str
    expected: Meaning


def _rows(language: str, which: str) -> Iterator[dict[str, str]]:
    with (PHRASES / f"{language}.{which}.tsv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def phrases(language: str, which: str) -> Iterator[Phrase]:
    for row in _rows(language, which):
        yield Phrase(row["kind"], int(row["dice"]), row["phrase"], json.loads(row["expected"]))


def outcome(phrase: Phrase, said: Meaning) -> str:
    """Return one of `OUTCOMES`: a play that is not the expected one is wrong, whatever else was expected."""
    if said == phrase.expected:
        return "understood"
    if "call" in said:
        return "wrong play"
    return "asked" if "ask" in said else "missed"


Rates: TypeAlias = defaultdict[str, Counter[str]]
"""For each kind how often each outcome came."""


def rates(language: str, which: str) -> Rates:
    found: Rates = defaultdict(Counter, {kind: Counter() for kind in KINDS})
    for phrase in phrases(language, which):
        found[phrase.kind][outcome(phrase, meaning_of(phrase.text, language, phrase.dice))] += 1
    return found


@dataclass(frozen=True, slots=True)
class TextOnTurn(Phrase):
    """A text at one's turn, who wrote it, and the bid to beat."""

    hand: str
    standing: tuple[int, int] | None

    def read(self, language: str) -> Meaning:
        return meaning_of(self.text, language, self.dice, self.standing, private=True)


def texted(language: str) -> Rates:
    found: Rates = defaultdict(Counter)
    for text in whole_texts(language):
        said = text.read(language)
        if text.kind == "name":
            said = said or {"name": name_in(text.text) or ""}
        found[text.kind][outcome(text, said)] += 1
    return found


def whole_texts(language: str) -> Iterator[TextOnTurn]:
    """Yield the texts of the set `TEXTED`, most of them with no bid to beat."""
    for phrase in phrases(language, TEXTED):
        standing = STANDING if phrase.kind == "relative" else None
        yield TextOnTurn(phrase.kind, phrase.dice, phrase.text, phrase.expected, TEXTED, standing)


def texts_on_turn(language: str, which: str = ON_TURN[0]) -> Iterator[TextOnTurn]:
    """Yield the texts at one's turn of one of the sets."""
    for row in _rows(language, which):
        quantity, _, face = row["standing"].partition("x")
        standing = (int(quantity), int(face)) if face else None
        expected: Meaning = {"call": row["meaning"]} if row["kind"] == "call" else {}
        yield TextOnTurn(row["kind"], _DICE_ON_TURN, row["phrase"], expected, row["hand"], standing)


def on_turn(language: str, which: str = ON_TURN[0]) -> Rates:
    found: Rates = defaultdict(Counter)
    for text in texts_on_turn(language, which):
        found[text.kind][outcome(text, text.read(language))] += 1
    return found
