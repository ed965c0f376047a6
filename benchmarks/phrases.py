"""How many phrases the bot understands, of each kind in each language: python -m benchmarks.phrases."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from telegram_bot.operations.read import meaning_of
from telegram_bot.words.parsing.grammar import readings_in_talk
from telegram_bot.words.parsing.parsed import canonical_text
from telegram_bot.words.parsing.readings import WEIGHTS, WEIGHTS_FILE, Reading
from telegram_bot.words.parsing.vocabulary import GRAMMARS
from test_support.phrases import ON_TURN, OUTCOMES, SETS, on_turn, outcome, phrases, rates, texts_on_turn


def table(which: str) -> Iterator[str]:
    """The rates as a table of a document."""
    yield "| language | kind | phrases | understood | asked | missed | wrong plays |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for language in GRAMMARS:
        for kind, counts in rates(language, which).items():
            total = counts.total()
            shares = (f"{100 * counts[each] / total:.1f} %" for each in OUTCOMES[:-1])
            yield f"| {language} | {kind} | {total} | {' | '.join(shares)} | {counts['wrong play']} |"


def table_on_turn(found: Mapping[str, Mapping[str, Counter[str]]]) -> Iterator[str]:
    """The rates of the texts at one's turn, by language or by hand."""
    yield "| | calls | played | played or asked | wrong plays | talk | played | asked | questions, unclear | played |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for name, kinds in found.items():
        calls, talk = kinds.get("call", Counter[str]()), kinds["talk"]
        rest = kinds["question"] + kinds.get("unclear", Counter[str]())
        shares = (calls["understood"], calls["understood"] + calls["asked"])
        played = " | ".join(f"{100 * each / (calls.total() or 1):.1f} %" for each in shares)
        asked = f"{talk.total()} | {talk['wrong play']} | {100 * talk['asked'] / talk.total():.0f} %"
        others = f"{rest.total()} | {rest['wrong play']}"
        yield f"| {name} | {calls.total()} | {played} | {calls['wrong play']} | {asked} | {others} |"


def fitted(examples: Iterable[tuple[Reading, bool]]) -> dict[str, dict[str, float]]:
    """The weights of the features: logistic regression, in which a wrong call counts as much as five right ones."""
    weights: dict[str, dict[str, float]] = {}
    for kind in ("bid", "word"):
        rows = [(reading.features, right) for reading, right in examples if reading.kind == kind]
        names = sorted({name for features, _ in rows for name, value in features.items() if value})
        known = np.array([[float(features.get(name, 0)) for name in names] for features, _ in rows])
        right = np.array([float(right) for _, right in rows])
        count = np.where(right > 0, 1.0, WRONG_COUNTS)
        fit = np.zeros(len(names))
        for _ in range(_STEPS):  # Newton's method
            likely = 1 / (1 + np.exp(-known @ fit))
            slope = known.T @ (count * (likely - right)) + SHRINKS * fit
            curve = (known.T * (count * likely * (1 - likely))) @ known + SHRINKS * np.eye(len(names))
            fit -= np.linalg.solve(curve, slope)
        weights[kind] = {name: round(float(weight), 1) for name, weight in zip(names, fit, strict=True)}
    return weights


WRONG_COUNTS, SHRINKS = 5.0, 1.0
_STEPS = 12


def fit() -> Iterator[str]:
    """Fit the weights and write them; each hand's rates by the weights that were fitted without it."""
    texts = [(language, text) for language in GRAMMARS for text in texts_on_turn(language)]
    WEIGHTS.update({"bid": {}, "word": {}})
    examples = [
        (text.hand, reading, text.expected == {"call": canonical_text(reading.call)})
        for language, text in texts
        if "call" not in text.read(language)  # then the whole text is a call
        for reading in readings_in_talk(text.text, language, total_dice=text.dice, standing=text.standing)
    ]
    found: dict[str, dict[str, Counter[str]]] = {}
    for hand in sorted({text.hand for _, text in texts}):
        WEIGHTS.update(fitted([(reading, right) for writer, reading, right in examples if writer != hand]))
        for language, text in texts:
            if text.hand == hand:
                for name in (language, f"hand {hand}"):
                    counts = found.setdefault(name, {}).setdefault(text.kind, Counter())
                    counts[outcome(text, text.read(language))] += 1
    yield from table_on_turn(dict(sorted(found.items())))
    lines = [
        "# How much each feature speaks for a call, see readings.py: written by `python -m benchmarks.phrases --fit`."
    ]
    for kind, weights in fitted([(reading, right) for _, reading, right in examples]).items():
        lines += ["", f"[{kind}]", *(f'"{name}" = {weight}' for name, weight in weights.items() if weight)]
    WEIGHTS_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
    parser.add_argument("--fit", action="store_true", help="fit the weights of readings to the texts at one's turn")
    options = parser.parse_args()
    if options.fit:
        rows = fit()
    elif options.set == ON_TURN:
        rows = table_on_turn({language: on_turn(language) for language in GRAMMARS})
    else:
        rows = table(options.set)
    lines = rows if options.failures is None else failures(options.failures or GRAMMARS, "dev")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
