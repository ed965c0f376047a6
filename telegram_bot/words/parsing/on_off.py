"""On, off and yes as whole answers in any language."""

from typing import Final

from telegram_bot.words.parsing.normalize import comparison_key, normalize
from telegram_bot.words.parsing.vocabulary import assents

_ON: Final = frozenset({"on", "1", "si", "oui", "aan", "ja"})
_OFF: Final = frozenset({"off", "0", "no", "non", "uit", "nee"})


def is_assent(words: str) -> bool:
    """Return True if the words are only a yes."""
    return comparison_key(normalize(words)).strip(" .,!") in assents()


def on_or_off(words: str) -> bool | None:
    """Return whether the words switch something on or off, or None for other words."""
    word = comparison_key(normalize(words))
    return True if word in _ON else False if word in _OFF else None
