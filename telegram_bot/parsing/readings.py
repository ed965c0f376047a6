"""Weigh the possible calls of a text to the bot alone by the words around them.

The weights are data, `weights.toml`, for features of bids and of doubts, and for each language's words. `python -m
benchmarks.phrases --fit` computes them.
"""

import math
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

from telegram_bot.parsing.bids import Round, Speakers, Words
from telegram_bot.parsing.clauses import Step, Strange, best_row, clauses_of
from telegram_bot.parsing.parsed import ParsedCall, ParsedCommand
from telegram_bot.parsing.sentence import FoundCall, names_another_bid
from telegram_bot.parsing.vocabulary import Part
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid

Features: TypeAlias = dict[str, float]
WEIGHTS_FILE: Final = Path(__file__).with_name("weights.toml")
PLAYED: Final = 0.5
"""A call of at least this weight is played."""
CLEARER: Final = 2.0
"""A call is played only if it weighs so much more than any other possible call of the text."""
ASKED: Final = -4.5
"""A call of at least this weight becomes a question."""
_SAYS: Final = frozenset({Part.OPENER, Part.SAYING})
_STOPS: Final = frozenset([".", "...", "!", "?", ";", "(", ")"])
_FAR: Final = 3
"""A raise by more dice is a jump."""
_MOST_WORDS: Final = 6
_MANY_WORDS: Final = 3


def _read_weights() -> dict[str, Features]:
    """Return the weight of each feature, for bids and for doubts, and of each word, for each measured language."""
    file = tomllib.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    words = {
        language: {word: float(weight) for weight, those in by_weight.items() for word in those.split()}
        for language, by_weight in file.pop("words").items()
    }
    return {**file, **words}


WEIGHTS: Final = _read_weights()


@dataclass(frozen=True, slots=True)
class Reading:
    """A possible call of a text, and its surroundings: each feature of the weights, with its amount."""

    call: ParsedCall
    features: Features
    language: str
    words: frozenset[str]
    """All words of the text, with those of the call; the words after the call once more, marked by ">"."""

    def is_played_beside(self, others: Iterable["Reading"]) -> bool:
        """Return True if the call is heavy enough, and heavier than others.

        Never for half a bid, for a question or a doubt ("I have", "maybe"), or for too many slips of the finger: one in
        a doubt, two in a bid.
        """
        needed = max([PLAYED, *(CLEARER + other.weight for other in others if other.call != self.call)])
        slips = self.features["slips"] > (0 if self.kind == "word" else 1)
        unsure = slips or any(self.features.get(name) for name in ("half", "asked", "doubt inside"))
        return self.weight >= needed and not unsure

    @property
    def kind(self) -> str:
        """Return which weights count."""
        return "bid" if isinstance(self.call, MakeBid) else "word"

    @property
    def weight(self) -> float:
        """Return the weight of the call: the same in each process, whose sets have orders of their own."""
        weights, of_words = WEIGHTS[self.kind], WEIGHTS.get(self.language, {})
        of_features = (weights.get(name, 0) * value for name, value in self.features.items())
        return math.fsum((*of_features, *(of_words.get(word, 0) for word in self.words)))


