"""Who speaks, and where: people and places by their addresses on a channel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LONGEST_NAME: Final = 128
"""Telegram's first and last names are 64 each."""
LONGEST_TITLE: Final = 255
LONGEST_WORD: Final = 64
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, what turns the direction of the text around it, and halves of characters."""


def normalize_name(text: str, longest: int) -> str:
    """A name from outside: one line, not too long, nothing in it that cannot be stored."""
    return " ".join(_UNSEEN.sub(" ", text[: 4 * longest]).split())[:longest].rstrip()


@dataclass(frozen=True, slots=True)
class Person:
    """Who speaks, by their address on a channel."""

    channel: str
    address: int
    name: str
    username: str | None = None
    language: str | None = None
    language_is_guess: bool = False
    """Whether nothing they did or said tells the language, so that another may be as right."""

    def __post_init__(self) -> None:
        """Whatever a channel was told, it is kept in a form that can be stored and shown."""
        object.__setattr__(self, "name", normalize_name(self.name, LONGEST_NAME) or str(self.address))
        for word in ("username", "language"):
            if (value := getattr(self, word)) is not None:
                object.__setattr__(self, word, normalize_name(value, LONGEST_WORD) or None)


@dataclass(frozen=True, slots=True)
class Place:
    """Where it was said: a group chat, or one topic of it (0: none)."""

    channel: str
    address: int
    topic: int = 0
    title: str = ""

    def __post_init__(self) -> None:
        """As for a person's name."""
        object.__setattr__(self, "title", normalize_name(self.title, LONGEST_TITLE))
