"""Parse the words around JOIN, LINK and NEW: polite words, a code in any spelling, a name.

A text that enrols a phone must be unmistakable. A code is only a possible code, and a name only a possible name: no
number, no address, no code, no word of the game.
"""

import re
from functools import cache
from typing import Final

from telegram_bot.intents.intents import person_name
from telegram_bot.parsing.grammar import parse, parse_command
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.repositories.repositories import CODE_LENGTH, CODE_LETTERS
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.tables.names import is_blank
from telegram_bot.words.language_files import GRAMMARS, in_every_language, read_grammar
from telegram_bot.words.phrases import LONGEST_SHOWN_NAME

SHORT_NAME: Final = 20
"""The maximum length of a name after NEW, which may also begin a friend's everyday text."""
MOST_WORDS, MOST_SHORT_WORDS = 4, 2
_LONGEST_PHRASE: Final = 5
_FEWEST_DIGITS: Final = 5
"""A word with so many digits is a telephone number."""
_NO_CODE: Final = re.compile(r"[^A-Z0-9]")
_SENTENCE_ENDS: Final = re.compile(
    rf"[,;:!?()\n]|(?<=\w\w\w){''.join(f'(?<!{title})' for title in in_every_language('joining', 'titles'))}"
    r"\.\s|\s[-\u2013\u2014]\s",
    re.IGNORECASE,
)
"""After a title the name continues."""
_ADDRESS: Final = re.compile(r"://|www\.|@|\w\.\w\w|/")
_PLAIN: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*\d{0,2}\.?")
CARRIERS_WORDS: Final = frozenset(
    {
        *("stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout"),
        *("start", "unstop", "yes", "help", "info"),
    }
)
"""The texts that a gateway such as Twilio answers itself. It passes on longer ones. None of them is a name."""
_OUTSIDE: Final = " .,;:!?\"'*_-#"


def without_courtesies(text: str) -> str:
    """Remove polite words at the beginning of a text: "please join ABC234"."""
    return " ".join(_without_beginning(text.split(), "courtesies"))


def split_code(text: str) -> tuple[str, str]:
    """Return the code at the beginning of the words, normalized, and the rest; without a code, no code.

    People write it in groups ("ABC 234", "abc-234") and introduce it ("code ABC234"). Several words without capitals
    and digits are talk.
    """
    words = text.split()
    return _code_first(words) or _code_first(_without_beginning(words, "before_code")) or ("", text)


def _code_first(parts: list[str]) -> tuple[str, str] | None:
    for size in range(1, min(len(parts), 2 * CODE_LENGTH) + 1):
        written = "".join(parts[:size])
        code = _NO_CODE.sub("", written[: 4 * CODE_LENGTH].upper())
        if len(code) > CODE_LENGTH:
            break
        plainly_a_code = size == 1 or written.isupper() or any(map(str.isdigit, code))
        if len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) and plainly_a_code:
            return code, " ".join(parts[size:])
    return None


def name_in(text: str, *, short: bool = False) -> str | None:
    """Return the name in these words, up to the end of their first sentence, or None without a name.

    `short`: at most two plain words, none of them an everyday word.
    """
    if _ADDRESS.search(text):
        return None
    parts = _without_beginning(text.split(), "before_name")
    if short and _SENTENCE_ENDS.search(" ".join(parts).rstrip(_OUTSIDE)):
        return None
    said = _SENTENCE_ENDS.split(" ".join(parts).lstrip(_OUTSIDE), maxsplit=1)[0].strip(_OUTSIDE)
    words = _without_end(person_name(said, LONGEST_SHOWN_NAME).split(), "courtesies")
    name = " ".join(words).strip(_OUTSIDE)
    if not 0 < len(words) <= (MOST_SHORT_WORDS if short else MOST_WORDS) or not _may_be_a_name(name):
        return None
    if short and not (len(name) <= SHORT_NAME and all(_is_plain(word) for word in words)):
        return None
    return name


def without_introduction(name: str) -> str:
    """Return the name in an answer to the question for it: "I'm Rita" is Rita; a name alone is unchanged."""
    return " ".join(_without_beginning(name.split(), "before_name")) or name


def _may_be_a_name(name: str) -> bool:
    """Return True if it has letters and is neither a number, an address, a code, a word of the game nor "your name".

    A bid in it would be read as one: "R1 5x4".
    """
    letters = sum(map(str.isalpha, name))
    digits = sum(map(str.isdigit, name))
    if not letters or is_blank(name) or digits >= _FEWEST_DIGITS or _has_bid(name.split()):
        return False
    if (digits and split_code(name)[0]) or name.casefold() in CARRIERS_WORDS:
        return False
    if comparison_key(normalize(name)) in _phrases("placeholders"):
        return False
    command = parse_command(name, None)
    is_call = isinstance(parse(name, None), MakeBid | CallDudo | CallCalza)
    return not is_call and (command is None or bool(command.rest))


def _has_bid(words: list[str]) -> bool:
    parts = (words[begin:end] for begin in range(len(words)) for end in range(begin + 1, len(words) + 1))
    return any(isinstance(parse(" ".join(part), None), MakeBid) for part in parts)


def _is_plain(word: str) -> bool:
    """Return True if the word may be a person's name, and is no everyday word of any language."""
    key = comparison_key(normalize(word))
    numbers = (vocabulary(language).numbers for language in GRAMMARS)
    return bool(_PLAIN.fullmatch(word)) and key not in _phrases("not_names") and not any(key in few for few in numbers)


def _without_beginning(parts: list[str], kind: str) -> list[str]:
    while parts:
        size = _length_of_phrase(parts[:_LONGEST_PHRASE], kind, at_end=False)
        if not size:
            break
        parts = parts[size:]
    return parts


def _without_end(parts: list[str], kind: str) -> list[str]:
    while parts:
        size = _length_of_phrase(parts[-_LONGEST_PHRASE:], kind, at_end=True)
        if not size:
            break
        parts = parts[:-size]
    return parts


def _length_of_phrase(parts: list[str], kind: str, *, at_end: bool) -> int:
    """Return how many words at the beginning, or the end, are one of the phrases; 0: none."""
    for size in range(len(parts), 0, -1):
        words = parts[-size:] if at_end else parts[:size]
        if comparison_key(normalize(" ".join(words))) in _phrases(kind):
            return size
    return 0


@cache
def _phrases(kind: str) -> frozenset[str]:
    """Return the phrases of all languages: friends mix them, and a text that enrols a phone has no language yet."""
    listed = (phrase for language in GRAMMARS for phrase in read_grammar(language)["joining"][kind])
    return frozenset(comparison_key(normalize(phrase)) for phrase in listed)
