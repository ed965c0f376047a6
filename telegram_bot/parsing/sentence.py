"""Parse a text as a row of parts: openers, fillers, pauses, and one call, perhaps repeated or corrected.

A text with any other word is no call. This excludes "he said five fours" and "I don't have five fours" without a list
of such sentences.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final, TypeAlias

from telegram_bot.parsing.bids import Round, Speakers, Words, bids_at, may_begin
from telegram_bot.parsing.parsed import Parsed, ParsedCall, ParsedCommand, call_named, canonical_text
from telegram_bot.parsing.vocabulary import ALONE, Part, Vocabulary
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText

PAUSES: Final = frozenset([",", ".", "...", ";", ":", "!", "?", "-", "(", ")", '"', "'", "¡", "¿", "~", "&"])
_LONGEST_NUMBER: Final = 2
"""Words of a number that is taken back."""
_LONGEST_PART: Final = 12
"""Words."""
_MOST_CALLS: Final = 4
_ANY_NAME: Final = "*"
_LONGEST_DENIED: Final = 2
"""Words: "dudo", "calling liar"."""
_ONLY_ALONE: Final = frozenset({"leave"})
"""The requests that count only without other words."""

_DENIED_TOO: Final = frozenset({Part.SAYING, Part.OPENER, Part.HEDGE})
"""Phrases that "no" denies together with the call after them: "I'm not saying five fours"."""
_TAKES_BACK: Final = frozenset({Part.REFUSAL, Part.CORRECTION})

Call: TypeAlias = ParsedCall | ParsedCommand


class Hearing(Enum):
    """How well the words of a text are known."""

    OWN = auto()
    """The languages are those of the player or the table."""
    ABROAD = auto()
    """The language is another one: its everyday words become a question."""
    MIXED = auto()
    """The words are of several languages: they are a bid or nothing, and with fillers around it a doubtful one."""
    EARS = auto()
    """Homophones of a word count too."""


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call, and whether it is doubtful."""

    call: Call
    doubt: bool = False
    listed: bool = False
    guessed: bool = False
    """Whether it is no call in itself, such as "impossible": it does not contradict a call."""
    plain: bool = False
    """Whether another meaning is unlikely, see `FoundBid`."""
    apart: bool = False
    relative: bool = False
    of_the_game: bool = False
    """Whether people say it only in the game: "show your dice", "calza"."""
    deniable: bool = False
    agrees: bool = False
    """Whether people say it to agree: "exactly"."""
    belief: bool = False
    """Whether people say it about anything: "I don't believe it"."""


@dataclass(frozen=True, slots=True)
class _State:
    """The state of the parser before some word."""

    calls: tuple[FoundCall, ...] = ()
    doubt: bool = False
    either: bool = False
    assent: bool = False
    opened: bool = False
    """A bid must follow."""
    refused: bool = False
    """A call must follow."""
    refusing: bool = False
    """The last word is "no"."""
    corrected: bool = False
    """The text is taken back so far; the next bid counts instead."""
    listed: bool = False
    """The last word ends a bid that could be a part of a list."""
    approximate: bool = False
    """The last word ends a bid that could be an approximate number: "five six"."""


_BEGINNING: Final = _State()


def find_call(
    said: Words, speakers: Speakers, round_: Round, *, how: Hearing = Hearing.OWN, question: bool = False
) -> Parsed | None:
    """Return the call or the request that a whole text is, in these languages; a question if it is doubtful.

    Args:
        said: the words of the text.
        speakers: the languages.
        round_: the table's knowledge about bids.
        how: how well the words are known.
        question: whether the text is a question.
    """
    states: list[set[_State]] = [{_BEGINNING}, *(set() for _ in said)]
    for start, here in enumerate(states[:-1]):
        if not here:
            continue
        for end, step in steps_at(said, start, speakers, round_, how):
            states[end].update(then for state in here if (then := _after(state, step, round_)) is not None)
    return _meaning(states[-1], round_, question=question)


