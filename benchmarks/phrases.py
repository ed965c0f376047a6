"""How many phrases the bot understands, of each kind in each language: python -m benchmarks.phrases."""

import argparse
import json
from collections.abc import Iterable, Iterator

from telegram_bot.operations.read import meaning_of
from telegram_bot.words.parsing.vocabulary import GRAMMARS
from test_support.phrases import ON_TURN, OUTCOMES, SETS, on_turn, outcome, phrases, rates


def table(which: str) -> Iterator[str]:
    """The rates as a table of a document."""
    yield "| language | kind | phrases | understood | asked | missed | wrong plays |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for language in GRAMMARS:
        for kind, counts in rates(language, which).items():
            total = counts.total()
            shares = (f"{100 * counts[each] / total:.1f} %" for each in OUTCOMES[:-1])
            yield f"| {language} | {kind} | {total} | {' | '.join(shares)} | {counts['wrong play']} |"


def table_on_turn() -> Iterator[str]:
    """The rates of the texts at one's turn."""
    yield "| language | calls | played | played or asked | wrong plays | talk, questions and unclear texts | played |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for language in GRAMMARS:
        found = on_turn(language)
        calls = found.pop("call")
        total, played = calls.total(), calls["understood"]
        asked = 100 * (played + calls["asked"]) / total
        others = sum(counts.total() for counts in found.values())
        wrong = sum(counts["wrong play"] for counts in found.values())
        shares = f"{100 * played / total:.1f} % | {asked:.1f} % | {calls['wrong play']}"
        yield f"| {language} | {total} | {shares} | {others} | {wrong} |"


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
    parser.add_argument("--set", choices=(*SETS, ON_TURN), default="held_out", help="the phrases (held_out)")
    parser.add_argument("--failures", nargs="*", metavar="LANGUAGE", help="list what is not understood (dev only)")
    options = parser.parse_args()
    rows = table_on_turn() if options.set == ON_TURN else table(options.set)
    lines = rows if options.failures is None else failures(options.failures or GRAMMARS, "dev")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
