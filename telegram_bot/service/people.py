"""Who speaks, and where: people and places by their addresses on a channel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LONGEST_NAME: Final = 128
"""The limit of Telegram's first name and last name: 64 characters each."""
LONGEST_TITLE: Final = 255
LONGEST_WORD: Final = 64
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, characters that change the direction of text, and lone surrogates."""


def normalize_name(text: str, longest: int) -> str:
    """A name from a messenger on one line, shortened, without characters that cannot be stored."""
    return " ".join(_UNSEEN.sub(" ", text[: 4 * longest]).split())[:longest].rstrip()


@dataclass(frozen=True, slots=True)
class Person:
    """The person who speaks, by their address on a channel."""

    channel: str
    address: int
    name: str
    username: str | None = None
    language: str | None = None
    language_is_guess: bool = False
    """Whether the language is only a guess: nothing that the person did or said tells it."""
    name_is_guess: bool = False
    """Whether the name is only a placeholder, because the messenger tells none: a name that is known stays."""

    def __post_init__(self) -> None:
        """Normalize the name, which comes from outside."""
        object.__setattr__(self, "name", normalize_name(self.name, LONGEST_NAME) or str(self.address))
        for word in ("username", "language"):
            if (value := getattr(self, word)) is not None:
                object.__setattr__(self, word, normalize_name(value, LONGEST_WORD) or None)


@dataclass(frozen=True, slots=True)
class Place:
    """The place where a person spoke: a group chat, or one topic of it (0: no topic)."""

    channel: str
    address: int
    topic: int = 0
    title: str = ""
    topic_known: bool = True
    """False: the messenger did not tell the topic."""

    def __post_init__(self) -> None:
        """Normalize the title, which comes from outside."""
        object.__setattr__(self, "title", normalize_name(self.title, LONGEST_TITLE))
