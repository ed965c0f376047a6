"""Typed bids: no phrase of the collection becomes a wrong play, and every text gets an answer."""

import re
import unicodedata
from collections import Counter
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from telegram_bot.cli.read import meaning_of
from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.vocabulary import Part, vocabulary
from telegram_bot.words.language_files import GRAMMARS
from test_support.phrases import LEARNT, MEASURED, SETS, Phrase, approved, by_friends, outcome, phrases, readings


@pytest.mark.parametrize("language", MEASURED)
def test_no_phrase_is_played_wrongly_and_each_reading_is_approved(language: str) -> None:
    held_out = [(phrase, phrase.read(language)) for phrase in phrases(language, "held_out")]
    assert [(phrase.text, said) for phrase, said in held_out if outcome(phrase, said) == "wrong play"] == []
    now = readings(language)
    assert [line for line in now.split("\n") if line.startswith(LEARNT) and '\t{"call"' in line] == []
    assert now == approved(language).read_text("utf-8"), "`python -m test_support.phrases` approves it"


@pytest.mark.parametrize(
    ("language", "text", "meant"),
    [
        ("en", "half a dozen sixes", {"call": "6x6"}),
        ("nl", "half dozijn zessen", {"call": "6x6"}),
        ("en", "stick another six on top of that", {"call": "6x6"}),
        ("nl", "doe er nog een zesje bij", {"call": "6x6"}),
        ("en", "another four", {"ask": "9x6"}),
        ("en", "of the sixes I say eight", {"call": "8x6"}),
        ("en", "of the sixes, eight, mate", {"call": "8x6"}),
        ("en", "same again plus one", {"ask": "6x6"}),
        ("fr", "pareil +1", {"call": "6x6"}),
        ("it", "salgo di uno sui sei, che c'\u00e8 l'angolo", {"call": "6x6"}),
        ("es", "subo tres seises", {"call": "3x6"}),
        ("nl", "zeven zessen, en geen buitenspel", {"call": "7x6"}),
        ("en", "I challenge you to tennis", {"ask": "dudo"}),
        ("en", "liar said my mum", {"ask": "dudo"}),
        ("fr", "je monte", {}),
        ("en", "https://maps.example/?q=7x3", {}),
        ("en", "maps.example/?q=7x3", {}),
        ("en", "7\N{CYRILLIC SMALL LETTER HA}3", {"call": "7x3"}),
        ("en", "7x3 (2/2)", {"call": "7x3"}),
        ("en", "dudo (1/2)", {"call": "dudo"}),
    ],
)
def test_a_text_on_turn_while_five_sixes_stand(language: str, text: str, meant: dict[str, str]) -> None:
    assert meaning_of(text, language, 20, (5, 6), private=True) == meant


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_doubt_alone_is_played_on_turn_and_one_within_a_sentence_is_asked_about(language: str) -> None:
    doubt = by_friends(language)["a_doubt"]

    def read(text: str) -> dict[str, str]:
        return dict(meaning_of(text, language, 20, (5, 6), private=True))

    assert read(doubt["alone"]) == read(f"{doubt['alone']}!") == {"call": "dudo"}
    assert {text: read(text) for text in doubt["within"]} == {text: {"ask": "dudo"} for text in doubt["within"]}
    assert "call" not in read(doubt["denied"])


def test_a_play_that_was_not_expected_is_wrong() -> None:
    for expected, said, counted in (
        ({"call": "5x4"}, {"call": "5x4"}, "understood"),
        ({"call": "5x4"}, {"ask": "5x4"}, "asked"),
        ({"call": "5x4"}, {"call": "4x5"}, "wrong play"),
        ({"ask": "5x4"}, {"call": "5x4"}, "wrong play"),
        ({}, {"call": "dudo"}, "wrong play"),
        ({"ask": "5x4"}, {}, "missed"),
    ):
        assert outcome(Phrase("clear", 30, "", expected), said) == counted


FEWEST = {"clear": 150, "doubtful": 50, "talk": 60, "transcript": 60, "command": 4}
SHAPES = {"clear": {"call"}, "doubtful": {"ask"}, "transcript": {"call", "ask"}, "command": {"command"}}


