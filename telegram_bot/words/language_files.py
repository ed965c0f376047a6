"""The file of each language, `grammars/<language>.toml`, and the words of all of them, `everywhere.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from telegram_bot.words.languages import ENGLISH

GRAMMAR_DIR: Final = Path(__file__).with_name("grammars")
GRAMMARS: Final[tuple[str, ...]] = (
    ENGLISH,
    *sorted({path.stem for path in GRAMMAR_DIR.glob("*.toml")} - {ENGLISH}),
)
"""The languages that have a grammar, English first."""


@cache
def read_grammar(language: str) -> dict[str, Any]:
    """Return a language's own file."""
    return tomllib.loads((GRAMMAR_DIR / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def read_everywhere() -> dict[str, Any]:
    """Return the lists that are the same in every language."""
    return tomllib.loads(GRAMMAR_DIR.with_name("everywhere.toml").read_text(encoding="utf-8"))


def in_every_language(table: str, name: str) -> list[str]:
    """Return a list of all files together: for words that people use whatever their language is set to."""
    files = (read_everywhere(), *map(read_grammar, GRAMMARS))
    return [word for file in files for word in file.get(table, {}).get(name, ())]
