"""The words of a language as its file lists them, `grammars/<language>.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from telegram_bot.service.languages import ENGLISH
from telegram_bot.words.parsing.fuzzy_match import SHORTEST_FUZZY
from telegram_bot.words.parsing.normalize import comparison_key
from telegram_bot.words.parsing.parsed import (
    COMMANDS,
    CommandName,
    Parsed,
    ParsedCall,
    ParsedCalza,
    ParsedCommand,
    ParsedDudo,
    Suggestion,
)

GRAMMAR_DIR: Final = Path(__file__).with_name("grammars")
GRAMMARS: Final[tuple[str, ...]] = (
    ENGLISH,
    *sorted({path.stem for path in GRAMMAR_DIR.glob("*.toml")} - {ENGLISH}),
)
"""The languages that have a grammar, English first."""

REQUESTS: Final[tuple[CommandName, ...]] = ("dice", "status", "rules", "help", "leave")
"""The commands that are understood in the middle of talk: none takes a word behind it."""


class Vocabulary:
    """One language's words."""

    def __init__(self, file: Mapping[str, Any]) -> None:
        self.phrases: dict[str, Parsed] = {}
        """Whole texts: calls, requests, and what is asked about."""
        for word in file.get("doubt", ()):
            self.phrases[comparison_key(word)] = ParsedDudo()
        for word in file.get("exact", ()):
            self.phrases[comparison_key(word)] = ParsedCalza()
        commands = file.get("commands", {})
        for request in REQUESTS:
            for word in commands.get(request, ()):
                self.phrases[comparison_key(word)] = ParsedCommand(request)
        for phrase, meant in file.get("asks", {}).items():
            self.phrases[comparison_key(phrase)] = Suggestion(meant)
        self.commands = {comparison_key(word): name for name in COMMANDS for word in commands.get(name, ())}
        self.command_slips = {word: word for word in self.commands if word.isalpha() and len(word) >= SHORTEST_FUZZY}
        """The commands of one word that a finger may slip on."""
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
        """Every single word of a call."""
        self.fuzzy_calls: dict[str, ParsedCall] = {
            word: said
            for word, said in self.phrases.items()
            if isinstance(said, ParsedDudo | ParsedCalza) and word.isalpha() and len(word) >= SHORTEST_FUZZY
        }
        """The calls of one word that a finger may slip on."""


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
    return Vocabulary(read_grammar(language))