def readings_of(said: Words, speakers: Speakers, round_: Round, slips: int) -> Iterator[Reading]:
    """Yield every possible call of a text; `slips`: the number of corrected words."""
    language = speakers[0].language
    clauses = clauses_of(best_row(said, speakers, round_), said, speakers)
    steps = [step for clause in clauses for step in clause]
    found = [step.what for step in steps if isinstance(step.what, FoundCall)]
    unknown = [word for step in steps if isinstance(step.what, Strange) for word in said[step.start : step.end]]
    around = {**_of_text(steps, said, speakers), "slips": min(2, slips)}
    faces = {
        speaker.faces[word]
        for word in unknown
        for speaker in speakers
        if word in speaker.faces and word not in speaker.articles
    }
    halves = dict(_half_calls(unknown, faces, speakers, round_)) if all(each.relative for each in found) else {}
    for clause in clauses:
        for at, step in enumerate(clause):
            if not isinstance(what := step.what, FoundCall) or isinstance(what.call, ParsedCommand):
                continue
            if isinstance(what.call, MakeBid):
                if round_.total_dice is not None and what.call.quantity > round_.total_dice:
                    continue
                if at and clause[at - 1].what is Strange.MARK and len({each.call for each in found}) > 1:
                    continue  # "nine fives, not nine threes"
                # "one more of the fives, four then": four repeats the number
                if what.relative and (others := faces - {what.call.face, what.call.quantity}):
                    halves[MakeBid(what.call.quantity, min(others))] = True  # "one more, and in fives"
                    continue
            elif names_another_bid(said[step.start : step.end], speakers, round_):
                continue  # "there are no seven fives", when six is the bid to beat
            features = {**around, **_of_place(clause, at, steps, said, round_), **_of_call(what, round_)}
            yield Reading(what.call, features, language, _words_of(said, step.end))
    if not any(isinstance(each.call, CallDudo | CallCalza) for each in found):
        is_doubted = around["hints"] or any(_is_standing(each, round_) for each in found)
        halves |= {CallDudo(): False} if is_doubted else {}
    for call, both in halves.items():
        half = {"half": 1, "halves": min(2, len(halves) - 1), "both said": both}
        yield Reading(
            call, {**around, **_of_call(FoundCall(call), round_), **half}, language, _words_of(said, len(said))
        )


def _words_of(said: Words, end: int) -> frozenset[str]:
    """Return the words of a text, and once more, marked, those after its call: "wait, five sixes", "five sixes...

    wait".
    """
    behind = (f">{word}" for word in said[end:])
    return frozenset(word for word in (*said, *behind) if any(map(str.isalpha, word)))


def _of_text(steps: Collection[Step], said: Words, speakers: Speakers) -> Features:
    strange = [step.what for step in steps if isinstance(step.what, Strange)]
    beside = (word for step in steps if not isinstance(step.what, FoundCall) for word in said[step.start : step.end])
    words = strange.count(Strange.WORD)
    return {
        "one": 1,
        "words": min(_MOST_WORDS, words),
        "many words": words > _MANY_WORDS,
        "marks": min(2, strange.count(Strange.MARK)),
        "others": Strange.OTHER in strange,
        "reports": Strange.REPORT in strange,
        "numbers": min(2, strange.count(Strange.NUMBER)),
        "asks": said[-1:] == ("?",),
        "doubts": any(step.what is Part.DOUBT for step in steps),
        "either": any(step.what is Part.EITHER for step in steps),
        "refuses": any(step.what is Part.REFUSAL for step in steps),
        "hints": any(word in speaker.hints for word in beside for speaker in speakers),
    }


