"""The words of a language as its file lists them, `grammars/<language>.toml`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property
from itertools import product
from typing import Any, Final

from telegram_bot.intents.request import Scope
from telegram_bot.parsing.fuzzy_match import SHORTEST_FUZZY
from telegram_bot.parsing.normalize import comparison_key
from telegram_bot.parsing.parsed import (
    Parsed,
    ParsedCall,
    ParsedCommand,
    canonical_text,
)
from telegram_bot.service.commands import commands
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.language_files import GRAMMARS, read_everywhere, read_grammar
from telegram_bot.words.languages import ENGLISH


class Part(StrEnum):
    """The effect of a phrase around a call; the values are the lists in a grammar's file."""

    FILLER = "fillers"
    """Changes nothing."""
    CHATTER = "chatter"
    """No effect in a text to the bot alone; in a chat it is no part of a call."""
    PEOPLE = "people"
    """No effect, but "five six people" is an approximate number."""
    SAYING = "sayings"
    """"I say", before or after any call."""
    OPENER = "openers"
    """"I raise to": a bid follows."""
    ASSENT = "assents"
    """No effect, but "yes, exactly" is no call."""
    HEDGE = "hedges"
    """"I think": no effect in a text to the bot alone."""
    DOUBT = "doubts"
    """"maybe", "I have": the call becomes a question."""
    EITHER = "alternatives"
    """"or": the first call becomes a question."""
    CORRECTION = "corrections"
    """"I mean": the last call becomes a question."""
    REFUSAL = "refusals"
    """"no": the call after it becomes a question, the one before it is taken back."""


ALONE: Final = frozenset({Part.HEDGE, Part.CHATTER})
"""The parts that count in a text to the bot alone."""
_EXPLAINED: Final = ("dudo", "calza", "palifico", "ones")
"""The words whose meaning a player may ask."""
_ALTERNATIVES: Final = re.compile(r"[()]")
_ELISION: Final = re.compile(r"\b((?:[jdlnsctm]|qu)') ")
_HEARD_CALLS: Final[dict[str, ParsedCall]] = {"dudo": CallDudo(), "calza": CallCalza()}


