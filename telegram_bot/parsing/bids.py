"""The bids that begin at a place in a text: a number, perhaps words between, a face."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

from telegram_bot.parsing.vocabulary import Part, Vocabulary
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.words.dice import SIGNS

Words: TypeAlias = tuple[str, ...]
Speakers: TypeAlias = tuple[Vocabulary, ...]

_SIGNS_BETWEEN: Final = frozenset("x*@/.,-:") | {"..."}
"""Signs between a number and a face in every language."""
_SAYS_NOTHING: Final = frozenset(["", "/", ".", ",", "-", ":", "..."])
"""Separators of two digits that do not show which digit is the number."""
_PAUSES: Final = frozenset([",", ".", "..."])
_ENDS: Final = _PAUSES | {"!", ";"}
_MOST_DICE_WITHOUT_COUNT: Final = 50
_SAYS: Final = frozenset({Part.SAYING, Part.OPENER})
_LONGEST_NUMBER: Final = 6
"""Words; "quatre vingt dix neuf" has four."""
_LONGEST_BETWEEN: Final = 5
_LONGEST_FACE: Final = 3
_LONGEST_SAME: Final = 5
_FACE_DIGITS: Final = 6
_HIGHEST_RAISE: Final = 3
"""A raise by more dice becomes a question."""
_NEAR: Final = 2
"""The usual raise, in dice."""
_QUANTITY: Final = re.compile(r"[1-9]\d{0,2}")
_FACE: Final = re.compile("[1-6]")
_GLUED: Final = re.compile(r"[1-9]\d{0,2}[1-6]")


@dataclass(frozen=True, slots=True)
class Round:
    """The facts of the round that decide the meaning of a bid."""

    total_dice: int | None = None
    """The largest possible quantity."""
    standing: tuple[int, int] | None = None
    """The quantity and the face of the bid to beat."""
    alone: bool = False
    """Whether only the bot reads the text: then most of its words are for the game."""

    def may_follow(self, bid: MakeBid) -> bool:
        """Return True if a bid looks like a raise; the game decides whether it is legal."""
        if self.standing is None or (bid.face == 1) != (self.standing[1] == 1):
            return True
        return (bid.quantity, bid.face) > self.standing and bid.quantity >= self.standing[0]

    def is_near_raise(self, bid: MakeBid) -> bool:
        """Return True if a bid is a usual raise: by few dice, without a change to ones or back."""
        if self.standing is None or 1 in (bid.face, self.standing[1]):
            return False
        return self.may_follow(bid) and bid.quantity <= self.standing[0] + _NEAR


@dataclass(frozen=True, slots=True)
class FoundBid:
    """A bid, and where it ends."""

    end: int
    bid: MakeBid
    doubt: bool = False
    """Whether the words may mean something else."""
    listed: bool = False
    """Whether it could be a part of a list: "5 4 5 4" may be four dice."""
    plain: bool = False
    """Whether another meaning is unlikely: "5x4", "five fours"; "cinque quattro" are two numbers."""
    relative: bool = False
    """Whether it is relative to the bid to beat: "one more"."""
    apart: bool = False
    """Whether a stop or an article separates its parts ("five. Four", "6 un"), or no sign does: "54"."""


@dataclass(frozen=True, slots=True)
class _Value:
    end: int
    value: int
    doubt: bool = False


def bids_at(said: Words, start: int, speakers: Speakers, round_: Round, *, heard: bool) -> Iterator[FoundBid]:
    """Yield every bid that begins at a word.

    Args:
        said: the words of the text.
        start: the first word of the bid.
        speakers: the languages; a bid in the words of two languages is doubtful if it has small words.
        round_: the table's knowledge about bids.
        heard: whether homophones of a word count too.
    """
    if not may_begin(said[start], speakers):
        return
    yield from _shown(said, start)
    yield from _glued(said, start, speakers, round_.total_dice)
    if round_.standing is not None:
        raised = (*_raised(said, start, speakers, round_.standing),)
        named = (bid for each in raised if not each.doubt for bid in _raised_face(said, each, speakers))
        relative = (
            *(each for each in raised if not each.apart),
            *named,
            *_same_number(said, start, speakers, round_.standing),
        )
        yield from (replace(bid, relative=True) for bid in relative)
    yield from _reversed(said, start, speakers)
    for number in _numbers(said, start, speakers, heard=heard):
        for first in (number.end, *_after_a_stutter(said, start, number.end)):
            for middle, small_word_doubt in _between(said, first, speakers, alone=round_.alone):
                for face in _faces(said, middle, speakers, heard=heard):
                    if any(" ".join(said[start : face.end]) in speaker.numbers for speaker in speakers):
                        continue  # "twenty one" is a number, as 21 is
                    digits = said[start].isdigit() and said[face.end - 1].isdigit()
                    apart = " ".join(said[first:middle])
                    is_share = digits and _in(said[first:middle], speakers, "asked_between")  # "5 out of 6" people
                    yield FoundBid(
                        face.end,
                        MakeBid(number.value, face.value, digits and apart in _SAYS_NOTHING),
                        doubt=number.doubt
                        or face.doubt
                        or small_word_doubt
                        or is_share
                        or _is_doubtful_one(said[start:first], said[first:middle], said[middle : face.end], speakers)
                        or _mixes_small_words(said[start:first], said[first:middle], said[middle : face.end], speakers),
                        listed=first == middle and (digits or _in(said[middle : face.end], speakers, "numbers")),
                        apart=apart in _PAUSES or _in(said[middle : face.end], speakers, "articles"),
                        plain=not is_share
                        and (
                            apart not in _SAYS_NOTHING
                            or not (said[face.end - 1].isdigit() or _in(said[middle : face.end], speakers, "numbers"))
                        ),
                    )


def may_begin(word: str, speakers: Speakers) -> bool:
    """Return True if a bid or a number may begin with a word: most words need no closer look."""
    return word.isdigit() or word in _beginnings(speakers)


@cache
def _beginnings(speakers: Speakers) -> frozenset[str]:
    """Return the first words of all bids that do not begin with a digit."""
    found = set(SIGNS)
    for each in speakers:
        calls = (each.numbers, each.faces, each.misspelt, each.heard)
        words = (each.of_faces, each.raised_by, each.same, each.next_face)
        found |= {phrase.partition(" ")[0] for phrases in (*calls, *words) for phrase in phrases}
    return frozenset(found)


def bid_of_digits(digits: str, total_dice: int | None) -> tuple[MakeBid, bool] | None:
    """Return the bid in two digits without a separator, and whether it is doubtful.

    54 means 5x4 if the table has fewer than 54 dice; otherwise it is a question.
    """
    most = _MOST_DICE_WITHOUT_COUNT if total_dice is None else total_dice
    if not _GLUED.fullmatch(digits):
        return None
    quantity, face = divmod(int(digits), 10)
    bid = MakeBid(quantity, face)
    if quantity > most:  # more than there are: the answer explains that these are too many
        return (bid, False) if quantity <= _MOST_DICE_WITHOUT_COUNT < int(digits) else None
    if int(digits) > most:
        return bid, False
    return (bid, True) if total_dice is not None else None


def _glued(said: Words, start: int, speakers: Speakers, total_dice: int | None) -> Iterator[FoundBid]:
    """54 and 54s, and the dictation of "five four" as "fifty-four", which becomes a question."""
    if start > 0 and said[start - 1] == "'":
        return  # "in '65" is a year
    if found := bid_of_digits(said[start], total_dice):
        yield FoundBid(start + 1, *found, listed=True, apart=True)
        for end in range(start + 2, min(len(said), start + 1 + _LONGEST_FACE) + 1):
            if _in(said[start + 1 : end], speakers, "digit_plurals"):
                yield FoundBid(end, *found, listed=True)
    if total_dice is None:
        return
    for number in _numbers(said, start, speakers, heard=False) if start == 0 else ():
        if not said[start].isdigit() and (found := bid_of_digits(str(number.value), total_dice)):
            yield FoundBid(number.end, found[0], doubt=True, listed=True)


def _raised(said: Words, start: int, speakers: Speakers, standing: tuple[int, int]) -> Iterator[FoundBid]:
    """Bids relative to the bid to beat: "one more", "+1", "five of them"; a number alone becomes a question."""
    quantity, face = standing
    for end in _ends_of_raise(said, start, speakers):
        for number in _numbers(said, end, speakers, heard=False):
            doubt = number.value > _HIGHEST_RAISE
            if any(other.value == face for other in _faces(said, end, speakers, heard=False)):
                yield FoundBid(number.end, MakeBid(quantity + number.value, face), doubt, apart=True)
                continue
            yield FoundBid(number.end, MakeBid(quantity + number.value, face), doubt)
            for last in _phrases_at(said, number.end, speakers, "more", "of_them"):
                yield FoundBid(last, MakeBid(quantity + number.value, face), doubt)
        yield from _another(said, start, end, speakers, MakeBid(quantity + 1, face))
    for number in _numbers(said, start, speakers, heard=False):
        if start == 0 and number.end == len(said):
            yield FoundBid(number.end, MakeBid(number.value, face), doubt=True)
        ends = [
            number.end,
            *(each.end for each in _faces(said, number.end, speakers, heard=False) if each.value == face),
        ]
        for end in (end for first in ends for end in _phrases_at(said, first, speakers, "more")):
            yield FoundBid(end, MakeBid(quantity + number.value, face))
        for end in _phrases_at(said, number.end, speakers, "of_them", "of_same"):
            yield FoundBid(end, MakeBid(number.value, face), doubt=not _in(said[number.end : end], speakers, "of_same"))


def _another(said: Words, start: int, end: int, speakers: Speakers, raised: MakeBid) -> Iterator[FoundBid]:
    """Yield one more with the face: "another six", "add a six"."""
    one = [number.end for number in _numbers(said, end, speakers, heard=False) if number.value == 1]
    another = any(_in(said[first:end], speakers, "another") for first in range(start, end))
    for first in (end, *one):
        for face in _faces(said, first, speakers, heard=False):
            if face.value == raised.face and not said[first].isdigit():
                yield FoundBid(face.end, raised, doubt=first == end and not another)
                for last in _phrases_at(said, face.end, speakers, "more"):
                    yield FoundBid(last, raised)


def _ends_of_raise(said: Words, start: int, speakers: Speakers) -> Iterator[int]:
    """Yield the possible beginnings of the number in a raise: "add", "stick another"."""
    for end in _phrases_at(said, start, speakers, "raised_by"):
        yield end
        yield from _ends_of_raise(said, end, speakers)


def _phrases_at(said: Words, start: int, speakers: Speakers, *names: str) -> Iterator[int]:
    """Yield the ends of the phrases of some lists that begin at a word."""
    for end in range(start + 1, min(len(said), start + _LONGEST_BETWEEN) + 1):
        if any(_in(said[start:end], speakers, name) for name in names):
            yield end


def _raised_face(said: Words, raised: FoundBid, speakers: Speakers) -> Iterator[FoundBid]:
    """Yield a raise followed by the face of the bid to beat, "one more, on the fours".

    Another face becomes a question.
    """
    first = raised.end
    while first < len(said) and first - raised.end < _LONGEST_BETWEEN:
        for face in _faces(said, first, speakers, heard=False) if first > raised.end else ():
            bid = MakeBid(raised.bid.quantity, face.value)
            yield FoundBid(face.end, bid, doubt=bid != raised.bid, plain=True)
        if said[first] != "," and not any(
            _in(said[first : first + 1], speakers, name) for name in ("same", "same_links", "still")
        ):
            return
        first += 1


def _same_number(said: Words, start: int, speakers: Speakers, standing: tuple[int, int]) -> Iterator[FoundBid]:
    """Yield the number of the bid to beat with another face, "same but sixes"; one strange word may be between.

    "Same plus one" is a raise. The face may be first, "sixes, same number", or be the next one.
    """
    faces = [*_faces(said, start, speakers, heard=False), *_next_face(said, start, speakers, standing)]
    for face in faces:
        after = face.end + (said[face.end : face.end + 1] == (",",))
        for end in _phrases_at(said, after, speakers, "same") if face.value > 1 else ():  # "one like that"
            yield FoundBid(end, MakeBid(standing[0], face.value), plain=True)
        still = [*_phrases_at(said, after, speakers, "still")]
        for number in (number for first in still for number in _numbers(said, first, speakers, heard=False)):
            if number.value == standing[0]:
                yield FoundBid(number.end, MakeBid(number.value, face.value), plain=True)
    for end in range(start + 1, min(len(said), start + _LONGEST_SAME) + 1):
        if _in(said[start:end], speakers, "same"):
            first, others = end, 0
            while first < len(said) and not (
                faces := [
                    each
                    for each in (
                        *_faces(said, first, speakers, heard=False),
                        *_next_face(said, first, speakers, standing),
                    )
                    if each.value != standing[1]  # "same number, but the fours become fives"
                ]
            ):
                if raised := [*_raised(said, first, speakers, standing)]:
                    is_next = {*said[end:first]} <= {","}  # "same, plus one", not "same number, face plus one"
                    yield from (replace(each, doubt=each.doubt or not is_next) for each in raised)
                    break
                others += said[first] != "," and not _in(said[first : first + 1], speakers, "same_links")
                first += 1
            else:
                if others <= 1:
                    yield from (FoundBid(each.end, MakeBid(standing[0], each.value), plain=True) for each in faces)


def _next_face(said: Words, start: int, speakers: Speakers, standing: tuple[int, int]) -> Iterator[_Value]:
    if standing[1] < _FACE_DIGITS:
        yield from (_Value(end, standing[1] + 1) for end in _phrases_at(said, start, speakers, "next_face"))


def _shown(said: Words, start: int) -> Iterator[FoundBid]:
    """Dice that are shown: two fours may be the bid 2x4, or the dice of a hand."""
    face = SIGNS.find(said[start]) + 1 if len(said[start]) == 1 else 0
    end = start
    while end < len(said) and said[end] == said[start]:
        end += 1
    if face and end - start > 1:
        yield FoundBid(end, MakeBid(end - start, face), doubt=True)


def _reversed(said: Words, start: int, speakers: Speakers) -> Iterator[FoundBid]:
    """Yield the face first: "sixes, four of them", "of the sixes I say four"."""
    for first in range(start + 1, min(len(said), start + _LONGEST_BETWEEN) + 1):
        if _in(said[start:first], speakers, "of_faces"):
            yield from _of_faces(said, first, speakers)
    for face in _faces(said, start, speakers, heard=False):
        after = face.end + (said[face.end : face.end + 1] == (",",))
        for number in _numbers(said, after, speakers, heard=False):
            for end in range(number.end + 1, min(len(said), number.end + _LONGEST_BETWEEN) + 1):
                if _in(said[number.end : end], speakers, "of_them"):
                    yield FoundBid(end, MakeBid(number.value, face.value))


def _of_faces(said: Words, start: int, speakers: Speakers) -> Iterator[FoundBid]:
    for face in _faces(said, start, speakers, heard=False):
        after = face.end + (said[face.end : face.end + 1] == (",",))
        sayings = (
            end
            for end in range(after + 1, min(len(said), after + _LONGEST_BETWEEN) + 1)
            if any(speaker.parts.get(" ".join(said[after:end]), frozenset()) & _SAYS for speaker in speakers)
        )
        for first in (*([after] if after > face.end else ()), *sayings):
            for number in _numbers(said, first, speakers, heard=False):
                if number.end == len(said) or said[number.end] in _ENDS:
                    yield FoundBid(number.end, MakeBid(number.value, face.value))


def _numbers(said: Words, start: int, speakers: Speakers, *, heard: bool) -> Iterator[_Value]:
    if start < len(said) and _QUANTITY.fullmatch(said[start]):
        yield _Value(start + 1, int(said[start]))
    for end in range(start + 1, min(len(said), start + _LONGEST_NUMBER) + 1):
        phrase = " ".join(said[start:end])
        values = {speaker.numbers[phrase] for speaker in speakers if phrase in speaker.numbers}
        yield from (_Value(end, value) for value in values)
        yield from _misspelt(phrase, end, speakers)
        if heard and not values:
            yield from _heard(phrase, end, speakers)


def _faces(said: Words, start: int, speakers: Speakers, *, heard: bool) -> Iterator[_Value]:
    if start >= len(said):
        return
    if said[start] in SIGNS:
        yield _Value(start + 1, SIGNS.index(said[start]) + 1)
        return
    if _FACE.fullmatch(said[start]):
        yield _Value(start + 1, int(said[start]))
        for end in range(start + 2, min(len(said), start + 1 + _LONGEST_FACE) + 1):
            if _in(said[start + 1 : end], speakers, "digit_plurals"):
                yield _Value(end, int(said[start]))
        return
    for end in range(start + 1, min(len(said), start + _LONGEST_FACE) + 1):
        phrase = " ".join(said[start:end])
        values = {speaker.faces[phrase] for speaker in speakers if phrase in speaker.faces}
        yield from (_Value(end, value) for value in values)
        yield from (each for each in _misspelt(phrase, end, speakers) if each.value <= _FACE_DIGITS)
        if heard and not values:
            yield from (each for each in _heard(phrase, end, speakers) if each.value <= _FACE_DIGITS)


def _misspelt(phrase: str, end: int, speakers: Speakers) -> Iterator[_Value]:
    values = {speaker.misspelt[phrase] for speaker in speakers if phrase in speaker.misspelt}
    yield from (_Value(end, value, doubt=True) for value in values)


def _heard(phrase: str, end: int, speakers: Speakers) -> Iterator[_Value]:
    for speaker in speakers:
        if isinstance(value := speaker.heard.get(phrase), int):
            yield _Value(end, value, doubt=True)


def _after_a_stutter(said: Words, start: int, end: int) -> Iterator[int]:
    """Yield the ends of a number that is said twice: "six, six twos", "six (6) twos"."""
    if said[end : end + 1] == ("(",) and said[end + 2 : end + 3] == (")",) and said[end + 1].isdigit():
        yield end + 3
    if end < len(said) and said[end] in _PAUSES:
        again = end + 1 + (end - start)
        if said[end + 1 : again] == said[start:end]:
            yield again


def _between(said: Words, start: int, speakers: Speakers, *, alone: bool) -> Iterator[tuple[int, bool]]:
    """Yield the possible beginnings of the face, and whether the words before it make the bid doubtful."""
    yield start, False
    if start < len(said) and said[start] in _SIGNS_BETWEEN:
        digits = [word.isdigit() for word in (said[start - 1], *said[start + 1 : start + 2])]
        if said[start] != ":" or all(digits):  # "six: three sixes" names the number after the sign
            yield start + 1, False
    for end in range(start + 1, min(len(said), start + _LONGEST_BETWEEN) + 1):
        words = said[start:end]
        if _in(words, speakers, "asked_between"):
            is_or = any(Part.EITHER in speaker.parts.get(" ".join(words), ()) for speaker in speakers)
            yield end, is_or or not said[start - 1].isdigit()
        elif _in(words, speakers, "between") or (
            alone and any(speaker.between_alone.fullmatch(" ".join(words)) for speaker in speakers)
        ):
            yield end, False


def _in(words: Words, speakers: Speakers, name: str) -> bool:
    phrase = " ".join(words)
    return any(phrase in getattr(speaker, name) for speaker in speakers)


def _is_doubtful_one(number: Words, between: Words, face: Words, speakers: Speakers) -> bool:
    """Return True if it is rather "a six" of anything, or "one of two"."""
    one = " ".join(number)
    if one.isdigit() or not any(speaker.numbers.get(one) == 1 for speaker in speakers):
        return False
    names_a_number = face[0].isdigit() or any(" ".join(face) in speaker.numbers for speaker in speakers)
    return names_a_number and (bool(between) or any(one in speaker.articles for speaker in speakers))


def _mixes_small_words(number: Words, between: Words, face: Words, speakers: Speakers) -> bool:
    """Return True if no single language has all its words, and only a small word or an article connects them."""
    if len(speakers) == 1 or (number[0].isdigit() and face[0].isdigit()):
        return False
    sign = not between or (len(between) == 1 and between[0] in _SIGNS_BETWEEN)
    if sign and not _in(number, speakers, "articles"):
        return False
    return not any(
        (number[0].isdigit() or _in(number, (speaker,), "numbers"))
        and (sign or _in(between, (speaker,), "between"))
        and (face[0].isdigit() or _in(face, (speaker,), "faces"))
        for speaker in speakers
    )
