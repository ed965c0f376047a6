"""The spoken forms of calls, by the grammars of typed words; the search through them; and the verdict."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.parsed import canonical_text
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.voice.beam import LogProbs, Path, Width, search
from telegram_bot.voice.calls import Node, all_labels, build_trie, most_dice, openers, spellings
from telegram_bot.voice.meanings import UNHEARD, Spoken, VoiceCommand, adjusted, decide, label_of, spoken_of
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
    assert spellings(Bid(0, 5, 4), "en", digits=False) == ("five four", "five fours"), "what the embedded engine gets"


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


END = 0
EVERYTHING = Width(beam=1000, paths=100000, prune=20.0)


class Model:
    """A language model over characters: the likelihood of texts, as log-probabilities of the next token."""

    def __init__(self, texts: Mapping[str, float]) -> None:
        self.texts = texts
        self.read_paths: list[Path] = []
        self.batches: list[int] = []

    def mass(self, path: Path) -> float:
        start = "".join(map(chr, path))
        return sum(share for text, share in self.texts.items() if text.startswith(start))

    def next(self, path: Path) -> LogProbs:
        here, start = self.mass(path), "".join(map(chr, path))
        row = [-30.0] * 300
        for letter in range(1, 300):
            if here > 0 and (share := self.mass((*path, letter))) > 0:
                row[letter] = math.log(share / here)
        if here > 0 and start in self.texts:
            row[END] = math.log(self.texts[start] / here)
        return row

    def __call__(self, paths: Sequence[Path]) -> list[list[LogProbs]]:
        self.read_paths += paths
        self.batches.append(len(paths))
        return [[self.next(path[:size]) for size in range(len(path) + 1)] for path in paths]


@pytest.fixture(scope="module")
def trie() -> Node:
    return build_trie("en", 8, letters)


def test_a_label_scores_the_sum_of_its_spellings(trie: Node) -> None:
    model = Model({" five fours": 0.3, " Five fours.": 0.2, " 5-4": 0.1, " hello": 0.4})
    scores, _ = search(trie, model, END, EVERYTHING)
    assert scores["5x4"] == pytest.approx(math.log(0.6))


def test_a_text_that_goes_on_is_another_text(trie: Node) -> None:
    scores, _ = search(trie, Model({" five fours are what I rolled": 1.0}), END, EVERYTHING)
    assert scores.get("5x4", -30.0) < -29


def test_a_call_behind_an_opener_is_the_same_call(trie: Node) -> None:
    scores, _ = search(trie, Model({" Um, five fours": 0.5, " I say five fours": 0.5}), END, EVERYTHING)
    assert scores["5x4"] == pytest.approx(0.0)


def test_a_sure_sound_takes_few_paths(trie: Node) -> None:
    model = Model({" Five fours.": 0.9, " five fours": 0.06, " 5-4": 0.04})
    scores, paths = search(trie, model, END)
    assert max(scores, key=scores.__getitem__) == "5x4"
    assert scores["5x4"] > math.log(0.9)
    assert paths == len(model.read_paths) <= 16


def test_nothing_is_read_twice(trie: Node) -> None:
    model = Model({" five fours": 0.5, " five aces": 0.3, " 5, 4.": 0.2})
    search(trie, model, END, Width(beam=4, paths=1000))
    assert len(set(model.read_paths)) == len(model.read_paths)


@pytest.mark.parametrize("paths", [1, 5, 16])
def test_never_more_is_read_than_allowed(trie: Node, paths: int) -> None:
    rng = random.Random(paths)
    model = Model(
        {f" {number} {face}": rng.random() for number in ("two", "three", "six") for face in ("aces", "sixes")}
    )
    _, read = search(trie, model, END, Width(beam=3, paths=paths))
    assert read == len(model.read_paths) <= paths
    assert max(model.batches) <= 3


@pytest.mark.parametrize("seed", range(3))
def test_a_narrow_search_agrees_with_a_full_one(trie: Node, seed: int) -> None:
    rng = random.Random(seed)
    texts = [" Five fours.", " five fours", " Six fours", " 5-4", " five fives", " Liar!", " two aces", " for you"]
    model = Model({text: math.exp(-rng.uniform(0, 5)) / 10 for text in texts})
    full, _ = search(trie, model, END, EVERYTHING)
    narrow, _ = search(trie, model, END, Width(beam=4, paths=40))
    best = max(full, key=full.__getitem__)
    assert max(narrow, key=narrow.__getitem__) == best
    assert narrow[best] == pytest.approx(full[best], abs=0.01)


LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 9) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]


def first(scores: dict[str, float], silence: dict[str, float], legal: list[Spoken] = LEGAL) -> str:
    return str(decide(scores, silence, legal).guesses[0].spoken)


def test_half_of_what_silence_says_is_subtracted_or_its_unlikeliest_for_what_it_never_said() -> None:
    assert adjusted({"2x3": -4.0, "5x4": -5.0}, {"2x3": -3.0, "5x4": -20.0}) == {"2x3": -2.5, "5x4": 5.0}
    assert adjusted({"7x7": -8.0}, {"2x3": -6.0, "5x4": -20.0}) == {"7x7": 2.0}


def test_counting_in_a_quiet_room_is_no_bid() -> None:
    """Whisper recognises "2, 3" in noise, so a call that a note supports no more than noise does is no call."""
    silence = {"1x2": -6.0, "2x3": -6.5, "3x4": -7.0, "5x4": -24.0}
    assert first({"2x3": -7.0, "5x4": -9.0}, {}) == "2x3"
    assert first({"2x3": -7.0, "5x4": -9.0}, silence) == "5x4"


def test_what_is_illegal_now_is_cut_after_the_scoring() -> None:
    heard = decide({"1x4": -1.0, "5x4": -3.0, "6x4": -9.0}, {}, LEGAL)
    assert [guess.spoken for guess in heard.guesses] == [Bid(1, 5, 4), Bid(1, 6, 4)]
    assert heard.verdict == "sure"
    assert decide({"5x4": -1.0}, {}, []) == UNHEARD


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ({"5x4": -9.9}, "sure"),
        ({"5x4": -10.0}, "unheard"),
        ({"5x4": -1.0, "5x5": -5.1}, "sure"),
        ({"5x4": -1.0, "5x5": -5.0}, "ask"),
        ({"5x4": -12.0, "5x5": -20.0}, "unheard"),
        ({"dudo": -0.1, "5x5": -20.0}, "ask"),
        ({"calza": -0.1}, "ask"),
        ({"dice": -0.1, "5x5": -20.0}, "sure"),
        ({"5x4": -math.inf}, "unheard"),
        ({}, "unheard"),
    ],
)
def test_sure_ask_or_unheard(scores: dict[str, float], verdict: str) -> None:
    assert decide(scores, {}, LEGAL).verdict == verdict


def test_three_are_offered_best_first() -> None:
    heard = decide({"5x4": -2.0, "5x5": -1.0, "6x4": -3.0, "6x5": -4.0}, {}, LEGAL)
    assert heard.verdict == "ask"
    assert [str(guess.spoken) for guess in heard.guesses] == ["5x5", "5x4", "6x4"]