class Forms:
    """Phrases with too many forms for a list; the space next to an optional part is optional too."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._pattern: Final = "|".join(phrase.replace(" ", " *") for phrase in phrases)

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """Return the match of a whole text. The pattern is compiled for the first one, which takes milliseconds."""
        return re.compile(self._pattern).fullmatch


class Vocabulary:
    """One language's words."""

    def __init__(self, language: str) -> None:
        """Read the language's file. A command's own name is English, and the English file need not list it."""
        self.language: Final = language
        file = read_grammar(language)
        self.phrases: dict[str, Parsed] = {}
        """The meanings of whole texts: calls, commands, and texts that need a question."""
        for word in _phrases(file, "doubt"):
            self.phrases[comparison_key(word)] = CallDudo()
        for word in _phrases(file, "exact"):
            self.phrases[comparison_key(word)] = CallCalza()
        doubts_here = dict.fromkeys(map(comparison_key, _phrases(file, "doubt_here")))
        for phrase in doubts_here:
            self.phrases.setdefault(phrase, CallDudo())
        for word in _phrases(file, "exact_here"):
            self.phrases.setdefault(comparison_key(word), CallCalza())
        self.named_doubts = frozenset(phrase for phrase in doubts_here if phrase.startswith("*"))
        """Doubts that begin with a player's name, which is a *."""
        words_of = {
            command.name: (
                *((command.name,) if language == ENGLISH else ()),
                *filter(None, catalogue(language).marked(command.words).split(", ")),
                *file.get("commands", {}).get(command.name, ()),
            )
            for command in commands(Scope.TEXT)
        }
        said_in_talk = {command.name for command in commands(Scope.TALK)}  # no words may follow
        for name in words_of.keys() & said_in_talk:
            for word in words_of[name]:
                self.phrases[comparison_key(word)] = ParsedCommand(name)
        for phrase, meant in file.get("asks", {}).items():
            self.phrases[comparison_key(phrase)] = UnparsedText(meant)
        self.explained: dict[str, str] = {
            comparison_key(asked.replace("*", word)): about
            for asked in _phrases(file.get("explains", {}), "questions")
            for about in _EXPLAINED
            for word in file["explains"][about]
        }
        """The questions for the meaning of a word of the game, and the word."""
        self.questions = tuple(
            (
                Forms(questions),
                ParsedCommand(about) if about in said_in_talk else ParsedCommand("rules", about),
            )
            for about, questions in file.get("questions", {}).items()
        )
        """Questions in whole sentences, and their subjects."""
        self.commands = {comparison_key(word): name for name in words_of for word in words_of[name]}
        guessed = {command.name for command in commands(Scope.TEXT) if command.is_guessed}
        self.command_slips = {
            word: word
            for word, name in self.commands.items()
            if word.isalpha() and len(word) >= SHORTEST_FUZZY and name in guessed
        }
        """The commands of one word; a misspelling is recognized."""
        self.numbers = _values(file.get("numbers", {}))
        self.faces = _values(file.get("faces", {}))
        self.misspelt = _values(file.get("misspelt", {}))
        """Unusual spellings of numbers and faces: they make a question."""
        self.articles = _keys(file, "articles")
        self.between = _keys(file, "between")
        self.asked_between = _keys(file, "asked_between")
        self.of_faces = _keys(file, "of_faces")
        self.of_them = _keys(file, "of_them")
        self.of_same = _keys(file, "of_same")
        self.more = _keys(file, "more")
        self.guesses: dict[str, ParsedCall] = {
            **dict.fromkeys(_spoken(file, "guesses"), CallDudo()),
            **dict.fromkeys(_spoken(file, "calza_guesses"), CallCalza()),
        }
        """Possible hints of a call in a text to the bot alone: two of them are a call."""
        self.parts_alone = {part: Forms(file[f"{part}_alone"]) for part in Part if f"{part}_alone" in file}
        """The parts around a call in a text to the bot alone."""
        self.between_alone = Forms(file.get("between_alone", ()))
        self.exact_alone = Forms(file.get("exact_alone", ()))
        self.doubts_alone = Forms(file.get("doubt_alone", ()))
        """The doubts of a text to the bot alone: "show your dice"."""
        self.same = _keys(file, "same")
        self.same_links = _keys(file, "same_links")
        self.still = _keys(file, "still")
        self.next_face = _keys(file, "next_face")
        self.joins = _keys(file, "joins")
        self.reports = _keys(file, "reports")
        self.marks = _keys(file, "marks")
        self.others = _keys(file, "others")
        self.hints = _keys(file, "hints")
        self.beliefs = _keys(file, "beliefs")
        self.deniable = (*file["deniable"], *read_everywhere()["deniable"])
        self.another = _keys(file, "another")
        self.raised_by = self.another | _keys(file, "raised_by") | _keys(read_everywhere(), "raised_by")
        self.digit_plurals = _keys(file, "digit_plurals")
        self.ordinary = _keys(file, "ordinary")
        self.false_friends = _keys(file, "false_friends")
        self.names = _keys(file, "names")
        self.parts: dict[str, frozenset[Part]] = {}
        """The phrases around a call."""
        for part in Part:
            for phrase in _spoken(file, part.value) | _spoken(read_everywhere(), part.value):
                self.parts[phrase] = self.parts.get(phrase, frozenset()) | {part}
        self.hesitations = _keys(file, "hesitations") | _keys(read_everywhere(), "hesitations")
        self.accented = frozenset(file.get("accented", ()))
        self.heard: dict[str, int | ParsedCall] = {
            comparison_key(word): _HEARD_CALLS.get(meant) or int(meant)
            for meant, words in file.get("heard", {}).items()
            for word in words
        }
        """Homophones of a number, a face or a call: they make a question."""
        self.calls: dict[str, Parsed] = {
            spelled: said
            for phrase, said in self.phrases.items()
            if not isinstance(said, ParsedCommand)
            for spelled in _without_apostrophes(phrase)
        }
        self.requests = {phrase: said for phrase, said in self.phrases.items() if isinstance(said, ParsedCommand)}
        self.local = {*_spelled(doubts_here), *_spoken(file, "exact_here")} - {
            *_spoken(file, "doubt"),
            *_spoken(file, "exact"),
        }
        """The calls in everyday words."""
        asked = {said: UnparsedText(canonical_text(said)) for said in {*self.calls.values()}}
        self.calls_abroad: dict[str, Parsed] = {
            phrase: asked[said] if phrase in self.local else said for phrase, said in self.calls.items()
        }
        """The same for speakers of another language: everyday words may have another meaning there."""
        self.longest: dict[str, int] = {}
        """The number of words of the longest phrase that begins with a word."""
        for phrases in (self.calls, self.requests, self.parts, self.guesses, self.heard):
            for phrase in phrases:
                first, words = phrase.partition(" ")[0], 1 + phrase.count(" ")
                if self.longest.get(first, 0) < words:
                    self.longest[first] = words
        openers = (phrase for phrase, parts in self.parts.items() if Part.OPENER in parts)
        self.words = frozenset(
            word
            for phrase in (*self.phrases, *self.numbers, *self.faces, *self.misspelt, *self.between, *openers)
            for word in phrase.split()
            if word.isalpha()
        )
        """Every word that can be part of a call."""
        called = (phrase for phrase, said in self.phrases.items() if isinstance(said, CallDudo | CallCalza))
        self.game_words = frozenset((*called, *self.numbers, *self.faces)) - self.articles
        """The words that show the subject of a sentence: a call, a number, a face."""
        self.known_alone = (
            self.words
            | self.hesitations
            | {word for phrase in self.parts for word in phrase.split()}
            | (self.reports | self.marks | self.others | self.joins | self.hints)
        )
        """Every word that is no misspelling."""
        chat = (phrase for phrase, parts in self.parts.items() if parts - ALONE)
        self.known = self.words | self.hesitations | {word for phrase in chat for word in phrase.split()}
        """The same in a chat."""
        self.fuzzy_calls: dict[str, ParsedCall] = {
            word: said
            for word, said in self.phrases.items()
            if isinstance(said, CallDudo | CallCalza) and word.isalpha() and len(word) >= SHORTEST_FUZZY
        }
        """The calls of one word; a misspelling is recognized."""


