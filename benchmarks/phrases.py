"""How many phrases the bot understands, of each kind in each language: python -m benchmarks.phrases."""

import argparse
import json
from collections.abc import Iterable, Iterator

from telegram_bot.operations.read import meaning_of
from telegram_bot.words.parsing.vocabulary import GRAMMARS
from test_support.phrases import OUTCOMES, SETS, outcome, phrases, rates


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
