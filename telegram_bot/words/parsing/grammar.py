"""What people type or say in their own words: "5 4", "five fours", "cinque quattro", "liar!", "tout pile".

The words are data (`vocabulary`); this module only knows the shape: a number, perhaps something between, a face. The
player's language is tried first, then the table's, then all others together, so that friends may mix them. A word that
two languages use differently is asked about, and whatever is not a call in full is no call: a slip of the finger is
answered with a question, never acted upon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from telegram_bot.service.intents import MakeBid, UnparsedText
from telegram_bot.service.languages import ENGLISH, nearest_language
from telegram_bot.words.parsing.fuzzy_match import closest_match
from telegram_bot.words.parsing.normalize import comparison_key, normalize, tokens
from telegram_bot.words.parsing.parsed import (
    COMMANDS,
    CommandName,
    Parsed,
    ParsedCall,
    ParsedCommand,
    canonical_text,
)
from telegram_bot.words.parsing.vocabulary import GRAMMARS, Vocabulary, vocabulary

__all__ = [
    "COMMANDS",
    "GRAMMARS",
    "LONGEST_CALL",
    "CommandName",
    "Parsed",
    "ParsedCommand",
    "canonical_text",
    "command_meant",
    "language_named",
    "languages_of_command",
    "parse",
    "parse_command",
]

LONGEST_CALL: Final = 64
"""In characters. No call is longer; a longer text is not parsed."""
_LONGEST_MESSAGE: Final = 4096  # spaces and all
_MOST_TOKENS: Final = 12
_MOST_DICE_WITHOUT_COUNT: Final = 50
_SIGNS: Final = frozenset("x*@/.,-")
"""Words allowed between a number and a face in every language."""
_SAYS_NOTHING: Final = frozenset(["", "/", ".", ",", "-"])
"""Separators of two digits that do not tell which digit is the number."""
_LONGEST_COMMAND: Final = 8
"""Words; "a quien le toca jugar" has five."""

Words: TypeAlias = tuple[str, ...]
Speakers: TypeAlias = tuple[Vocabulary, ...]


def parse(text: str, language: str | None, *, table: str | None = None, total_dice: int | None = None) -> Parsed | None:
    """The call or command in a text; None if the text is ordinary talk.

    Args:
        text: what was typed.
        language: the player's.
        table: the table's language, the next to be tried.
        total_dice: as many as can be bid, which tells 54 from 5x4.
    """
    if len(text) > _LONGEST_MESSAGE or len(text := text.strip()) > LONGEST_CALL:
        return None
    if text == "?":
        return ParsedCommand("help")
    said = tokens(normalize(text))
    if not 0 < len(said) <= _MOST_TOKENS:
        return None
    own, others = _speakers(language, table)
    for speaker in own:
        if found := _phrase(said, (speaker,)) or _one(_bids(said, (speaker,))):
            return found
    everybody = (*own, *others)
    return (
        _other_languages(said, own, others)
        or _glued(said, total_dice)
        or _fuzzy(said, own, everybody)
        or _fuzzy(said, others, everybody)
    )


def parse_command(text: str, language: str | None, *, table: str | None = None) -> ParsedCommand | None:
    """The command that begins a text, and the words after it, as in "JOIN ABC123 Anna"; None if there is none."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    parts = text.split()
    own, others = _speakers(language, table)
    for size in range(min(len(parts), _LONGEST_COMMAND), 0, -1):
        first = " ".join(parts[:size])
        phrase = "?" if first == "?" else comparison_key(normalize(first))
        false = any(phrase in speaker.false_friends for speaker in own)
        for speaker in own if false else (*own, *others):
            if name := speaker.commands.get(phrase):
                return ParsedCommand(name, " ".join(parts[size:]))
    return None


def languages_of_command(text: str) -> tuple[str, ...]:
    """The languages that have the command which a text begins with."""
    parts = text.split()[:_LONGEST_COMMAND]
    for size in range(len(parts), 0, -1):
        phrase = comparison_key(normalize(" ".join(parts[:size])))
        if found := tuple(language for language in GRAMMARS if phrase in vocabulary(language).commands):
            return found
    return ()


def command_meant(word: str, language: str | None) -> ParsedCommand | None:
    """The command that a misspelt word probably means, followed by the correct word in capitals."""
    slipped = comparison_key(normalize(word)) if len(word) <= LONGEST_CALL else ""
    own, others = _speakers(language, None)
    ordinary = frozenset[str]().union(*(speaker.ordinary | speaker.words for speaker in (*own, *others)))
    for speaker in (*own, *others):
        meant = closest_match(slipped, speaker.command_slips, ordinary)
        if meant is not None:
            return ParsedCommand(speaker.commands[meant], meant.upper())
    return None


def language_named(text: str) -> str | None:
    """The language with this name or code, in any language: "italiano", "Dutch", "fr"."""
    name = comparison_key(normalize(text))
    return next((language for language in GRAMMARS if name in vocabulary(language).names), None)


def _speakers(language: str | None, table: str | None) -> tuple[Speakers, Speakers]:
    """The languages of this player and this table, then all others."""
    known = (_grammar_of(code) for code in (language, table))
    own = tuple(dict.fromkeys(code for code in known if code is not None)) or (ENGLISH,)
    others = (code for code in GRAMMARS if code not in own)
    return tuple(map(vocabulary, own)), tuple(map(vocabulary, others))


def _grammar_of(code: str | None) -> str | None:
    return nearest_language(code, GRAMMARS)


