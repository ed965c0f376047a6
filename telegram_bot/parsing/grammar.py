"""Parse calls in a player's own words: "5 4", "um, I say five fours, please", "liar!", "tout pile".

The words are data (`vocabulary`); `sentence` and `bids` know the shape. The player's language is tried first, then the
table's, then all others together, so that friends may mix them. A word with different meanings in two languages becomes
a question. An incomplete call is no call: a slip of the finger is answered with a question.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import product
from typing import Final

from telegram_bot.parsing.bids import Round, Speakers, Words
from telegram_bot.parsing.fuzzy_match import SHORTEST_FUZZY, SHORTEST_NUMBER, closest_match, edit_distance
from telegram_bot.parsing.normalize import (
    accented_words,
    comparison_key,
    has_a_keycap_twice,
    is_question,
    normalize,
    tokens,
    without_elongation,
    without_links,
    without_quotations,
)
from telegram_bot.parsing.parsed import (
    Parsed,
    ParsedCommand,
    canonical_text,
)
from telegram_bot.parsing.readings import ASKED, Reading, readings_of
from telegram_bot.parsing.sentence import Hearing, find_call
from telegram_bot.parsing.vocabulary import Part, Vocabulary, vocabulary
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.words.language_files import GRAMMARS
from telegram_bot.words.languages import ENGLISH, nearest_language

LONGEST_CALL: Final = 160
"""In characters, the length of a text message. A longer text is not parsed as a call."""
_LONGEST_MESSAGE: Final = 4096  # spaces and all
_MOST_TOKENS: Final = 40
_MOST_SLIPS: Final = 2
_MOST_TOKENS_WITH_SLIPS: Final = 12
_LONGEST_COMMAND: Final = 8
"""Words; "a quien le toca jugar" has five."""
_MOST_PAIRS: Final = 100
"""Pairs of languages of a player and a table: apps may report any."""


def parse(
    text: str,
    language: str | None,
    *,
    table: str | None = None,
    total_dice: int | None = None,
    standing: tuple[int, int] | None = None,
    private: bool = False,
) -> Parsed | None:
    """Return the call or command in a text, or None if the text is ordinary talk.

    Args:
        text: the typed words.
        language: the player's.
        table: the table's language, which is tried next.
        total_dice: the largest possible quantity; with fewer than 54 dice, "54" means 5x4.
        standing: the bid to beat, for "one more", or None if such words mean nothing.
        private: whether only the bot reads the text: then a call among any other words becomes a question.

    A call in quotation marks is another person's, or an example: with words around it, it becomes a question.
    """
    if len(text) > _LONGEST_MESSAGE:
        return None
    text = without_links(text)
    read = partial(_parse, language=language, table=table, total_dice=total_dice, standing=standing, private=private)
    around = without_quotations(text)
    if around is None:
        return read(text)
    if isinstance(found := read(around), MakeBid | CallDudo | CallCalza):
        return found
    found = read(text)
    return UnparsedText(canonical_text(found)) if isinstance(found, MakeBid | CallDudo | CallCalza) else found


def _parse(
    text: str,
    *,
    language: str | None,
    table: str | None,
    total_dice: int | None,
    standing: tuple[int, int] | None,
    private: bool,
) -> Parsed | None:
    if len(text := text.strip()) > LONGEST_CALL:
        return None
    if text == "?":
        return ParsedCommand("help")
    own, others = _speakers(language, table)
    everybody = (*own, *others)
    said = _words(text, everybody)
    if not 0 < len(said) <= _MOST_TOKENS:
        return None
    asked_about = " ".join(word for word in said if word != ",")
    for speaker in everybody:
        if about := speaker.explained.get(asked_about):
            return ParsedCommand("rules", about)
    for speaker in own:
        weighed = private and len({*said}) == 1  # "doubt" alone is played there, "I have a doubt" is asked about
        if (found := _phrase(said, (speaker,))) and not (weighed and isinstance(found, UnparsedText)):
            return _asked(found, text, everybody)
    search = _Search(said, Round(total_dice, standing, private), question=_is_doubtful(text, everybody))
    found = _of_words(search, own, others)
    if not private or isinstance(found, ParsedCommand | MakeBid | CallDudo | CallCalza):
        return found or _beside_talk(text, search, own, others)
    readings = readings_in_talk(text, language, table=table, total_dice=total_dice, standing=standing)
    heaviest = max(readings, key=lambda reading: (reading.weight, canonical_text(reading.call)), default=None)
    if heaviest is not None and heaviest.is_played_beside(readings):
        return heaviest.call
    asked = heaviest is not None and heaviest.weight >= ASKED
    return (
        found
        or _question_within(said, own)
        or (UnparsedText(canonical_text(heaviest.call)) if heaviest and asked else None)
    )


def parse_command(text: str, language: str | None, *, table: str | None = None) -> ParsedCommand | None:
    """Return the command that begins a text, with the words after it: "JOIN ABC123 Anna", or None without one."""
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
    """Return the languages of the command at the beginning of a text."""
    parts = text.split()[:_LONGEST_COMMAND]
    for size in range(len(parts), 0, -1):
        phrase = comparison_key(normalize(" ".join(parts[:size])))
        if found := tuple(language for language in GRAMMARS if phrase in vocabulary(language).commands):
            return found
    return ()


def command_meant(word: str, language: str | None) -> ParsedCommand | None:
    """Return the probable command of a misspelt word, followed by the correct word in capitals."""
    slipped = comparison_key(normalize(word)) if len(word) <= LONGEST_CALL else ""
    own, others = _speakers(language, None)
    ordinary = frozenset[str]().union(*(speaker.ordinary | speaker.words for speaker in (*own, *others)))
    for speaker in (*own, *others):
        meant = closest_match(slipped, speaker.command_slips, ordinary)
        if meant is not None:
            return ParsedCommand(speaker.commands[meant], meant.upper())
    return None


def language_named(text: str) -> str | None:
    """Return the language with this name or code, in any language: "italiano", "Dutch", "fr"."""
    name = comparison_key(normalize(text))
    return next((language for language in GRAMMARS if name in vocabulary(language).names), None)


@lru_cache(_MOST_PAIRS)
def _speakers(language: str | None, table: str | None) -> tuple[Speakers, Speakers]:
    """Return the languages of this player and this table, then all others."""
    known = (nearest_language(code, GRAMMARS) for code in (language, table))
    own = tuple(dict.fromkeys(code for code in known if code is not None)) or (ENGLISH,)
    others = (code for code in GRAMMARS if code not in own)
    return tuple(map(vocabulary, own)), tuple(map(vocabulary, others))


# --- calls ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Search:
    """The words that may contain a call."""

    said: Words
    round: Round
    question: bool

    def call_of(self, speakers: Speakers, how: Hearing = Hearing.OWN) -> Parsed | None:
        """Return the meaning of the words in these languages."""
        said = _without_hesitations(self.said, speakers)
        question = self.question or how is Hearing.EARS
        return find_call(said, speakers, self.round, how=how, question=question)


def _of_words(search: _Search, own: Speakers, others: Speakers) -> Parsed | None:
    """Return the call that all the words make, in the player's languages first."""
    everybody = (*own, *others)
    return (
        _first(search.call_of((speaker,)) for speaker in own)
        or (search.call_of(own, Hearing.MIXED) if len(own) > 1 else None)
        or _other_languages(search, own, others)
        or _question(search.said, own, others)
        or _first(search.call_of((speaker,), Hearing.EARS) for speaker in everybody)
        or _slip(search, own, everybody)
        or _slip(search, others, everybody)
    )


