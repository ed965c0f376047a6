"""On, off and yes as whole answers in any language."""

from functools import cache

from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.words.language_files import in_every_language


def is_assent(words: str) -> bool:
    """Return True if the words are only a yes."""
    return comparison_key(normalize(words)).strip(" .,!") in _answers("yes")


def on_or_off(words: str) -> bool | None:
    """Return whether the words switch something on or off, or None for other words."""
    word = comparison_key(normalize(words))
    return True if word in _answers("on") else False if word in _answers("off") else None


@cache
def _answers(name: str) -> frozenset[str]:
    return frozenset(map(comparison_key, in_every_language("answers", name)))