# --- whole phrases and bids -----------------------------------------------------------------------------------------


def _phrase(said: Words, speakers: Speakers) -> Parsed | None:
    """A text that is a call or a command as a whole, possibly repeated: "liar liar"."""
    phrase = " ".join(said)
    again = said[0] if len({*said} - {","}) == 1 else phrase
    found = {speaker.phrases[words] for speaker in speakers for words in (phrase, again) if words in speaker.phrases}
    return _one(found)


def _bids(said: Words, speakers: Speakers) -> set[Parsed]:
    """Every bid that the words can mean: a number, perhaps a separator, a face, and nothing else."""
    if any(" ".join(said) in speaker.numbers for speaker in speakers):
        return set()  # "twenty one" is a number, as 21 is
    for start in _starts(said, speakers):
        for middle in range(len(said) - 1, start, -1):
            quantities = _quantities(said[start:middle], speakers)
            if not quantities:
                continue
            for end in range(middle, len(said)):
                faces = _faces(said[end:], speakers)
                if faces and (middle == end or _may_stand_between(said[middle:end], speakers)):
                    bare = (
                        said[middle - 1].isdigit()
                        and said[-1].isdigit()
                        and " ".join(said[middle:end]) in _SAYS_NOTHING
                    )
                    return {MakeBid(quantity, face, bare) for quantity in quantities for face in faces}
    return set()


def _starts(said: Words, speakers: Speakers) -> Iterator[int]:
    yield 0
    for size in range(1, len(said)):
        phrase = " ".join(said[:size]).removesuffix(" ,").removesuffix(" :")
        if any(phrase in speaker.openers for speaker in speakers):
            yield size


def _quantities(words: Words, speakers: Speakers) -> set[int]:
    if len(words) == 1 and re.fullmatch(r"[1-9]\d{0,2}", words[0]):
        return {int(words[0])}
    phrase = " ".join(words)
    return {speaker.numbers[phrase] for speaker in speakers if phrase in speaker.numbers}


def _faces(words: Words, speakers: Speakers) -> set[int]:
    if re.fullmatch("[1-6]", words[0]):
        plural = " ".join(words[1:])
        fits = not plural or any(plural in speaker.digit_plurals for speaker in speakers)
        return {int(words[0])} if fits else set()
    phrase = " ".join(words)
    return {speaker.faces[phrase] for speaker in speakers if phrase in speaker.faces}


def _may_stand_between(words: Words, speakers: Speakers) -> bool:
    phrase = " ".join(words)
    return phrase in _SIGNS or any(phrase in speaker.between for speaker in speakers)


def _one(readings: Iterable[Parsed]) -> Parsed | None:
    """The only meaning; if there are several, a question about the first."""
    found = sorted(set(readings), key=canonical_text)
    if len(found) > 1:
        return UnparsedText(canonical_text(found[0]))
    return found[0] if found else None


# --- more than one language -------------------------------------------------------------------------------------------


def _other_languages(said: Words, own: Speakers, others: Speakers) -> Parsed | None:
    """The meaning in other languages, or in a mixture.

    The meaning becomes a question if all its words mean something else in another language.
    """
    phrase = _phrase(said, others)
    if phrase is not None and len({*said}) > 1:
        return phrase
    first = said[:-1] or said  # "2 due": a number before it shows that it is a face
    false = {word for word in first if any(word in speaker.false_friends for speaker in own)}
    if isinstance(phrase, ParsedCommand):
        return None if false else phrase
    found = phrase or _one(_bids(said, (*own, *others)))
    foreign = {word for word in said if word.isalpha() and not any(word in speaker.words for speaker in own)}
    between_digits = said[0].isdigit() and said[-1].isdigit()
    if found is not None and false and foreign <= false and not between_digits:
        return UnparsedText(canonical_text(found))
    return found


# --- numbers without a separator, and misspelt words -----------------------------------------------------------------


def _glued(said: Words, total_dice: int | None) -> Parsed | None:
    """Two digits without a separator: 54 means 5x4 if the table has fewer than 54 dice; otherwise it is a question."""
    most = _MOST_DICE_WITHOUT_COUNT if total_dice is None else total_dice
    digits = said[0]
    if len(said) != 1 or not re.fullmatch(r"[1-9]\d{0,2}[1-6]", digits):
        return None
    quantity, face = divmod(int(digits), 10)
    bid = MakeBid(quantity, face)
    if quantity > most:  # more than there are: it is told that these are too many
        return bid if quantity <= _MOST_DICE_WITHOUT_COUNT < int(digits) else None
    if int(digits) > most:
        return bid
    return UnparsedText(canonical_text(bid)) if total_dice is not None else None


def _fuzzy(said: Words, speakers: Speakers, everybody: Speakers) -> UnparsedText | None:
    """The call that a text with one misspelt word probably means."""
    ordinary = frozenset[str]().union(*(speaker.ordinary | speaker.words for speaker in everybody))
    if len(said) == 1:
        calls: dict[str, ParsedCall] = {
            word: call for speaker in speakers for word, call in speaker.fuzzy_calls.items()
        }
        call = closest_match(said[0], calls, ordinary)
        return UnparsedText(canonical_text(call)) if call else None
    for speaker in speakers:
        for position, word in enumerate(said):
            for words in (speaker.faces, speaker.numbers):
                value = closest_match(word, words, ordinary)
                corrected = (*said[:position], str(value), *said[position + 1 :])
                if value and (bid := _one(_bids(corrected, everybody))):
                    return UnparsedText(canonical_text(bid))
    return None