def _first(found: Iterable[Parsed | None]) -> Parsed | None:
    return next((each for each in found if each is not None), None)


def _without_hesitations(said: Words, speakers: Speakers) -> Words:
    """Remove hesitations, each with the pause after it: "three, uh, ones"."""
    hesitations = _hesitations(speakers)
    if hesitations.isdisjoint(said):
        return said
    kept: list[str] = []
    hesitates = False
    for word in said:
        if word in hesitations:
            hesitates = True
            continue
        if not (hesitates and kept and word == kept[-1] and not word.isalnum()):
            kept.append(word)
        hesitates = False
    return tuple(kept)


@cache
def _known(speakers: Speakers) -> frozenset[str]:
    """Return every word of some languages."""
    return frozenset[str]().union(*(speaker.known | speaker.ordinary for speaker in speakers))


@cache
def _hesitations(speakers: Speakers) -> frozenset[str]:
    return frozenset[str]().union(*(speaker.hesitations for speaker in speakers))


def _is_doubtful(text: str, speakers: Speakers) -> bool:
    """Return True if a text is a question, shows the same die twice, or differs from a call in an accent."""
    return (
        is_question(text)
        or has_a_keycap_twice(text)
        or any(word in speaker.accented for word in accented_words(text) for speaker in speakers)
    )


