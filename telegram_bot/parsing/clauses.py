"""Find the best reading of a text with unknown words around a call, cut into clauses."""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from telegram_bot.parsing.bids import Round, Speakers, Words
from telegram_bot.parsing.parsed import ParsedCommand
from telegram_bot.parsing.sentence import FoundCall, Hearing, steps_at
from telegram_bot.parsing.vocabulary import Part
from telegram_bot.service.handlers.game_requests import MakeBid

_PARTS: Final = tuple(Part)
_ENDS_A_CLAUSE: Final = frozenset({Part.FILLER, Part.CHATTER})
"""The parts that separate a call from the words after them: "five fours lol don't hate me"."""


class Strange(Enum):
    """A word that is no part of a call."""

    WORD = auto()
    NUMBER = auto()
    MARK = auto()
    """It shows that its clause is about something else: "not", "if", "for"."""
    OTHER = auto()
    """It shows that the text is about others or another time: "she", "was", "yesterday"."""
    ASKED = auto()
    """A question mark."""
    REPORT = auto()
    """A report of another person's words: "he said"."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of a text, from one word to another. Its meaning is None for a pause."""

    start: int
    end: int
    what: Part | FoundCall | Strange | None


def best_row(said: Words, speakers: Speakers, round_: Round) -> list[Step]:
    """Return the reading with the fewest words that are no part of a call, then with the longest parts."""
    best: list[tuple[tuple[int, int, int], list[Step]] | None] = [((0, 0, 0), []), *[None] * len(said)]
    for start in range(len(said)):
        (strange, parts, _), row = best[start] or ((0, 0, 0), [])
        steps = [*steps_at(said, start, speakers, round_, Hearing.OWN), (start + 1, _kind_of(said[start], speakers))]
        for end, what in steps:
            is_call = isinstance(what, FoundCall)
            if isinstance(what, FoundCall) and isinstance(what.call, ParsedCommand):
                continue
            costs = isinstance(what, Strange) or (
                isinstance(what, FoundCall)
                and (what.apart or (isinstance(what.call, MakeBid) and not round_.may_follow(what.call)))
            )
            cost = (strange + costs, parts + 1 - is_call, -_PARTS.index(what) if isinstance(what, Part) else 0)
            other = best[end]
            if other is None or cost < other[0]:
                best[end] = cost, [*row, Step(start, end, what)]
    found = best[-1]
    return [] if found is None else found[1]


def _kind_of(word: str, speakers: Speakers) -> Strange:
    if any(word in speaker.reports for speaker in speakers):
        return Strange.REPORT
    if any(word in speaker.others for speaker in speakers):
        return Strange.OTHER
    if any(word in speaker.marks or Part.EITHER in speaker.parts.get(word, ()) for speaker in speakers):
        return Strange.MARK
    is_number = word.isdigit() or any(
        word in (speaker.numbers | speaker.faces) and word not in speaker.articles for speaker in speakers
    )
    return Strange.NUMBER if is_number else Strange.WORD


def clauses_of(row: list[Step], said: Words, speakers: Speakers) -> list[list[Step]]:
    """Return the steps from pause to pause, and from one "and" to the next."""
    numbers = {
        word: step.start for step in row if isinstance(step.what, FoundCall) for word in said[step.start : step.end - 1]
    }
    clauses: list[list[Step]] = [[]]
    after_call = False
    for step in row:
        word = said[step.start]
        if step.what is Strange.NUMBER and step.start > numbers.get(word, step.start):
            continue  # "sixteen threes, sixteen"
        joins = any(word in speaker.joins for speaker in speakers) and not isinstance(step.what, FoundCall)
        if joins or (after_call and isinstance(step.what, Strange)):
            clauses.append([])
        before = clauses[-1][-1].what if clauses[-1] else None
        after_call = step.what in _ENDS_A_CLAUSE and isinstance(before, FoundCall) and isinstance(before.call, MakeBid)
        if joins and step.end == step.start + 1:
            continue
        if step.what is None:
            clauses[-1].append(replace(step, what=Strange.ASKED) if word == "?" else step)
            clauses.append([])
        else:
            clauses[-1].append(step)
    return clauses
