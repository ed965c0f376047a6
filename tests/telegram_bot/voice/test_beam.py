"""The search through spellings, over given log-probabilities."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest

from telegram_bot.voice.beam import LogProbs, Path, Width, search
from telegram_bot.voice.calls import Node, build_trie

END = 0
EVERYTHING = Width(beam=1000, paths=100000, prune=20.0)


def letters(text: str) -> list[int]:
    return [*map(ord, text)]


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