def _asked(found: Parsed, text: str, speakers: Speakers) -> Parsed:
    """Return the found call; a question about it if the text is doubtful."""
    is_call = not isinstance(found, ParsedCommand | UnparsedText)
    return UnparsedText(canonical_text(found)) if is_call and _is_doubtful(text, speakers) else found


def _phrase(said: Words, speakers: Speakers) -> Parsed | None:
    """Return the call or command that is the whole text, possibly repeated: "liar liar"."""
    phrase = " ".join(said)
    words = phrase if any(phrase in speaker.phrases for speaker in speakers) or len({*said} - {","}) > 1 else said[0]
    return _one(speaker.phrases[words] for speaker in speakers if words in speaker.phrases)


def _one(readings: Iterable[Parsed]) -> Parsed | None:
    """Return the only meaning; if there are several, a question about the first."""
    found = sorted(set(readings), key=canonical_text)
    if len(found) > 1:
        return UnparsedText(canonical_text(found[0]))
    return found[0] if found else None


def _other_languages(search: _Search, own: Speakers, others: Speakers) -> Parsed | None:
    """Return the meaning in other languages, or in a mixture.

    It becomes a question if all its words have another meaning in a language of the player.
    """
    said = search.said
    phrase = _phrase(said, others)
    if isinstance(phrase, ParsedCommand):
        alone = len({*said}) == 1 and any(said[0] in speaker.false_friends for speaker in own)
        return None if alone else phrase
    readings = {read for speaker in others if (read := search.call_of((speaker,), Hearing.ABROAD)) is not None}
    between_digits = said[0].isdigit() and said[-1].isdigit()
    if between_digits and not search.question:  # "5 of 4": the Dutch meaning of "of" is irrelevant here
        readings = {read for read in readings if isinstance(read, MakeBid)} or readings
    found = _one(readings) or search.call_of((*own, *others), Hearing.MIXED)
    if found is None or isinstance(found, ParsedCommand | UnparsedText):
        return found
    first = said[:-1] or said  # "2 due": a number before it shows that it is a face
    false = {word for word in first if any(word in speaker.false_friends for speaker in own)}
    foreign = {word for word in said if word.isalpha() and not any(word in speaker.words for speaker in own)}
    return UnparsedText(canonical_text(found)) if false and foreign <= false and not between_digits else found


