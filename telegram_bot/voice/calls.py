"""The spellings of each call, from the grammars of typed words, and a trie of them over tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from perudo_core import Bid, Calza, Dudo
from telegram_bot.parsing.normalize import comparison_key
from telegram_bot.parsing.vocabulary import expanded, vocabulary
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo
from telegram_bot.voice.meanings import Label, Spoken, VoiceCommand, spoken_of
from telegram_bot.words.language_files import read_grammar

DUDO: Final = "dudo"
CALZA: Final = "calza"
SMALLEST_MOST: Final = 30
"""Bids of fewer dice than these are always in the trie, so that one trie serves most tables."""
_MOST_STEP: Final = 20
_FACES: Final = range(1, 7)
_CALL_LISTS: Final = {"dudo": "doubt", "calza": "exact"}
_SPOKEN_ONLY: Final = (VoiceCommand.REPEAT.value, VoiceCommand.CONFIRM.value)
"""Commands that are only spoken."""
_LONGEST_SAID: Final = 4
"""Words of dudo and calza. Longer phrases are too rare for the work that they cause."""
_BETWEEN_DIGITS: Final = ("-", ", ", " ", "x")
_CLOSINGS: Final = (".", "!")


def most_dice(legal: Collection[Spoken]) -> int:
    """Return the largest bid that a trie for these calls needs. Few different values, because each trie is kept."""
    highest = max((spoken.quantity for spoken in legal if isinstance(spoken, Bid)), default=0)
    return SMALLEST_MOST + max(0, -(-(highest - SMALLEST_MOST) // _MOST_STEP)) * _MOST_STEP


def all_labels(most: int) -> tuple[Label, ...]:
    """Return every label with bids up to a number of dice."""
    bids = (f"{quantity}x{face}" for quantity in range(1, most + 1) for face in _FACES)
    return (*bids, DUDO, CALZA, *(command.value for command in VoiceCommand))


def openers(language: str) -> tuple[str, ...]:
    """Return the words before a call in a language: "ik zeg", "um"."""
    return tuple(read_grammar(language)["spoken"]["openers"])


def spellings(spoken: Spoken, language: str, *, digits: bool = True) -> tuple[str, ...]:
    """Return the written forms of a spoken call, in small letters.

    `digits`: also with digits ("5-4"), as Whisper writes; else in words only.
    """
    match spoken:
        case Bid(_, quantity, face):
            return bid_spellings(quantity, face, language, digits=digits)
        case Dudo() | Calza():
            return _said(language, DUDO if isinstance(spoken, Dudo) else CALZA)
        case VoiceCommand():
            return _said(language, spoken.value)


@cache
def bid_spellings(quantity: int, face: int, language: str, *, digits: bool = True) -> tuple[str, ...]:
    """Return the written forms of a spoken bid: "five fours", "5 fours", "5-4"."""
    words = vocabulary(language)
    numbers = _words_of(words.numbers, quantity, language, without=words.articles)
    faces = _words_of(words.faces, face, language)
    found = [f"{number} {each}" for number in numbers for each in faces]
    if digits:
        found += [f"{quantity} {each}" for each in faces]
        found += [f"{quantity}{between}{face}" for between in _BETWEEN_DIGITS]
        found += [f"{quantity} {face}{plural}" for plural in sorted(words.digit_plurals) if plural.isalpha()]
    return tuple(dict.fromkeys(each for each in found if comparison_key(each) not in words.numbers))


def _words_of(values: dict[str, int], value: int, language: str, without: Collection[str] = ()) -> list[str]:
    # "four's" is a typing error.
    keys = [word for word, each in values.items() if each == value and word not in without and not word.endswith("'s")]
    return [spelled for key in keys for spelled in written(key, language)]


def written(phrase: str, language: str) -> tuple[str, ...]:
    """Return a phrase of a grammar without accents, and with them if it has any."""
    accents: dict[str, str] = read_grammar(language)["spoken"].get("written", {})
    accented = " ".join(accents.get(word, word) for word in phrase.split())
    return (phrase,) if accented == phrase else (accented, phrase)


@cache
def _said(language: str, label: Label) -> tuple[str, ...]:
    file = read_grammar(language)
    if label in _SPOKEN_ONLY:
        phrases = [each for phrase in file["spoken"][label] for each in expanded(phrase)]
    elif label in {command.value for command in VoiceCommand}:
        phrases = [phrase for phrase, name in vocabulary(language).commands.items() if name == label]
    else:
        meant = CallDudo() if label == DUDO else CallCalza()
        own = {comparison_key(each) for phrase in file[_CALL_LISTS[label]] for each in expanded(phrase)}
        calls = vocabulary(language).phrases.items()
        phrases = [phrase for phrase, call in calls if call == meant and phrase in own]
    short = (phrase for phrase in phrases if len(phrase.split()) <= _LONGEST_SAID)
    return tuple(dict.fromkeys(spelled for phrase in short for spelled in written(phrase, language)))


# --- a trie over tokens -----------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Node:
    """A place in the trie: the possible next tokens, and the call if the text ends here."""

    children: dict[int, Node] = field(default_factory=dict)
    ends: set[Label] = field(default_factory=set)
    labels: set[Label] = field(default_factory=set)
    """The calls that continue here."""


def build_trie(language: str, most: int, encode: Callable[[str], Sequence[int]]) -> Node:
    """Return the trie of all spellings of all labels, each with and without an opener, a capital and a closing sign.

    All openers share one subtree.
    """
    root, after = Node(), Node()
    closings = [tuple(encode(sign)) for sign in _CLOSINGS]
    for label in all_labels(most):
        for text in spellings(spoken_of(label), language):
            small, capital = encode(f" {text}"), encode(f" {text[0].upper()}{text[1:]}")
            for place, tokens in ((after, small), (root, small), (root, capital)):
                end = _walk(place, tokens, label)
                end.ends.add(label)
                for closing in closings:
                    _walk(end, closing, label).ends.add(label)
    opened: list[Node] = []
    for opener in openers(language):
        for spelled in (f" {opener}", f" {opener[0].upper()}{opener[1:]}"):
            opened.append(_walk(root, encode(spelled)))
            opened.append(_walk(opened[-1], encode(",")))
    for node in opened:  # only now: no opener may extend the subtree that all share
        for token, child in after.children.items():  # if a spelling continues with the same token, that one remains
            node.children.setdefault(token, child)
    return root


def _walk(node: Node, tokens: Sequence[int], label: Label | None = None) -> Node:
    for token in tokens:
        if token not in node.children:
            node.children[token] = Node()
        node = node.children[token]
        if label is not None:
            node.labels.add(label)
    return node
