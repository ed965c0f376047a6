"""How many phrases the bot understands, of each kind in each language: python -m benchmarks.phrases."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.parsing.grammar import readings_in_talk
from telegram_bot.parsing.parsed import canonical_text
from telegram_bot.parsing.readings import WEIGHTS, WEIGHTS_FILE, Features, Reading
from test_support.phrases import (
    MEASURED,
    ON_TURN,
    OUTCOMES,
    SETS,
    TEXTED,
    outcome,
    phrases,
    rates,
)


def table(which: str) -> Iterator[str]:
    """Yield the rates as a table of a document."""
    yield "| language | kind | phrases | understood | asked | missed | wrong plays |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for language in MEASURED:
        for kind, counts in rates(language, which).items():
            total = counts.total()
            shares = (f"{100 * counts[each] / total:.1f} %" for each in OUTCOMES[:-1])
            yield f"| {language} | {kind} | {total} | {' | '.join(shares)} | {counts['wrong play']} |"


def table_on_turn(found: Mapping[str, Mapping[str, Counter[str]]]) -> Iterator[str]:
    """Yield the rates of the texts at one's turn, by language or by hand."""
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


def fitted(examples: Iterable[tuple[Reading, bool]]) -> dict[str, Features]:
    """Return the weights of features and words, by logistic regression.

    A call that was not meant counts as ten that were.
    """
    rows = list(examples)
    counts = Counter((reading.language, word) for reading, _ in rows for word in reading.words)
    known = [
        {f"{reading.kind} {name}": float(value) for name, value in reading.features.items() if value}
        | {f"{reading.language} {word}": 1.0 for word in reading.words if counts[reading.language, word] >= FEWEST}
        for reading, _ in rows
    ]
    right = [right for _, right in rows]
    vectorizer = DictVectorizer()
    model = LogisticRegression(fit_intercept=False, max_iter=2000)
    model.fit(vectorizer.fit_transform(known), right, sample_weight=[1.0 if each else WRONG_COUNTS for each in right])
    weights: dict[str, Features] = {kind: {} for kind in KINDS_OF_WEIGHTS}
    for column, weight in zip(vectorizer.feature_names_, model.coef_[0], strict=True):
        kind, name = column.split(" ", 1)
        weights[kind][name] = round(float(weight), 1)
    return weights


WRONG_COUNTS: Final = 10.0
FEWEST: Final = 2
"""A word that was seen less often has no weight."""
KINDS_OF_WEIGHTS: Final = ("bid", "word", *MEASURED)


def fit() -> Iterator[str]:
    """Fit the weights and write them; each hand's rates by the weights that were fitted without it."""
    texts = [(language, text) for language in MEASURED for text in phrases(language, ON_TURN[0])]
    others = [(language, text) for language in MEASURED for text in phrases(language, TEXTED)]
    WEIGHTS.update({kind: {} for kind in KINDS_OF_WEIGHTS})
    examples = [
        (text.hand, reading, text.expected == {"call": canonical_text(reading.call)})
        for language, text in (*texts, *others)
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
    weights = fitted([(reading, right) for _, reading, right in examples])
    WEIGHTS_FILE.write_text("\n".join(weights_file(weights)) + "\n", encoding="utf-8")


def weights_file(weights: Mapping[str, Features]) -> Iterator[str]:
    """Yield the lines of `weights.toml`; a line for each weight that words have."""
    yield "# How much each feature, and each word, speaks for a call, see readings.py:"
    yield "# written by `python -m benchmarks.phrases --fit`."
    for kind, of_kind in weights.items():
        by_weight: dict[float, list[str]] = {}
        for name, weight in of_kind.items():
            by_weight.setdefault(weight, []).append(name)
        by_weight.pop(0.0, None)
        if kind in MEASURED:
            yield from ("", f"[words.{kind}]")
            yield from (f'"{weight}" = "{" ".join(by_weight[weight])}"' for weight in sorted(by_weight))
        else:
            yield from ("", f"[{kind}]")
            yield from (f'"{name}" = {weight}' for name, weight in of_kind.items() if weight)


def failures(languages: Iterable[str], which: str) -> Iterator[str]:
    """Yield the phrases that were not understood, with what was expected and what was read."""
    for language in languages:
        for phrase in phrases(language, which):
            said = phrase.read(language)
            if (found := outcome(phrase, said)) != "understood":
                expected, read = json.dumps(phrase.expected), json.dumps(said)
                yield f"{language} {found:10} {phrase.kind:10} {phrase.dice:3} {phrase.text!r} {expected} {read}"


FLOORS: Final = {
    "clear": (0.91, 0.96, 0.94, 0.95, 0.93),
    "transcript": (0.98, 0.95, 0.95, 0.98, 0.95),
    "text": (0.98, 0.95, 0.98, 0.96, 0.92),
    "text, played or asked": (0.98, 0.96, 0.98, 0.98, 0.98),
    "question": (0.93, 0.89, 0.89, 0.98, 0.98),
    "on turn": (0.85, 0.83, 0.83, 0.84, 0.87),
    "on turn, played or asked": (0.96, 0.95, 0.96, 0.96, 0.96),
    "on turn, never wrongly": (1.0, 1.0, 1.0, 1.0, 1.0),
    "talk on turn, left alone": (0.78, 0.76, 0.75, 0.75, 0.78),
}
"""The least share of each kind, in the order of `MEASURED`: two points below the share when the floor was set."""


def shares(language: str) -> dict[str, float]:
    """Return the shares that have a floor, by the keys of `FLOORS`."""
    phrase, text, turn = rates(language, "held_out"), rates(language, TEXTED), rates(language, ON_TURN[0])
    return {
        "clear": _share(phrase["clear"], "understood"),
        "transcript": _share(phrase["transcript"], "understood"),
        "text": _share(text["clear"], "understood"),
        "text, played or asked": _share(text["clear"], "understood", "asked"),
        "question": _share(text["question"], "understood"),
        "on turn": _share(turn["call"], "understood"),
        "on turn, played or asked": _share(turn["call"], "understood", "asked"),
        "on turn, never wrongly": 1 - _share(sum(turn.values(), Counter()), "wrong play"),
        "talk on turn, left alone": 1 - _share(turn["talk"], "asked"),
    }


def _share(counts: Counter[str], *outcomes: str) -> float:
    return sum(counts[each] for each in outcomes) / counts.total()


def below_floors() -> Iterator[str]:
    """Yield each share that is below its floor, with both."""
    for index, language in enumerate(MEASURED):
        for kind, share in shares(language).items():
            if share < FLOORS[kind][index]:
                yield f"{language} {kind}: {share:.3f}, floor {FLOORS[kind][index]}"


def main() -> None:
    """Print the rates, or the phrases that were not understood."""
    install(FEATURES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=(*SETS, *ON_TURN), default="held_out", help="the phrases (held_out)")
    parser.add_argument("--failures", nargs="*", metavar="LANGUAGE", help="list what is not understood (dev only)")
    parser.add_argument("--fit", action="store_true", help="fit the weights of readings to the texts at one's turn")
    parser.add_argument("--floors", action="store_true", help="exit with 1 and a list if a rate is below its floor")
    options = parser.parse_args()
    if options.floors:
        sys.exit("\n".join(below_floors()) or None)
    if options.fit:
        rows = fit()
    elif options.set in ON_TURN:
        rows = table_on_turn({language: rates(language, options.set) for language in MEASURED})
    else:
        rows = table(options.set)
    lines = rows if options.failures is None else failures(options.failures or MEASURED, "dev")
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