def _of_place(clause: list[Step], at: int, steps: Collection[Step], said: Words, round_: Round) -> Features:
    step = clause[at]
    found = cast("FoundCall", step.what)
    unknown = [place for place, each in enumerate(clause) if isinstance(each.what, Strange)]
    words = [place for place in unknown if clause[place].what is Strange.WORD]
    earlier = [each for each in steps if each.start < step.start]
    later = [each for each in steps if each.start > step.start]
    strange = {each.what for each in steps if isinstance(each.what, Strange)}
    times = sum(isinstance(each.what, FoundCall) and each.what.call == found.call for each in (*earlier, *later))
    times -= sum(isinstance(each.what, FoundCall) for each in clause) - 1  # "the taxman doubts nothing"
    another_before = any(_is_another_call(each.what, found, round_) for each in earlier)
    corrects = any(isinstance(each.what, FoundCall) for each in earlier) and any(
        each.what in {Part.CORRECTION, Part.REFUSAL} for each in earlier
    )
    return {
        "clean": not unknown,
        "clean first": not unknown and not any(isinstance(each.what, Strange) for each in earlier),
        "clean last": not unknown and not any(isinstance(each.what, Strange) for each in later),
        "words before": min(_MANY_WORDS, sum(place < at for place in words)),
        "words behind": min(_MANY_WORDS, sum(place > at for place in words)),
        "both sides": {at - 1, at + 1} <= {*unknown},
        "mark before": any(clause[place].what is Strange.MARK for place in unknown if place < at),
        "mark behind": any(clause[place].what is Strange.MARK for place in unknown if place > at),
        "refused": not corrects and any(each.what is Part.REFUSAL for each in clause[:at]),
        "doubted": any(
            isinstance(each.what, FoundCall) and not isinstance(each.what.call, MakeBid) for each in clause[:at]
        ),
        "doubt inside": any(each.what is Part.DOUBT for each in clause[:at]),
        "number inside": any(clause[place].what is Strange.NUMBER for place in unknown),
        "asked": next((word for word in said[step.end :] if word in _STOPS), "") == "?",
        "said": any(each.what in _SAYS for each in earlier),
        "refused behind": any(each.what is Part.REFUSAL for each in later),
        "another before": another_before,
        "corrects": corrects,
        "another behind": any(_is_another_call(each.what, found, round_) for each in later),
        "repeated": times > 0
        and strange <= {Strange.WORD, Strange.ASKED}
        and sum(each.what is Strange.WORD for each in steps) <= _MANY_WORDS
        and not any(each.what is Part.EITHER for each in steps),
        "belief beside": found.belief and bool(strange),
        "agreement beside": found.agrees and bool(strange),
        "game clean": found.of_the_game and not unknown,
        "relative beside": found.relative and Strange.NUMBER in strange,
        "relative before": found.relative and any(at + 1 == place for place in words),
    }


def _of_call(found: FoundCall, round_: Round) -> Features:
    features: Features = {
        "nothing stands": round_.standing is None,
        "doubt": found.doubt,
        "calza": isinstance(found.call, CallCalza),
        "belief": found.belief,
        "agreement": found.agrees,
        "game": found.of_the_game,
        "plain": found.plain,
        "apart": found.apart,
        "relative": found.relative,
    }
    if isinstance(found.call, MakeBid) and round_.standing is not None:
        features |= {
            "no raise": not round_.may_follow(found.call),
            "near": round_.is_near_raise(found.call),
            "far": found.call.quantity > round_.standing[0] + _FAR,
            "changes aces": (found.call.face == 1) != (round_.standing[1] == 1),
        }
    return features


def _is_another_call(what: Part | FoundCall | Strange | None, found: FoundCall, round_: Round) -> bool:
    """Return True if it is a call that competes with the found one: a bid to beat is only mentioned."""
    if not isinstance(what, FoundCall) or what.call == found.call or what.apart:
        return False
    return not isinstance(what.call, MakeBid) or round_.may_follow(what.call)


def _is_standing(found: FoundCall, round_: Round) -> bool:
    return isinstance(found.call, MakeBid) and (found.call.quantity, found.call.face) == round_.standing


def _half_calls(
    unknown: Collection[str], faces: Collection[int], speakers: Speakers, round_: Round
) -> Iterator[tuple[ParsedCall, bool]]:
    """Yield the possible calls of a number or a face alone, and whether the text has the other half elsewhere."""
    if round_.standing is None:
        return
    quantity, face = round_.standing
    numbers = {int(word) for word in unknown if word.isdecimal() and len(word) < len("100")}
    numbers |= {speaker.numbers[word] for word in unknown for speaker in speakers if word in speaker.numbers}
    bids = {MakeBid(number, face): face in faces for number in numbers if number}
    bids |= {MakeBid(quantity, other): quantity in numbers for other in faces}
    most = max(quantity, round_.total_dice or max(numbers, default=quantity))
    yield from ((bid, both) for bid, both in bids.items() if round_.may_follow(bid) and bid.quantity <= most)
