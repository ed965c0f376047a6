"""Detect texts that ask for no more texts, and texts that machines wrote.

The rule of STOP, in the carriers' words or in a person's own, as `docs/sms/README.md` explains it to operators:

- A text that begins with STOP, or with a word that means nothing else, is STOP. A greeting or a please in front does
  not count.
- The other words of the carriers (END, QUIT, CANCEL ...) and similar words begin everyday sentences as well. Such a
  text is STOP if only a request or a signature follows, or if the word alone is in capitals.
- Talk of the game ("stop bluffing", "quit lying") becomes a question. No answer to a text that may be STOP shows dice.
- Everyday words for stop (*basta, ferma, para, genoeg*) are STOP if they are the whole text.
- A stop sign counts as the word, and single letters (S T O P) as the word that they spell.
- A text that denies the word ("stop het maar niet") or that only contains it ("non stop") is talk.
"""

import re
from enum import StrEnum
from typing import Final

from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.words.language_files import in_every_language

LONGEST_READ: Final = 200
"""The number of letters of a text that are searched: a STOP is at the beginning."""
MIN_WORDS: Final = 3
"""Shorter texts are by players, not by machines."""


class OptOut(StrEnum):
    """Whether a text asks for no more texts."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


def read_opt_out(text: str) -> OptOut:
    """Return whether the text is STOP, in the carriers' words or in a person's own."""
    text = _STOP_SIGN.sub(" stop ", text[:LONGEST_READ])
    spelled = _SPELLED.match(plain_words(text))  # S T O P, s.t.o.p
    if spelled is not None:
        text = spelled[0].replace(" ", "") + spelled.string[spelled.end() :]
    sentence = re.split(r"[.!?;\n\r]|\s-- ?", _ROUND.sub("", text.lstrip(_BEFORE)), maxsplit=1)[0]
    said = _OPENER.sub("", plain_words(sentence))
    if _SENTENCE.fullmatch(said):
        return OptOut.YES
    strong = _STRONG.match(said)
    found = strong or _SISTER.match(said)
    rest = "" if found is None else said[found.end() :]
    if found is None or _DENIED.fullmatch(rest):
        return OptOut.NO
    if strong is not None:
        return OptOut.PERHAPS if _GAME.search(rest) else OptOut.YES
    first, _, others = sentence.strip().partition(" ")
    alone_in_capitals = first.isupper() and not others.isupper()  # as the bot's texts show it
    return OptOut.YES if _PLEA.fullmatch(rest) or alone_in_capitals else OptOut.PERHAPS


def is_automatic(text: str) -> bool:
    """Return True if a machine wrote the text: an automatic reply, a reaction, a message of a network or a service.

    Answering it would start a conversation of two machines. Senders without a telephone number (short codes, names) are
    refused before: see `numbers`.
    """
    if is_reaction(text):
        return True
    words = plain_words(text)
    if words.count(" ") < MIN_WORDS - 1 or _AUTOMATIC.search(words) is None:
        return False
    begins_with_a_call = isinstance(parse(re.split(r"[,.;:!?\n]", text)[0], None), MakeBid | CallDudo | CallCalza)
    return not begins_with_a_call and read_opt_out(text) is OptOut.NO


def is_reaction(text: str) -> bool:
    """Return True if a phone wrote the text because its owner tapped a reaction: Disliked “2x3”, Liked an image."""
    if _REACTION.fullmatch(_PICTURE.sub("_", plain_words(text))):
        return True
    quoting = _QUOTING.fullmatch(text)
    if quoting is None:
        return False
    before, after = quoting["before"], quoting["after"]
    if _EMOJI_FIRST.fullmatch(before) and not plain_words(after):
        return True
    return _REACTION.fullmatch(f"{plain_words(before)} _ {plain_words(after)}".strip()) is not None


def plain_words(sentence: str) -> str:
    """Return words in small letters without accents, with one space between them and without commas or apostrophes."""
    return " ".join(re.findall(r"[^\W_]+", comparison_key(normalize(sentence)).replace("'", " ")))


def _any_of(*names: str) -> str:
    """Return a pattern for one of the alternatives of all languages with these names, up to the end of a word."""
    alternatives = [each for name in names for each in in_every_language("texts", name)]
    return rf"(?:{'|'.join(alternatives)})(?!\S)"


_STOP_SIGN: Final = re.compile("[\N{OCTAGONAL SIGN}\N{NO ENTRY}\N{NO ENTRY SIGN}]")
_SPELLED: Final = re.compile(r"\w(?: \w\b){2,}")
_BEFORE: Final = "\"'“”„«»()[]<>*#.,:;!?¡¿- \t\r\n"
_ROUND: Final = re.compile(r"^r\d{1,4}[\s:.,]+", re.IGNORECASE)
"""The bot's texts begin with the round, and an answer may begin so too."""

_STRONG, _SISTER = (re.compile(_any_of(name)) for name in ("stop", "sisters"))
_OPENER: Final = re.compile(rf"^(?:{_any_of('openers')}\s*)+")
_PLEA: Final = re.compile(rf"(?:\s*{_any_of('courtesies', 'pleas')})*")
_SENTENCE: Final = re.compile(rf"{_any_of('sentences')}(?:\s+{_any_of('courtesies')})*")
_DENIED: Final = re.compile(rf"(?: {_any_of('denials_after')})* {_any_of('denials')}")
_GAME: Final = re.compile(rf"\b{_any_of('game')}")
_MACHINES: Final = in_every_language("texts", "automatic")
_AUTOMATIC: Final = re.compile(rf"\b(?:{'|'.join(each for each in _MACHINES if '_' not in each)})(?!\w)")

_MARKS: Final = '“”„‟«»‹›「」『』"'  # noqa: RUF001 - as phones write them
_QUOTING: Final = re.compile(
    rf"(?P<before>[^{_MARKS}]{{0,60}})(?:[{_MARKS}].*[{_MARKS}]|(?<!\w)['‘‚].*['’‘](?!\w))"  # noqa: RUF001
    rf"(?P<after>[^{_MARKS}]{{0,60}})",
    re.DOTALL,
)
"""A text with one quotation, from the first quotation mark to the last: the quoted text may quote too."""
_EMOJI_FIRST: Final = re.compile(r"(?=.*[^\w\x00-\u02ff])\W+(?:[^\W\d_]{1,4}\W+)?")
_REACTION: Final = re.compile("|".join(each for each in _MACHINES if "_" in each))
"""The words around the quoted text, which is a _."""
_PICTURE: Final = re.compile(rf"\b{_any_of('pictures')}")