def steps_at(
    said: Words, start: int, speakers: Speakers, round_: Round, how: Hearing
) -> Iterator[tuple[int, Part | FoundCall | None]]:
    """Yield every part that begins at a word, with its end. A pause is None."""
    if said[start] in PAUSES and not (start == 0 and said[start] == "-"):  # "-5 4" is no bid
        yield start + 1, None
    for bid in bids_at(said, start, speakers, round_, heard=how is Hearing.EARS):
        yield (
            bid.end,
            FoundCall(bid.bid, bid.doubt, bid.listed, plain=bid.plain, apart=bid.apart, relative=bid.relative),
        )
    if how is not Hearing.MIXED:
        part = Part.FILLER if round_.alone else Part.DOUBT
        yield from ((end, part) for end in _false_starts(said, start, speakers))
        yield from _doubts_with_a_name(said, start, speakers, round_)
    for speaker in speakers:
        longest = _LONGEST_PART if round_.alone else speaker.longest.get(said[start], 0)
        if not longest:
            continue
        ends = range(start + 1, min(len(said), start + longest) + 1)
        phrases = {end: " ".join(said[start:end]) for end in ends}
        calls = {} if how is Hearing.MIXED else dict(_calls_of(phrases, speaker, how, alone=round_.alone))
        for end, found in calls.items():
            yield end, replace(found, doubt=found.doubt or names_another_bid(said[start:end], speakers, round_))
        if round_.alone:
            patterns = speaker.parts_alone.items()
            yield from ((end, part) for part, known in patterns for end in ends if known.fullmatch(phrases[end]))
        # "c'est exact" is a call, not "c'est" with an "exact".
        parts = (
            (end, part)
            for end in ends
            if end > max(calls, default=start)
            for part in speaker.parts.get(phrases[end], ())
        )
        for end, part in (*parts, *_with_a_name(said, start, ends, speaker)):
            if part in ALONE and not round_.alone:
                continue
            if part is Part.DOUBT and round_.alone and ALONE & speaker.parts.get(phrases.get(end, ""), frozenset()):
                continue
            if part is Part.REFUSAL and round_.alone and end > start + 1:
                yield end, Part.CORRECTION  # "no wait", "no sorry"; "no" alone may deny the word after it
                continue
            if part is Part.REFUSAL and start == 0 and end < len(said) and said[end] not in PAUSES and not round_.alone:
                continue  # "no dudo" denies it, "no, dudo" does not
            if how is not Hearing.MIXED:
                yield end, part
            elif part in {Part.FILLER, Part.PEOPLE}:
                yield end, Part.DOUBT


def _doubts_with_a_name(
    said: Words, start: int, speakers: Speakers, round_: Round
) -> Iterator[tuple[int, Part | FoundCall | None]]:
    """Yield the doubts about a player by name, "Ana is a liar". In a chat the name may be anyone's: a question."""
    ends = range(start + 2, min(len(said), start + _LONGEST_PART) + 1)
    for speaker in speakers if ends and said[start].isalpha() else ():
        if said[start] in speaker.known or said[start] in speaker.ordinary:
            continue
        for end in ends:
            if " ".join((_ANY_NAME, *said[start + 1 : end])) in speaker.named_doubts:
                yield end, FoundCall(CallDudo(), doubt=not round_.alone)


def names_another_bid(said: Words, speakers: Speakers, round_: Round) -> bool:
    """Return True if the words name another bid than the bid to beat: "no seven fives", when six is to beat."""
    bids = (each.bid for start in range(len(said)) for each in bids_at(said, start, speakers, round_, heard=False))
    return round_.standing is not None and any(
        (bid.quantity, bid.face) != round_.standing and round_.may_follow(bid) for bid in bids
    )


