"""Mark sentences for translators, and find the available language that is nearest to a language code."""

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

ENGLISH: Final = "en"
_LONGEST_LANGUAGE_TAG: Final = 35  # RFC 5646, section 4.4.1


def nearest_language(language: str | None, available: Iterable[str]) -> str | None:
    """Return the available language nearest to an IETF code such as "it-IT", or None without a match."""
    if not language or len(language) > _LONGEST_LANGUAGE_TAG:
        return None
    names = {name.lower().replace("_", "-"): name for name in available}
    parts = re.split("[-_]", language.strip().lower())
    for length in range(len(parts), 0, -1):
        if found := names.get("-".join(parts[:length])):
            return found
    return next((name for tag, name in sorted(names.items()) if tag.split("-")[0] == parts[0]), None)


def mark(sentence: str) -> str:
    """Mark a sentence in a table for translators and for a later `Catalogue.say`."""
    return sentence


def mark_in_context(context: str, message: str) -> tuple[str, str]:
    """Mark a short word with several meanings in a table, for a later `Catalogue.marked`."""
    return context, message


Sentence: TypeAlias = str | tuple[str, str]
"""A sentence that is marked in a table, alone or with its context."""