def _beside_talk(text: str, search: _Search, own: Speakers, others: Speakers) -> Parsed | None:
    """Return the call of the only sentence that is a call; the others are a name, or talk without a denial.

    Within talk only unambiguous forms such as 4x3 are played; words become a question.
    """
    everybody = (*own, *others)
    parts = ((part.strip(), _words(part, everybody)) for part in _SENTENCES.split(text))
    sentences = [(part, said) for part, said in parts if said]
    if not 1 < len(sentences) <= _MOST_SENTENCES:
        return None
    read = [_of_words(replace(search, said=said), own, others) for _, said in sentences]
    calls = [(place, call) for place, call in enumerate(read) if call is not None]
    if len(calls) != 1 or isinstance(calls[0][1], ParsedCommand):
        return None
    place, call = calls[0]
    beside = sentences[:place] + sentences[place + 1 :]
    signed = place == 0 and len(beside) == 1 and _NAME.fullmatch(beside[0][0]) is not None
    words = [word for _, said in beside for word in said]
    if any(word in speaker.game_words or word.isdigit() for word in words for speaker in everybody):
        return None
    if isinstance(call, UnparsedText) or (signed and not any(word in _known(own) for word in words)):
        return call
    is_plain = _PLAIN_CALL.fullmatch(comparison_key(normalize(sentences[place][0]))) is not None
    is_first_bid = place == 0 and isinstance(call, MakeBid) and not call.bare
    unsure = place == 0 and any(_takes_back(said, own) for _, said in beside)
    return call if (is_plain or is_first_bid) and not unsure else UnparsedText(canonical_text(call))


def readings_in_talk(
    text: str,
    language: str | None,
    *,
    table: str | None = None,
    total_dice: int | None,
    standing: tuple[int, int] | None,
) -> list[Reading]:
    """Return the possible calls of a text to the bot alone, with any other words."""
    own, _ = _speakers(language, table)
    said = _without_hesitations(_words(text.replace("\n", " . "), own), own)
    said = (*said, "?") if _ASKS_AT_ITS_END.search(text) else said
    corrected, slips = _without_slips(said, own)
    return list(readings_of(corrected, own, Round(total_dice, standing, alone=True), slips))


def _without_slips(said: Words, speakers: Speakers) -> tuple[Words, int]:
    """Return the corrected words, and how many of them differ by more than a doubled letter."""
    known = frozenset[str]().union(*(speaker.known_alone | speaker.ordinary for speaker in speakers))
    corrected, slips = list(said), 0
    for place, word in enumerate(said):
        if word in known or len(word) < SHORTEST_FUZZY or not word.isalpha():
            continue
        for speaker in speakers:
            after_number = place > 0 and (corrected[place - 1].isdigit() or corrected[place - 1] in speaker.numbers)
            values = speaker.faces if after_number else {**speaker.numbers, **speaker.faces}
            game = {each: each for each in (*values, *speaker.fuzzy_calls) if each.isalpha()}
            others = (
                {each: each for each in speaker.words if len(each) > SHORTEST_FUZZY} if len(word) >= _LONG_WORD else {}
            )
            if (meant := closest_match(word, game, known) or closest_match(word, others, known)) is not None:
                if meant in game and _DOUBLED.sub(r"\1", word) != _DOUBLED.sub(r"\1", meant):
                    far = edit_distance(word, meant)
                    if len({value for each, value in values.items() if edit_distance(word, each) <= far}) > 1:
                        break  # "vief" may be "vier" or "vijf"
                    slips += 1
                corrected[place] = meant
                break
    return tuple(corrected), slips


_LONG_WORD: Final = 8
"""Characters; one changed letter usually makes a shorter word another word, as "raining" and "raising"."""
_DOUBLED: Final = re.compile(r"(.)\1+")


def _words(text: str, speakers: Speakers) -> Words:
    return tuple(without_elongation(word, _known(speakers)) for word in tokens(normalize(text)))


def _takes_back(said: Words, speakers: Speakers) -> bool:
    """Return True if some of the words make the words before them doubtful."""
    phrases = {" ".join(said[start:end]) for start in range(len(said)) for end in range(start + 1, len(said) + 1)}
    return any(_UNSURE & speaker.parts.get(phrase, frozenset()) for phrase in phrases for speaker in speakers)


