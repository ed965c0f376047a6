"""The spoken forms of calls: from the grammars of typed words, and back through them."""

import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.parsed import canonical_text
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.voice.calls import Node, all_labels, build_trie, most_dice, openers, spellings
from telegram_bot.voice.meanings import VoiceCommand, label_of, spoken_of
from telegram_bot.words.language_files import GRAMMARS

ONLY_SAID = {VoiceCommand.REPEAT.value, VoiceCommand.CONFIRM.value}


def texts_of(root: Node) -> set[tuple[str, str]]:
    """Every text of a trie over characters, with its labels, without the texts after an opener."""
    found: set[tuple[str, str]] = set()
    waiting = [("", root)]
    while waiting:
        text, node = waiting.pop()
        found |= {(text, label) for label in node.ends}
        waiting += [(text + chr(token), child) for token, child in node.children.items()]
    return found


def letters(text: str) -> list[int]:
    return [*map(ord, text)]


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_spelling_is_typed_as_the_same_call(language: str) -> None:
    """Each number is tried with fours, each face with small numbers, and each word that is no bid."""
    for label in all_labels(12):
        quantity, is_bid, face = label.partition("x")
        if label in ONLY_SAID or (is_bid and face != "4" and int(quantity) > 3):
            continue
        found = spellings(spoken_of(label), language)
        assert found
        for text in found:
            parsed = parse(text, language)
            assert parsed is not None, text
            assert canonical_text(parsed) == label, text


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_call_may_be_typed_behind_every_opener_which_begins_inside_no_call(language: str) -> None:
    words = vocabulary(language)
    for opener in openers(language):
        parsed = parse(f"{opener} {spellings(Bid(0, 5, 4), language)[0]}", language)
        assert parsed is not None, opener
        assert canonical_text(parsed) == "5x4", opener
        assert {*opener.split()}.isdisjoint(words.numbers), opener
    for text in spellings(VoiceCommand.REPEAT, language):
        assert parse(text, language) is None, f"{text} asks for nothing else"


def test_words_are_written_with_their_accents_and_foreign_ones_have_plain_ones_beside_them() -> None:
    assert {"dieciséis cuatros", "dieciseis cuatros", "16-4"} <= {*spellings(Bid(0, 16, 4), "es")}
    assert "cinq têtes d'aztèque" in spellings(Bid(0, 5, 1), "fr")
    assert {"dudo", "liar", "i doubt it"} <= {*spellings(Dudo(0), "en")}
    assert {"calza", "exactly"} <= {*spellings(Calza(0), "en")}
    assert {"tout pile", "exactement"} <= {*spellings(Calza(0), "fr")}
    only_words = spellings(Bid(0, 5, 4), "en", digits=False)
    assert only_words == ("five four", "five fours"), "what the embedded engine gets"


def test_labels_are_calls_of_anybody() -> None:
    for spoken in (Bid(3, 5, 4), Dudo(2), Calza(1), *VoiceCommand):
        assert label_of(spoken_of(label_of(spoken))) == label_of(spoken)


def test_few_different_tries_serve_all_tables() -> None:
    assert most_dice([Dudo(0)]) == most_dice([Bid(0, 25, 2)]) == 30
    assert most_dice([Bid(0, 61, 2)]) == 70


def test_the_trie_has_every_spelling_once_with_a_capital_closing_signs_and_an_opener() -> None:
    texts = texts_of(build_trie("nl", 2, letters))
    spelt = {(f" {each}{end}", "2x4") for each in ("twee vieren", "Twee vieren", "2-4") for end in ("", ".", "!")}
    assert spelt <= texts
    assert {(" ik zeg twee vieren", "2x4"), (" Ik zeg, twee vieren.", "2x4"), (" Eh, dudo", "dudo")} <= texts
    assert len({text for text, _ in texts}) == len(texts), "every text has one meaning"


def test_the_trie_knows_what_may_still_be_said() -> None:
    node = build_trie("en", 2, letters)
    for letter in letters(" two fo"):
        node = node.children[letter]
    assert node.labels == {"2x4"}
