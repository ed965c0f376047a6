"""The words of a line of notation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from perudo_core._errors import NotationError, abbreviated, expect_type

LONGEST: Final = 1_000_000  # characters

_TOKEN: Final = re.compile(r'\s*(?:([^\s;\[\]"]+(?:"(?:[^"\\]|\\.)*")?|[;\[\]])|$)')


class Token(NamedTuple):
    """A word and its position in the line, from 0."""

    text: str
    at: int


def tokens_of(text: str) -> list[Token]:
    """Return the words of a line.

    `;`, `[` and `]` are words of their own, and a JSON text is part of the word before it.
    """
    expect_type(text, str, "text")
    if len(text) > LONGEST:
        raise NotationError(f"longer than {LONGEST} characters")
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise NotationError(f"no word of the notation: {abbreviated(text[at : at + 60])}", at)
        if found[1]:
            tokens.append(Token(found[1], found.start(1)))
        at = found.end()
    return tokens


def parts_of(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the words between each two semicolons."""
    part: list[Token] = []
    for token in tokens:
        if token.text == ";":
            yield part
            part = []
        else:
            part.append(token)
    yield part
