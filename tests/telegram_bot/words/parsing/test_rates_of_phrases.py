"""The goals of the grammar, on phrases that nobody looked at while working on it; and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.operations.read import meaning_of
from telegram_bot.words.parsing.grammar import GRAMMARS, parse
from telegram_bot.words.parsing.vocabulary import Part, vocabulary
from test_support.phrases import KINDS, Phrase, outcome, rates

GOALS = {"clear": 0.92, "transcript": 0.85}


@pytest.mark.parametrize("which", ["dev", "held_out"])
@pytest.mark.parametrize("language", GRAMMARS)
def test_the_goals_are_met_and_no_play_is_wrong(language: str, which: str) -> None:
    found = rates(language, which)
    for kind, goal in GOALS.items():
        assert found[kind]["understood"] / found[kind].total() >= goal, kind
    assert [kind for kind in KINDS if found[kind]["wrong play"]] == []


@pytest.mark.parametrize(
    ("expected", "said", "counted"),
    [
        ({"call": "5x4"}, {"call": "5x4"}, "understood"),
        ({"call": "5x4"}, {"ask": "5x4"}, "asked"),
        ({"call": "5x4"}, {"call": "4x5"}, "wrong play"),
        ({"ask": "5x4"}, {"call": "5x4"}, "wrong play"),
        ({}, {"call": "dudo"}, "wrong play"),
        ({"ask": "5x4"}, {}, "missed"),
    ],
)
def test_a_play_that_was_not_expected_is_wrong(expected: dict[str, str], said: dict[str, str], counted: str) -> None:
    assert outcome(Phrase("clear", 30, "", expected), said) == counted


SAID_BY_OTHERS = {
    "en": ["he said five fours", "if I say dudo", "I don't have five fours", "five fours is a lot", "call me a liar"],
    "it": ["ha detto cinque quattro", "se dico dudo", "dubito che venga", "sono un bugiardo", "tu hai cinque quattro"],
    "fr": ["il a dit cinq quatre", "si je dis dudo", "je ne doute pas", "tu dis dudo", "cinq quatre c'est trop"],
    "es": ["dijo cinco cuatros", "nunca dudo", "no digo dudo", "dudo que venga hoy", "soy un mentiroso"],
    "nl": [
        "hij zei vijf vieren",
        "ik twijfel nooit",
        "jij zegt dudo",
        "ik ben een leugenaar",
        "ik heb geen vijf vieren",
    ],
}


@pytest.mark.parametrize("by", GRAMMARS)
@pytest.mark.parametrize(
    "text",
    [
        *(text for texts in SAID_BY_OTHERS.values() for text in texts),
        *("⚃⚃", "een of twee", "vier of vijf", "à deux", "one of two", "uno de dos", "tengo dos ases", "dudo?", "54?"),
    ],
)
def test_doubtful_words_are_played_for_nobody(by: str, text: str) -> None:
    assert "call" not in meaning_of(text, by, 30)


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_correction_is_asked_about(language: str) -> None:
    assert meaning_of("5x4, sorry, 6x4", language, 30) == {"ask": "6x4"}


def is_filler(phrase: str, language: str) -> bool:
    """Whether a phrase is a filler, and nothing within it is anything else."""
    words = phrase.split()
    within = (" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1))
    known = vocabulary(language)
    return all(known.parts.get(each, {Part.FILLER}) == {Part.FILLER} and each not in known.phrases for each in within)


FILLERS = {
    language: sorted(
        phrase for phrase in vocabulary(language).parts if "*" not in phrase and is_filler(phrase, language)
    )
    for language in GRAMMARS
}


@given(
    said=st.sampled_from(["5x4", "12 x 6", "dudo", "calza"]),
    language=st.sampled_from(GRAMMARS),
    data=st.data(),
)
def test_a_filler_never_changes_a_call(said: str, language: str, data: st.DataObject) -> None:
    before, behind = data.draw(st.sampled_from(FILLERS[language])), data.draw(st.sampled_from(FILLERS[language]))
    assert parse(f"{before}, {said}, {behind}", language) == parse(said, language)


@given(text=st.text(max_size=200), language=st.sampled_from(GRAMMARS), dice=st.none() | st.integers(1, 999))
def test_any_text_has_an_answer(text: str, language: str, dice: int | None) -> None:
    assert meaning_of(text, language, dice).keys() <= {"call", "ask", "command"}