def _calls_of(
    phrases: Mapping[int, str], speaker: Vocabulary, how: Hearing, *, alone: bool
) -> Iterator[tuple[int, FoundCall]]:
    """Yield the longest call or request that begins at a word, with its end."""
    calls = speaker.calls if how is not Hearing.ABROAD else speaker.calls_abroad
    for end, phrase in sorted(phrases.items(), reverse=True):
        said = calls.get(phrase) or speaker.requests.get(phrase)
        if alone and speaker.doubts_alone.fullmatch(phrase):
            belief = not speaker.beliefs.isdisjoint(phrase.split())
            yield (
                end,
                FoundCall(CallDudo(), of_the_game=not belief, belief=belief, deniable=_is_deniable(phrase, speaker)),
            )
            return
        if alone and speaker.exact_alone.fullmatch(phrase):
            yield end, FoundCall(CallCalza(), agrees=True)
            return
        if alone and (guess := speaker.guesses.get(phrase)) is not None:
            yield end, FoundCall(guess, doubt=True, guessed=True)
            return
        if how is Hearing.EARS and said is None and isinstance(call := speaker.heard.get(phrase), CallDudo | CallCalza):
            yield end, FoundCall(call, doubt=True)
            return
        if isinstance(said, UnparsedText) and said.suggestion is not None:
            guessed = phrase not in speaker.local
            yield (
                end,
                FoundCall(
                    call_named(said.suggestion), doubt=True, guessed=guessed, deniable=_is_deniable(phrase, speaker)
                ),
            )
            return
        if said is not None and not isinstance(said, UnparsedText):
            words = phrase.split()
            yield (
                end,
                FoundCall(
                    said,
                    of_the_game=any(word.startswith(("calz", "dudo")) for word in words),
                    deniable=_is_deniable(phrase, speaker),
                    agrees=said == CallCalza() and not any(word.startswith("calz") for word in words),
                    belief=not speaker.beliefs.isdisjoint(words),
                ),
            )
            return


def _is_deniable(phrase: str, speaker: Vocabulary) -> bool:
    """Return True if "no" before a call may deny it: "no dudo", "non ho dubbi", "no hay duda"."""
    words = phrase.split()
    return len(words) <= _LONGEST_DENIED and any(word.startswith(speaker.deniable) for word in words)


def _with_a_name(said: Words, start: int, ends: range, speaker: Vocabulary) -> Iterator[tuple[int, Part]]:
    """Yield the parts that end, as the sentence does, with a possible name: "five fours, over to Kim"."""
    for end in ends[1:] if start > 0 else ():
        is_last = end == len(said) or said[end] in PAUSES
        if is_last and said[end - 1].isalpha() and said[end - 1] not in speaker.words:
            yield from ((end, part) for part in speaker.parts.get(" ".join((*said[start : end - 1], _ANY_NAME)), ()))


def _false_starts(said: Words, start: int, speakers: Speakers) -> Iterator[int]:
    """Yield the ends of a number that is taken back: "five... no, six fours"."""
    ends = range(start + 1, min(len(said), start + _LONGEST_NUMBER) + 1) if may_begin(said[start], speakers) else ()
    for end in ends:
        number = " ".join(said[start:end])
        if not number.isdigit() and not any(number in speaker.numbers for speaker in speakers):
            continue
        after = next((place for place in range(end, len(said)) if said[place] not in PAUSES), end)
        if after > end and any(_TAKES_BACK & speaker.parts.get(said[after], frozenset()) for speaker in speakers):
            yield after