def fault_of(row: Phrase) -> str | None:
    """The mistake in the form of a phrase, as `phrases/README.md` gives it."""
    if not row.text or row.text != unicodedata.normalize("NFC", row.text).strip():
        return "trimmed and composed"
    if row.kind == "talk":
        return None if row.expected == {} else "talk means nothing"
    ((shape, value),) = row.expected.items()
    bid = re.fullmatch(r"([1-9]\d?)x[1-6]", value)
    if shape not in SHAPES[row.kind] or len(row.text) > 64 or not 5 <= row.dice <= 30:
        return "shape, length, dice"
    if shape == "command":
        return None if value in {"dice", "status", "help"} else "command"
    return None if value in {"dudo", "calza"} or (bid and int(bid[1]) <= row.dice) else "a call of so many dice"


@pytest.mark.parametrize("language", MEASURED)
def test_a_rate_is_worth_no_more_than_its_phrases(language: str) -> None:
    """Each phrase is well formed and in the two files only once, and each kind has enough, half of them held out."""
    sets = {which: list(phrases(language, which)) for which in SETS}
    every = [row for rows in sets.values() for row in rows]
    assert [(row, fault) for row in every if (fault := fault_of(row))] == []
    assert [text for text, times in Counter(row.text for row in every).items() if times > 1] == []
    kinds = Counter(row.kind for row in every)
    assert kinds.keys() == FEWEST.keys()
    assert all(kinds[kind] >= fewest for kind, fewest in FEWEST.items())
    for rows in sets.values():
        half = Counter(row.kind for row in rows)
        assert all(half[kind] >= fewest // 2 for kind, fewest in FEWEST.items())


def test_doubtful_words_are_played_for_nobody_and_a_correction_is_asked_about() -> None:
    texts = [text for language in GRAMMARS for text in by_friends(language)["said_by_others"]]
    texts += ["⚃⚃", "een of twee", "à deux", "one of two", "uno de dos", "tengo dos ases", "dudo?", "54?"]
    assert [(text, by) for text in texts for by in GRAMMARS if "call" in meaning_of(text, by, 30)] == []
    assert all(meaning_of("5x4, sorry, 6x4", by, 30) == {"ask": "6x4"} for by in GRAMMARS)


def is_filler(phrase: str, language: str) -> bool:
    """Whether a phrase is a filler, and contains no other phrase."""
    words = phrase.split()
    within = (" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1))
    known = vocabulary(language)
    return all(known.parts.get(each, {Part.FILLER}) == {Part.FILLER} and each not in known.phrases for each in within)


@cache
def fillers(language: str) -> list[str]:
    return sorted(phrase for phrase in vocabulary(language).parts if "*" not in phrase and is_filler(phrase, language))


@given(said=st.sampled_from(["5x4", "12 x 6", "dudo", "calza"]), language=st.sampled_from(GRAMMARS), data=st.data())
def test_a_filler_never_changes_a_call(said: str, language: str, data: st.DataObject) -> None:
    before, behind = data.draw(st.sampled_from(fillers(language))), data.draw(st.sampled_from(fillers(language)))
    assert parse(f"{before}, {said}, {behind}", language) == parse(said, language)


PIECES = ("hm", "5", "fives", "dudo", "no", "er", ".", "?", "-", ",", "\n", "\U0001f602", "4\ufe0f\u20e3")


@given(
    text=st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join),
    language=st.sampled_from(GRAMMARS),
    dice=st.none() | st.integers(1, 999),
    standing=st.none() | st.tuples(st.integers(1, 30), st.integers(1, 6)),
    private=st.booleans(),
)
@example(text="hm. \N{FACE WITH TEARS OF JOY}", language="en", dice=20, standing=(5, 4), private=False)
@example(text="level 4\u00b2", language="en", dice=20, standing=(5, 4), private=True)
def test_any_text_is_answered(
    text: str, language: str, dice: int | None, standing: tuple[int, int] | None, *, private: bool
) -> None:
    assert meaning_of(text, language, dice, standing, private=private).keys() <= {"call", "ask", "command"}