_ASKS_AT_ITS_END: Final = re.compile(r"\?\W*$")
_SENTENCES: Final = re.compile(r"[.!?;\n]+\s+|[.!?;\n]+$|\s[-\u2013\u2014]\s|,\s+(?=[A-Z])")
_MOST_SENTENCES: Final = 4
_NAME: Final = re.compile(r"(?:[A-Z]\w*\.? ){0,2}[A-Z][\w'\u2019-]*\.?(?: x+)?")
_PLAIN_CALL: Final = re.compile(r"\d+ ?x ?[1-6]|dudo|calza")
_UNSURE: Final = frozenset({Part.DOUBT, Part.EITHER, Part.CORRECTION, Part.REFUSAL})


def _question(said: Words, own: Speakers, others: Speakers) -> ParsedCommand | None:
    """Return the subject of a question in whole sentences, with fillers around it."""
    words = tuple(word for word in _without_hesitations(said, own) if word not in _STOPS)
    while words:
        if found := _asked_for(words, (*own, *(others if len(words) > 1 else ()))):
            return found
        sizes = range(min(_LONGEST_FILLER, len(words)), 0, -1)
        if behind := next((size for size in sizes if _is_filler(words[-size:], own)), 0):
            words = words[:-behind]
        elif before := next((size for size in sizes if _is_filler(words[:size], own)), 0):
            words = words[before:]
        else:
            return None
    return None


_STOPS: Final = frozenset({",", ".", "!", "?", "..."})


def _asked_for(words: Words, speakers: Speakers) -> ParsedCommand | None:
    asked = " ".join(words)
    questions = (question for speaker in speakers for question in speaker.questions)
    return next((answer for pattern, answer in questions if pattern.fullmatch(asked)), None)


def _question_within(said: Words, own: Speakers) -> ParsedCommand | None:
    """Return the longest question among any other words."""
    for size in range(min(len(said), _LONGEST_QUESTION), _SHORTEST_QUESTION - 1, -1):
        for start in range(len(said) - size + 1):
            if found := _asked_for(said[start : start + size], own):
                return found
    return None


_SHORTEST_QUESTION, _LONGEST_QUESTION = 3, 10


def _is_filler(words: Words, speakers: Speakers) -> bool:
    phrase = " ".join(words)
    return any(_CHANGES_NOTHING & speaker.parts.get(phrase, frozenset()) for speaker in speakers)


_LONGEST_FILLER: Final = 4
_CHANGES_NOTHING: Final = frozenset({Part.FILLER, Part.PEOPLE, Part.ASSENT, Part.CORRECTION})


def _slip(search: _Search, speakers: Speakers, everybody: Speakers) -> UnparsedText | None:
    """Return the probable call of a text with a misspelt word or two."""
    said = search.said
    ordinary = _known(everybody)
    strange = [place for place, word in enumerate(said) if word.isalpha() and word not in ordinary]
    if len(said) > _MOST_TOKENS_WITH_SLIPS or not 0 < len(strange) <= _MOST_SLIPS:
        return None
    for speaker in speakers:
        meant = [_meant_words(said[place], speaker, ordinary, alone=len(said) == 1) for place in strange]
        for words in product(*meant):
            corrected = list(said)
            for place, word in zip(strange, words, strict=True):
                corrected[place] = word
            found = replace(search, said=tokens(" ".join(corrected)), question=True).call_of((speaker,))
            if isinstance(found, UnparsedText):
                return found
    return None


def _meant_words(word: str, speaker: Vocabulary, ordinary: frozenset[str], *, alone: bool) -> list[str]:
    """Return the possible meanings of a misspelt word: a call, a face or a number, in the form of every language."""
    call = closest_match(word, speaker.fuzzy_calls, ordinary)
    values = set[int | None]()
    if not alone:
        values |= {closest_match(word, words, ordinary, SHORTEST_NUMBER) for words in (speaker.faces, speaker.numbers)}
    glued = (
        f"{speaker.numbers[word[:place]]}x{speaker.faces[word[place:]]}"
        for place in range(1, len(word))
        if word[:place] in speaker.numbers and word[place:] in speaker.faces
    )
    return [*([canonical_text(call)] if call else ()), *(str(value) for value in values if value), *glued]