def expanded(phrase: str) -> Iterator[str]:
    """Yield the phrases of a phrase with alternatives: "i say", "we say" and "say" for "(i|we|) say"."""
    alternatives = (part.split("|") for part in _ALTERNATIVES.split(phrase))
    for parts in product(*alternatives):
        one = " ".join("".join(parts).split())
        yield _ELISION.sub(r"\1", one) if "'" in one else one


def _phrases(file: Mapping[str, Any], name: str) -> Iterator[str]:
    return (each for phrase in file.get(name, ()) for each in expanded(phrase))


def _keys(file: Mapping[str, Any], name: str) -> frozenset[str]:
    return frozenset(map(comparison_key, _phrases(file, name)))


def _spoken(file: Mapping[str, Any], name: str) -> frozenset[str]:
    return _spelled(_keys(file, name))


def _spelled(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(spelled for phrase in phrases for spelled in _without_apostrophes(phrase))


def _without_apostrophes(phrase: str) -> frozenset[str]:
    """Return a phrase in its hasty spellings too: "dont", "c est"."""
    if "'" not in phrase:
        return frozenset({phrase})
    return frozenset({phrase, phrase.replace("'", ""), phrase.replace("'", " ").strip()})


def _values(table: Mapping[str, list[str]]) -> dict[str, int]:
    return {comparison_key(word): int(value) for value, spellings in table.items() for word in spellings}


@cache
def vocabulary(language: str) -> Vocabulary:
    """Return the words of a language that has a grammar."""
    return Vocabulary(language)


def load_vocabularies() -> None:
    """Read the words of every language and compile all forms, which takes seconds: no text should wait for them."""
    for words in map(vocabulary, GRAMMARS):
        alone = (*words.parts_alone.values(), words.between_alone, words.exact_alone, words.doubts_alone)
        for forms in (*alone, *(asked for asked, _ in words.questions)):
            forms.fullmatch("")
