"""Phrases with their meanings, and how the bot understands them.

`python -m test_support.phrases` writes the approved readings again: read their diff before you commit it.
"""

import csv
import json
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from telegram_bot.cli.read import Meaning, meaning_of
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
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
LEARNT: Final = ("dev", TEXTED)
"""The sets whose readings are all approved."""
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
    hand: str = ""
    """The hand that wrote it, in the sets of several hands."""
    standing: tuple[int, int] | None = None
    """The bid to beat, if there is one."""
    private: bool = False

    def read(self, language: str) -> Meaning:
        return meaning_of(self.text, language, self.dice, self.standing, private=self.private)


def phrases(language: str, which: str) -> Iterator[Phrase]:
    with (PHRASES / f"{language}.{which}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            kind, text = row["kind"], row["phrase"]
            if which in ON_TURN:
                quantity, _, face = row["standing"].partition("x")
                expected: Meaning = {"call": row["meaning"]} if kind == "call" else {}
                standing = (int(quantity), int(face)) if face else None
                yield Phrase(kind, _DICE_ON_TURN, text, expected, row["hand"], standing, private=True)
            else:
                beats, private = STANDING if kind == "relative" else None, which == TEXTED
                yield Phrase(kind, int(row["dice"]), text, json.loads(row["expected"]), which, beats, private)


def outcome(phrase: Phrase, said: Meaning) -> str:
    """Return one of `OUTCOMES`: a play that is not the expected one is wrong, whatever else was expected."""
    if said == phrase.expected:
        return "understood"
    if "call" in said:
        return "wrong play"
    return "asked" if "ask" in said else "missed"


def rates(language: str, which: str) -> defaultdict[str, Counter[str]]:
    """Return for each kind how often each outcome came."""
    found = defaultdict[str, Counter[str]](Counter, {kind: Counter() for kind in KINDS if which in SETS})
    for phrase in phrases(language, which):
        said = phrase.read(language)
        if phrase.kind == "name":
            said = said or {"name": name_in(phrase.text) or ""}
        found[phrase.kind][outcome(phrase, said)] += 1
    return found


def approved(language: str) -> Path:
    return PHRASES / f"{language}.readings.tsv"


def readings(language: str) -> str:
    """Return a line for each phrase of `LEARNT` not read as expected, and for each text of `on_turn` in the file."""
    listed = {line.rpartition("\t")[0] for line in approved(language).read_text("utf-8").split("\n")}
    lines = []
    for which in (*LEARNT, ON_TURN[0]):
        for phrase in phrases(language, which):
            beats = "-" if phrase.standing is None else "x".join(map(str, phrase.standing))
            key = f"{which}\t{beats}\t{phrase.text}"
            if which in LEARNT or key in listed:
                said = phrase.read(language)
                if which not in LEARNT or said != phrase.expected:
                    lines.append(f"{key}\t{json.dumps(said)}\n")
    return "".join(lines)


if __name__ == "__main__":
    install(FEATURES)
    for each in MEASURED:
        approved(each).write_text(readings(each), encoding="utf-8")