def _after(state: _State, step: Part | FoundCall | None, round_: Round) -> _State | None:
    """Return the state after one more part, or None if the part is not allowed there."""
    if isinstance(step, FoundCall):
        return _after_call(state, step, round_)
    was_refusing = state.refusing
    state = replace(
        state,
        listed=False,
        approximate=False,
        refusing=was_refusing and step in _DENIED_TOO,
        doubt=state.doubt or (step is Part.PEOPLE and state.approximate),
    )
    match step:
        case Part.CORRECTION | Part.REFUSAL if round_.alone:
            bids = any(isinstance(found.call, MakeBid) for found in state.calls)
            corrected = bids or (step is Part.REFUSAL and bool(state.calls))
            refusing = step is Part.REFUSAL or (was_refusing and not state.calls)
            state = replace(state, corrected=corrected, refusing=refusing)
        case Part.ASSENT:
            state = replace(state, assent=True)
        case Part.OPENER:
            state = replace(state, opened=True)
        case Part.DOUBT:
            state = replace(state, doubt=True)
        case Part.CORRECTION:
            state = replace(state, doubt=state.doubt or bool(state.calls))
        case Part.REFUSAL:
            state = replace(state, doubt=True, refused=True)
        case Part.EITHER if state.calls:
            state = replace(state, either=True, refused=True)
        case Part.EITHER:
            return None
    return state


def _after_call(state: _State, step: FoundCall, round_: Round) -> _State | None:
    is_bid = isinstance(step.call, MakeBid)
    denied = state.refusing and (is_bid or step.deniable)
    if (
        state.corrected
        and not denied
        and not state.either
        and all(isinstance(each.call, MakeBid) == is_bid for each in state.calls)
    ):
        state = replace(state, calls=(), corrected=False, doubt=False)
    others = [found for found in state.calls if found.call != step.call]
    if any(isinstance(each.call, ParsedCommand) for each in (*others, *([step] if others else ()))):
        return None
    if any(each.guessed for each in (*others, *([step] if others else ()))):
        return None
    if (state.opened and not is_bid) or len(state.calls) == _MOST_CALLS:
        return None
    repeats = round_.alone and bool(state.calls) and not others
    if denied and not is_bid:  # the next words may still be a call: "no dudo, dudo"
        step = replace(step, doubt=True, guessed=round_.alone)
    return _State(
        calls=(*state.calls, step),
        doubt=state.doubt or (state.listed and step.listed and not repeats),
        corrected=state.corrected or (denied and is_bid),
        either=state.either,
        assent=state.assent,
        listed=step.listed,
        approximate=step.listed and isinstance(step.call, MakeBid) and step.call.face == step.call.quantity + 1,
    )


def _meaning(ends: Iterable[_State], round_: Round, *, question: bool) -> Parsed | None:
    """Return the call on which all readings of the text agree; a question if they disagree or one is doubtful."""
    meant: set[Call] = set()
    doubt = question
    for state in ends:
        if not state.calls or state.opened or state.refused:
            continue
        said = list(dict.fromkeys(found.call for found in state.calls))
        raises = [call for call in said if not isinstance(call, MakeBid) or round_.may_follow(call)]
        calls = raises if round_.alone and raises else said  # "he says 4x5? 5x5": the bid to beat is only mentioned
        call = calls[0] if state.either else calls[-1]
        if isinstance(call, ParsedCommand):
            if len(calls) == 1 and not state.doubt and call.name not in _ONLY_ALONE:
                meant.add(call)
            continue
        meant.add(call)
        is_sure = not all(found.doubt for found in state.calls) and not any(
            found.doubt and not found.guessed for found in state.calls
        )
        is_sure = is_sure or (
            round_.alone and len(state.calls) > 1 and all(found.guessed and not found.deniable for found in state.calls)
        )
        agrees = state.assent and any(found.agrees for found in state.calls)
        doubt = doubt or state.doubt or state.corrected or agrees or len(calls) > 1 or not is_sure
    meant = {call for call in meant if not isinstance(call, MakeBid) or round_.may_follow(call)} or meant
    if not meant:
        return None
    first = min(meant, key=canonical_text)
    if isinstance(first, ParsedCommand):
        return first if len(meant) == 1 else None
    return UnparsedText(canonical_text(first)) if doubt or len(meant) > 1 else first
