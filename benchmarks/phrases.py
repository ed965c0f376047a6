"""How many phrases the bot understands, of each kind in each language: python -m benchmarks.phrases.

The phrases are data, `tests/telegram_bot/words/parsing/phrases/<language>.<set>.tsv`; README.md beside them tells how
they were made. `dev` is for whoever works on the grammar; nobody reads `held_out`, which only counts.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from telegram_bot.operations.read import Meaning, meaning_of
from telegram_bot.words.parsing.vocabulary import GRAMMARS

PHRASES: Final = Path(__file__).resolve().parents[1] / "tests/telegram_bot/words/parsing/phrases"
SETS: Final = ("dev", "held_out")
KINDS: Final = ("clear", "transcript", "doubtful", "talk", "command")
OUTCOMES: Final = ("understood", "asked", "missed", "wrong play")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase, the dice in play when it was said, and what it means."""

    kind: str
    dice: int
    text: str
    expected: Meaning


def phrases(language: str, which: str) -> Iterator[Phrase]:
    """The phrases of a language in one of the sets."""
    with (PHRASES / f"{language}.{which}.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield Phrase(row["kind"], int(row["dice"]), row["phrase"], json.loads(row["expected"]))


def outcome(phrase: Phrase, said: Meaning) -> str:
    """One of `OUTCOMES`: a play that is not the expected one is wrong, whatever else was expected."""
    if said == phrase.expected:
        return "understood"
    if "call" in said:
        return "wrong play"
    return "asked" if "ask" in said else "missed"


def rates(language: str, which: str) -> dict[str, Counter[str]]:
    """For each kind how often each outcome came."""
    found = {kind: Counter[str]() for kind in KINDS}
    for phrase in phrases(language, which):
        found[phrase.kind][outcome(phrase, meaning_of(phrase.text, language, phrase.dice))] += 1
    return found


def table(which: str) -> Iterator[str]:
    """The rates as a table of a document."""
    yield "| language | kind | phrases | understood | asked | missed | wrong plays |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for language in GRAMMARS:
        for kind, counts in rates(language, which).items():
            total = counts.total()
            shares = (f"{100 * counts[each] / total:.1f} %" for each in OUTCOMES[:-1])
            yield f"| {language} | {kind} | {total} | {' | '.join(shares)} | {counts['wrong play']} |"


def failures(languages: Iterable[str], which: str) -> Iterator[str]:
    """The phrases that were not understood, with what was expected and what was read."""
    for language in languages:
        for phrase in phrases(language, which):
            said = meaning_of(phrase.text, language, phrase.dice)
            if (found := outcome(phrase, said)) != "understood":
                expected, read = json.dumps(phrase.expected), json.dumps(said)
                yield f"{language} {found:10} {phrase.kind:10} {phrase.dice:3} {phrase.text!r} {expected} {read}"


def main() -> None:
    """Print the rates, or the phrases that were not understood."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="held_out", help="the phrases (held_out)")
    parser.add_argument("--failures", nargs="*", metavar="LANGUAGE", help="list what is not understood (dev only)")
    options = parser.parse_args()
    lines = table(options.set) if options.failures is None else failures(options.failures or GRAMMARS, "dev")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
