"""The phrase sets have the form that `phrases/README.md` gives: a rate over them is worth no more than they are."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

PHRASES: Final = Path(__file__).with_name("phrases")
LANGUAGES: Final = ("en", "es", "fr", "it", "nl")
PARTS: Final = ("dev", "held_out")
HEADER: Final = "kind\tdice\tphrase\texpected"
FEWEST: Final = {"clear": 150, "doubtful": 50, "talk": 60, "transcript": 60, "command": 4}
SHAPES: Final = {
    "clear": {"call"},
    "doubtful": {"ask"},
    "transcript": {"call", "ask"},
    "command": {"command"},
}
COMMANDS: Final = {"dice", "status", "help"}
BID: Final = re.compile(r"([1-9]\d?)x[1-6]")
FEWEST_DICE: Final = 5
MOST_DICE: Final = 30
LONGEST: Final = 64


class Row(NamedTuple):
    kind: str
    dice: int
    phrase: str
    expected: dict[str, str]


def lines(language: str, part: str) -> list[str]:
    return (PHRASES / f"{language}.{part}.tsv").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def rows(language: str, *parts: str) -> list[Row]:
    found = []
    for part in parts:
        for line in lines(language, part)[1:]:
            kind, dice, phrase, expected = line.split("\t")
            found.append(Row(kind, int(dice), phrase, json.loads(expected)))
    return found


def test_each_language_has_its_two_files_and_no_others() -> None:
    assert {path.name for path in PHRASES.glob("*.tsv")} == {
        f"{language}.{part}.tsv" for language in LANGUAGES for part in PARTS
    }


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_has_a_header_and_four_columns(language: str, part: str) -> None:
    header, *others = lines(language, part)
    assert header == HEADER
    assert [line for line in others if line.count("\t") != HEADER.count("\t")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_is_trimmed_composed_and_short(language: str) -> None:
    for row in rows(language, *PARTS):
        assert row.phrase, row
        assert row.phrase == row.phrase.strip() == unicodedata.normalize("NFC", row.phrase), row
        assert row.kind == "talk" or len(row.phrase) <= LONGEST, row


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_expected_has_the_shape_of_its_kind(language: str) -> None:
    for row in rows(language, *PARTS):
        if row.kind == "talk":
            assert row.expected == {}, row
            continue
        ((shape, value),) = row.expected.items()
        assert shape in SHAPES[row.kind], row
        if shape == "command":
            assert value in COMMANDS, row
        else:
            assert value in {"dudo", "calza"} or BID.fullmatch(value), row


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bid_is_possible_with_the_dice_on_the_table(language: str) -> None:
    for row in rows(language, *PARTS):
        assert FEWEST_DICE <= row.dice <= MOST_DICE, row
        for value in row.expected.values():
            if bid := BID.fullmatch(value):
                assert int(bid[1]) <= row.dice, row


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_stands_twice_in_either_file(language: str) -> None:
    written = Counter(row.phrase for row in rows(language, *PARTS))
    assert [phrase for phrase, times in written.items() if times > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_has_enough_phrases_half_of_them_held_out(language: str) -> None:
    kinds = {part: Counter(row.kind for row in rows(language, part)) for part in PARTS}
    assert set(kinds["dev"]) == set(kinds["held_out"]) == set(FEWEST)
    for kind, fewest in FEWEST.items():
        assert kinds["dev"][kind] + kinds["held_out"][kind] >= fewest, kind
        assert kinds["held_out"][kind] >= fewest // 2, kind
        assert kinds["dev"][kind] >= fewest // 2, kind
