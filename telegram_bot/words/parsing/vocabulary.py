"""The words of a language as its file lists them, `grammars/<language>.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from telegram_bot.service.intents import CallCalza, CallDudo, UnparsedText
from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.parsing.fuzzy_match import SHORTEST_FUZZY
from telegram_bot.words.parsing.normalize import comparison_key
from telegram_bot.words.parsing.parsed import (
    COMMANDS,
    REQUESTS,
    CommandName,
    Parsed,
    ParsedCall,
    ParsedCommand,
)

GRAMMAR_DIR: Final = Path(__file__).with_name("grammars")
GRAMMARS: Final[tuple[str, ...]] = (
    ENGLISH,
    *sorted({path.stem for path in GRAMMAR_DIR.glob("*.toml")} - {ENGLISH}),
)
"""The languages that have a grammar, English first."""

_NEVER_GUESSED: Final[frozenset[CommandName]] = frozenset({"close", "name"})
"""Commands that no misspelt word is taken for: one ends the game for all, the other says nothing without a name."""


class Vocabulary:
    """One language's words."""

    def __init__(self, file: Mapping[str, Any], *, has_command_names: bool = False) -> None:
        """`has_command_names`: a command's own name is a word of this language, and the file need not list it."""
        self.phrases: dict[str, Parsed] = {}
        """The meanings of whole texts: calls, commands, and texts that need a question."""
        for word in file.get("doubt", ()):
            self.phrases[comparison_key(word)] = CallDudo()
        for word in file.get("exact", ()):
            self.phrases[comparison_key(word)] = CallCalza()
        own_names = set(COMMANDS) if has_command_names else set[CommandName]()
        words_of = {name: (*own_names & {name}, *file.get("commands", {}).get(name, ())) for name in COMMANDS}
        for request in REQUESTS:
            for word in words_of[request]:
                self.phrases[comparison_key(word)] = ParsedCommand(request)
        for phrase, meant in file.get("asks", {}).items():
            self.phrases[comparison_key(phrase)] = UnparsedText(meant)
        self.commands = {comparison_key(word): name for name in COMMANDS for word in words_of[name]}
        self.command_slips = {
            word: word
            for word, name in self.commands.items()
            if word.isalpha() and len(word) >= SHORTEST_FUZZY and name not in _NEVER_GUESSED
        }
        """The commands of one word; a misspelling of it is recognized."""
        self.numbers = _values(file.get("numbers", {}))
        self.faces = _values(file.get("faces", {}))
        self.openers = _keys(file, "openers")
        self.between = _keys(file, "between")
        self.digit_plurals = _keys(file, "digit_plurals")
        self.ordinary = _keys(file, "ordinary")
        self.false_friends = _keys(file, "false_friends")
        self.names = _keys(file, "names")
        self.words = frozenset(
            word
            for phrase in (*self.phrases, *self.numbers, *self.faces, *self.between, *self.openers)
            for word in phrase.split()
            if word.isalpha()
        )
        """Every word that can be part of a call."""
        self.fuzzy_calls: dict[str, ParsedCall] = {
            word: said
            for word, said in self.phrases.items()
            if isinstance(said, CallDudo | CallCalza) and word.isalpha() and len(word) >= SHORTEST_FUZZY
        }
        """The calls of one word; a misspelling of it is recognized."""


def _keys(file: Mapping[str, Any], name: str) -> frozenset[str]:
    return frozenset(map(comparison_key, file.get(name, ())))


def _values(table: Mapping[str, list[str]]) -> dict[str, int]:
    return {comparison_key(word): int(value) for value, spellings in table.items() for word in spellings}


@cache
def read_grammar(language: str) -> dict[str, Any]:
    """A language's own file."""
    return tomllib.loads((GRAMMAR_DIR / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def vocabulary(language: str) -> Vocabulary:
    """The words of a language that has a grammar."""
    return Vocabulary(read_grammar(language), has_command_names=language == ENGLISH)
