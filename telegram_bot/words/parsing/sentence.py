"""A text as a row of parts: openers, fillers, pauses, and one call, perhaps repeated or corrected.

A text that has any other word is no call. That is what keeps "he said five fours" and "I don't have five fours" from
being played: nobody has to foresee them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final, TypeAlias

from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid, UnparsedText
from telegram_bot.words.parsing.bids import Round, Speakers, Words, bids_at
from telegram_bot.words.parsing.parsed import Parsed, ParsedCall, ParsedCommand, call_named, canonical_text
from telegram_bot.words.parsing.vocabulary import ALONE, Part, Vocabulary

_PAUSES: Final = frozenset([",", ".", "...", ";", ":", "!", "?", "-", "(", ")", '"', "'", "¡", "¿", "~", "&"])
_LONGEST_NUMBER: Final = 2
"""Words of a number that somebody takes back."""
_LONGEST_PART: Final = 12
"""Words."""
_MOST_CALLS: Final = 4
_PARTS: Final = tuple(Part)
_HARD_STOPS: Final = frozenset([".", "...", "!", "?", ";", "(", ")"])
_MOST_STRANGE: Final = 3
"""Unknown words before or behind a bid of two bare numbers: "6 trois wsh"."""
_ANY_NAME: Final = "*"
_LONGEST_DENIED: Final = 2
"""Words: "dudo", "calling liar"."""
_VERBS: Final = frozenset({"dud", "dub", "dou", "twi", "bet", "cal", "exa", "esa"})
"""How the calls begin that "no" before them may deny: "no dudo" is "I don't doubt"."""
_ONLY_ALONE: Final = frozenset({"leave"})
"""The requests that are meant only where nothing else is said."""

_ENDS_A_CLAUSE: Final = frozenset({Part.FILLER, Part.CHATTER})
"""The parts that part a call from the words behind them: "five fours lol don't hate me"."""
_SAYS: Final = frozenset({Part.SAYING, Part.OPENER, Part.HEDGE})
"""What "no" denies together with the call behind it: "I'm not saying five fours"."""
_TAKES_BACK: Final = frozenset({Part.REFUSAL, Part.CORRECTION})

Call: TypeAlias = ParsedCall | ParsedCommand


class Hearing(Enum):
    """How well the words of a text are known."""

    OWN = auto()
    """The languages are those of the player or the table."""
    ABROAD = auto()
    """The language is another: its everyday words are asked about."""
    MIXED = auto()
    """The words are of several languages: they are a bid or nothing, and with fillers around it a doubtful one."""
    EARS = auto()
    """What ears make of a word counts too."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A call, and whether it is doubtful."""

    call: Call
    doubt: bool = False
    listed: bool = False
    guessed: bool = False
    """Whether it is no call in itself, as "impossible": it does not contradict one."""
    plain: bool = False
    """Whether the bid is hardly anything else, see `FoundBid`."""
    apart: bool = False
    relative: bool = False
    of_the_game: bool = False
    """Whether people say it in the game only: "show your dice", "calza"."""
    deniable: bool = False
    agrees: bool = False
    """Whether people say it to agree: "exactly"."""
    belief: bool = False
    """Whether people say it of anything: "I don't believe it"."""


@dataclass(frozen=True, slots=True)
class _State:
    """What has been said up to some word."""

    calls: tuple[_Found, ...] = ()
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
    """What was said is taken back; the next bid counts instead."""
    listed: bool = False
    """The last word ends a bid that could be a part of a list."""
    approximate: bool = False
    """The last word ends a bid that could be an approximate number: "five six"."""


def find_call(
    said: Words, speakers: Speakers, round_: Round, *, how: Hearing = Hearing.OWN, question: bool = False
) -> Parsed | None:
    """The call or the request that a whole text is, in the words of some languages; a question if it is doubtful.

    Args:
        said: the words of the text.
        speakers: whose words count.
        round_: what the table tells about bids.
        how: how well the words are known.
        question: whether the text asks something.
    """
    states: list[set[_State]] = [set() for _ in range(len(said) + 1)]
    states[0].add(_State())
    for start, here in enumerate(states[:-1]):
        if not here:
            continue
        for end, step in _steps(said, start, speakers, round_, how):
            states[end].update(then for state in here if (then := _after(state, step, round_)) is not None)
    return _meaning(states[-1], round_, question=question)


def _steps(  # noqa: C901 - one branch for each kind of part
    said: Words, start: int, speakers: Speakers, round_: Round, how: Hearing
) -> Iterator[tuple[int, Part | _Found | None]]:
    """Every part that begins at a word, with its end; None is a pause."""
    if said[start] in _PAUSES and not (start == 0 and said[start] == "-"):  # "-5 4" is no bid
        yield start + 1, None
    for bid in bids_at(said, start, speakers, round_, heard=how is Hearing.EARS):
        yield bid.end, _Found(bid.bid, bid.doubt, bid.listed, plain=bid.plain, apart=bid.apart, relative=bid.relative)
    if how is not Hearing.MIXED:
        part = Part.FILLER if round_.alone else Part.DOUBT
        yield from ((end, part) for end in _false_starts(said, start, speakers))
    ends = range(start + 1, min(len(said), start + _LONGEST_PART) + 1)
    for speaker in speakers:
        phrases = {end: " ".join(said[start:end]) for end in ends}
        calls = {} if how is Hearing.MIXED else dict(_calls_of(phrases, speaker, how, alone=round_.alone))
        yield from calls.items()
        if round_.alone:
            patterns = speaker.parts_alone.items()
            yield from ((end, part) for part, known in patterns for end in ends if known.fullmatch(phrases[end]))
        # "c'est exact" is a call, and no "c'est" with an "exact".
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
            if (
                part is Part.REFUSAL
                and start == 0
                and end < len(said)
                and said[end] not in _PAUSES
                and not round_.alone
            ):
                continue  # "no dudo" denies it, "no, dudo" does not
            if how is not Hearing.MIXED:
                yield end, part
            elif part in {Part.FILLER, Part.PEOPLE}:
                yield end, Part.DOUBT


def _calls_of(
    phrases: Mapping[int, str], speaker: Vocabulary, how: Hearing, *, alone: bool
) -> Iterator[tuple[int, _Found]]:
    """The longest call or request that begins at a word, with its end."""
    calls = speaker.calls if how is not Hearing.ABROAD else speaker.calls_abroad
    for end, phrase in sorted(phrases.items(), reverse=True):
        said = calls.get(phrase) or speaker.requests.get(phrase)
        if alone and speaker.doubts_alone.fullmatch(phrase):
            belief = not speaker.beliefs.isdisjoint(phrase.split())
            yield end, _Found(CallDudo(), of_the_game=not belief, belief=belief)
            return
        if alone and speaker.exact_alone.fullmatch(phrase):
            yield end, _Found(CallCalza(), agrees=True)
            return
        if alone and (guess := speaker.guesses.get(phrase)) is not None:
            yield end, _Found(guess, doubt=True, guessed=True)
            return
        if how is Hearing.EARS and said is None and isinstance(call := speaker.heard.get(phrase), CallDudo | CallCalza):
            yield end, _Found(call, doubt=True)
            return
        if isinstance(said, UnparsedText) and said.suggestion is not None:
            yield end, _Found(call_named(said.suggestion), doubt=True, guessed=phrase not in speaker.local)
            return
        if said is not None and not isinstance(said, UnparsedText):
            words = phrase.split()
            yield (
                end,
                _Found(
                    said,
                    of_the_game=any(word.startswith(("calz", "dudo")) for word in words),
                    deniable=len(words) <= _LONGEST_DENIED and words[0][:3] in _VERBS,
                    agrees=said == CallCalza() and not any(word.startswith("calz") for word in words),
                    belief=not speaker.beliefs.isdisjoint(words),
                ),
            )
            return


def _with_a_name(said: Words, start: int, ends: range, speaker: Vocabulary) -> Iterator[tuple[int, Part]]:
    """The parts that end, as the sentence does, with what may be anybody's name: "five fours, over to Kim"."""
    for end in ends[1:] if start > 0 else ():
        is_last = end == len(said) or said[end] in _PAUSES
        if is_last and said[end - 1].isalpha() and said[end - 1] not in speaker.words:
            yield from ((end, part) for part in speaker.parts.get(" ".join((*said[start : end - 1], _ANY_NAME)), ()))


def _false_starts(said: Words, start: int, speakers: Speakers) -> Iterator[int]:
    """Where a number ends that is taken back: "five... no, six fours"."""
    for end in range(start + 1, min(len(said), start + _LONGEST_NUMBER) + 1):
        number = " ".join(said[start:end])
        if not number.isdigit() and not any(number in speaker.numbers for speaker in speakers):
            continue
        after = next((place for place in range(end, len(said)) if said[place] not in _PAUSES), end)
        if after > end and any(_TAKES_BACK & speaker.parts.get(said[after], frozenset()) for speaker in speakers):
            yield after


def _after(state: _State, step: Part | _Found | None, round_: Round) -> _State | None:
    """What has been said with one more part; None if it cannot stand there."""
    if isinstance(step, _Found):
        return _after_call(state, step, round_)
    was_refusing = state.refusing
    state = replace(
        state,
        listed=False,
        approximate=False,
        refusing=was_refusing and step in _SAYS,
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


def _after_call(state: _State, step: _Found, round_: Round) -> _State | None:
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
    if denied and not is_bid:  # what follows may still be a call: "no dudo, dudo"
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
    """The call on which all ways to read the text agree; a question if any of them is doubtful."""
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


# --- a text to the bot alone, with any other words --------------------------------------------------------------------


class _Strange(Enum):
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
    """Somebody else's words: "he said"."""


@dataclass(frozen=True, slots=True)
class _Step:
    start: int
    end: int
    what: Part | _Found | _Strange | None


def find_call_in_talk(said: Words, speakers: Speakers, round_: Round) -> Parsed | None:
    """The call in a text to the bot alone; a question about it where the other words may change it."""
    row = _best_row(said, speakers, round_)
    if any(
        isinstance(step.what, _Found) and isinstance(step.what.call, MakeBid) and not step.what.relative for step in row
    ):
        row = [step for step in row if not (isinstance(step.what, _Found) and step.what.relative)]
    clauses = _clauses(row, said, speakers)
    last = max((place for place, clause in enumerate(clauses) if any(map(_is_call, clause))), default=-1)
    clean = {
        step.what.call
        for clause in clauses
        if not any(map(_is_strange, clause))
        for step in clause
        if isinstance(step.what, _Found) and not step.what.doubt
    }
    raises = {call for call in clean if isinstance(call, MakeBid) and round_.may_follow(call)}
    ends = max((step.start for clause in clauses for step in clause if _is_call(step)), default=-1)
    state = _State()
    for place, clause in enumerate(clauses):
        found = [step.what for step in clause if isinstance(step.what, _Found)]
        is_strange = any(map(_is_strange, clause))
        is_talk = is_strange and (
            {each.call for each in found} <= clean
            or all(
                bool(raises if isinstance(each.call, MakeBid) else clean) and _is_aside(each, round_) for each in found
            )
        )
        for step in clause:
            if isinstance(step.what, _Strange) or (
                is_talk and (place < last or found or step.what is Part.DOUBT or _denies_talk(step, clause))
            ):
                continue
            if (
                step.what is Part.CORRECTION
                and place >= last
                and step.start > ends
                and _is_chatter(step, said, speakers)
            ):
                continue  # "five fours, sorry"
            if isinstance(step.what, _Found) and not isinstance(step.what.call, MakeBid):
                state = replace(state, opened=False)  # "I go with calza"
            state = _after(state, step.what, round_) or replace(state, doubt=True)
    meant = _meaning([replace(state, opened=False)], round_, question=False)
    if meant is None:
        return _hinted(said, clauses, speakers, round_)
    if isinstance(meant, ParsedCommand):
        return meant
    if not isinstance(meant, UnparsedText):
        if _is_for_the_game(clauses, meant, said, speakers, round_):
            return meant
        meant = UnparsedText(canonical_text(meant))
    return None if _is_far_fetched(clauses, meant, round_) else meant


def _is_far_fetched(clauses: list[list[_Step]], asked: UnparsedText, round_: Round) -> bool:
    """Whether a call is rather made of chatter: two numbers that stand apart, a jump of many dice, no bid to doubt."""
    steps = [step for clause in clauses for step in clause]
    if sum(map(_is_strange, steps)) < _FEWEST_IN_TALK:
        return False
    found = [
        step.what
        for step in steps
        if isinstance(step.what, _Found) and canonical_text(step.what.call) == asked.suggestion
    ]
    bids = [each for each in found if isinstance(each.call, MakeBid)]
    if round_.standing is None:
        return len(bids) < len(found) or all(each.apart for each in bids)
    far = round_.standing[0] + _FAR
    return bool(bids) and all(
        each.apart or not round_.may_follow(each.call) or each.call.quantity > far
        for each in bids
        if isinstance(each.call, MakeBid)
    )


_FEWEST_IN_TALK: Final = 2
"""Unknown words beside a call that is rather chatter."""
_FAR: Final = 3
"""A raise by more dice among unknown words is no call."""


def _best_row(said: Words, speakers: Speakers, round_: Round) -> list[_Step]:
    """The reading with the fewest words that are no part of a call, then with the longest parts."""
    best: list[tuple[tuple[int, int, int], list[_Step]] | None] = [((0, 0, 0), []), *[None] * len(said)]
    for start in range(len(said)):
        (strange, parts, _), row = best[start] or ((0, 0, 0), [])
        steps = [*_steps(said, start, speakers, round_, Hearing.OWN), (start + 1, _strange(said[start], speakers))]
        for end, what in steps:
            is_call = isinstance(what, _Found)
            if isinstance(what, _Found) and isinstance(what.call, ParsedCommand):
                continue
            costs = isinstance(what, _Strange) or (
                isinstance(what, _Found) and (what.apart or _is_no_raise(what, round_))
            )
            cost = (strange + costs, parts + 1 - is_call, -_PARTS.index(what) if isinstance(what, Part) else 0)
            other = best[end]
            if other is None or cost < other[0]:
                best[end] = cost, [*row, _Step(start, end, what)]
    found = best[-1]
    return [] if found is None else found[1]


def _is_no_raise(found: _Found, round_: Round) -> bool:
    return isinstance(found.call, MakeBid) and not round_.may_follow(found.call)


def _strange(word: str, speakers: Speakers) -> _Strange:
    if any(word in speaker.reports for speaker in speakers):
        return _Strange.REPORT
    if any(word in speaker.others for speaker in speakers):
        return _Strange.OTHER
    if any(word in speaker.marks or Part.EITHER in speaker.parts.get(word, ()) for speaker in speakers):
        return _Strange.MARK
    is_number = word.isdigit() or any(
        word in (speaker.numbers | speaker.faces) and word not in speaker.articles for speaker in speakers
    )
    return _Strange.NUMBER if is_number else _Strange.WORD


def _clauses(row: list[_Step], said: Words, speakers: Speakers) -> list[list[_Step]]:
    """The steps from pause to pause, and from one "and" to the next."""
    numbers = {word: step.start for step in row if _is_call(step) for word in said[step.start : step.end - 1]}
    clauses: list[list[_Step]] = [[]]
    after_call = False
    for step in row:
        word = said[step.start]
        if step.what is _Strange.NUMBER and step.start > numbers.get(word, step.start):
            continue  # "sixteen threes, sixteen"
        joins = any(word in speaker.joins for speaker in speakers) and not _is_call(step)
        if joins or (after_call and isinstance(step.what, _Strange)):
            clauses.append([])
        before = clauses[-1][-1].what if clauses[-1] else None
        after_call = step.what in _ENDS_A_CLAUSE and isinstance(before, _Found) and isinstance(before.call, MakeBid)
        if joins and step.end == step.start + 1:
            continue
        if step.what is None:
            clauses[-1].append(replace(step, what=_Strange.ASKED) if word == "?" else step)
            clauses.append([])
        else:
            clauses[-1].append(step)
    return clauses


def _is_aside(found: _Found, round_: Round) -> bool:
    """Whether a call among strange words is rather a part of them, where another clause is a bid: "2-1 up"."""
    if isinstance(found.call, MakeBid):
        return found.doubt or not round_.may_follow(found.call)
    return found.guessed


def _denies_talk(step: _Step, clause: list[_Step]) -> bool:
    """Whether "no" stands right before a word that is no part of a call: "seven sixes, and no offside"."""
    follows = next((each.what for each in clause if each.start == step.end), None)
    return step.what is Part.REFUSAL and follows is _Strange.WORD


def _is_chatter(step: _Step, said: Words, speakers: Speakers) -> bool:
    phrase = " ".join(said[step.start : step.end])
    return any(Part.CHATTER in speaker.parts.get(phrase, ()) for speaker in speakers)


def _is_call(step: _Step) -> bool:
    return isinstance(step.what, _Found)


def _is_strange(step: _Step) -> bool:
    return isinstance(step.what, _Strange)


def _is_for_the_game(  # noqa: PLR0911 - one return for each reason
    clauses: list[list[_Step]], meant: Call, said: Words, speakers: Speakers, round_: Round
) -> bool:
    """Whether a call among other words is played: the words about it are known, and the others tell no story."""
    strange = {step.what for clause in clauses for step in clause if isinstance(step.what, _Strange)}
    calls = [
        (clause, place, step.what)
        for clause in clauses
        for place, step in enumerate(clause)
        if isinstance(step.what, _Found) and step.what.call == meant
    ]
    stops = (
        next((word for word in said[clause[place].end :] if word in _HARD_STOPS), "") for clause, place, _ in calls
    )
    if isinstance(meant, MakeBid) and strange and not round_.may_follow(meant):
        return False  # a bid that cannot follow is mentioned: "I see your five threes"
    asked = [
        stop == "?" or any(each.what is _Strange.ASKED for each in clause)
        for (clause, _, _), stop in zip(calls, stops, strict=True)
    ]
    if asked[-1]:
        return False  # "five fours? yes, five fours" is answered
    if isinstance(meant, MakeBid) and all(found.relative for _, _, found in calls):
        clean = all(
            not any(map(_is_strange, clause[place + 1 :]))
            and (not any(map(_is_strange, clause[:place])) or (found.plain and place <= _MOST_STRANGE))
            for clause, place, found in calls
        )
        others = (said[step.start] for clause in clauses for step in clause if _is_strange(step))
        names_a_face = any(word in speaker.faces for word in others for speaker in speakers)  # "to fives"
        return clean and not names_a_face and not strange - {_Strange.ASKED, _Strange.WORD}
    if isinstance(meant, MakeBid):
        stands_alone = round_.is_near_raise(meant) and any(
            not found.apart and not any(map(_is_strange, clause)) for clause, _, found in calls
        )
        if _Strange.NUMBER in strange and not any(
            found.plain or _said_so(clause, place) or stands_alone for clause, place, found in calls
        ):
            return False  # "two and two four"
        return any(
            (_Strange.REPORT not in strange or _said_so(clause, place) or stands_alone)
            and _is_plain_bid(clause, place, found, round_, repeated=len(calls) > 1)
            for clause, place, found in calls
        )
    if not strange - {_Strange.ASKED}:
        return True
    repeated = sum(not found.doubt and not any(map(_is_strange, clause)) for clause, _, found in calls) > 1
    calls = [(clause, place, found) for clause, place, found in calls if not _goes_on(clauses, clause[place], said)]
    if _Strange.REPORT in strange:
        return False
    number = min(
        (step.start for clause in clauses for step in clause if step.what is _Strange.NUMBER), default=len(said)
    )
    if any(
        found.of_the_game and not any(map(_is_strange, clause)) and clause[place].start < number
        for clause, place, found in calls
    ):
        return True
    if strange & {_Strange.OTHER, _Strange.NUMBER}:
        return False
    last = max((step.start for clause in clauses for step in clause if _is_strange(step)), default=-1)
    if round_.standing is not None and any(
        not found.doubt and not any(map(_is_strange, clause)) and clause[place].start > last
        for clause, place, found in calls
    ):
        return True  # everything else leads to it: "that would need five aces, so I doubt it"
    few = sum(map(_is_strange, (step for clause in clauses for step in clause))) <= _MOST_STRANGE
    return (
        repeated
        or len(calls) > 1
        or any(
            (few or not found.belief) and not found.doubt and not found.agrees and _is_plain_word(clause, place, found)
            for clause, place, found in calls
        )
    )


def _is_plain_word(clause: list[_Step], place: int, found: _Found) -> bool:
    """Whether a doubt at a place in a clause can be played beside the other words of the clause."""
    strange = [at for at, step in enumerate(clause) if _is_strange(step)]
    kinds = {clause[at].what for at in strange}
    if not strange or kinds != {_Strange.WORD}:
        return not strange
    if found.deniable:
        return _said_so(clause, place) or (found.of_the_game and strange == [len(clause) - 1])
    goes_on = strange[-1] > place and (found.of_the_game or clause[place].end - clause[place].start > 1)
    return len(strange) < _MOST_STRANGE and not found.belief and not goes_on  # "I challenge you to tennis"


def _goes_on(clauses: list[list[_Step]], call: _Step, said: Words) -> bool:
    """Whether the sentence of a call goes on with other words, or a question follows: "dudo, luego existo"."""
    behind = [step for clause in clauses for step in clause if step.start > call.start]
    stop = next((step.start for step in behind if said[step.start] in _HARD_STOPS), len(said))
    others = (clause for clause in clauses if call not in clause)
    strange = [step for clause in others for step in clause if call.start < step.start < stop and _is_strange(step)]
    return len(strange) > 1 or any(step.what is _Strange.ASKED for step in behind)


_MOST_HINTED: Final = 4
"""Unknown words beside what may be half a call; among more it is a part of something else."""


def _hinted(said: Words, clauses: list[list[_Step]], speakers: Speakers, round_: Round) -> UnparsedText | None:
    """A question about what may be half a call: only a number, only a face, or a word of somebody who doubts."""
    strange = {step.what for clause in clauses for step in clause if isinstance(step.what, _Strange)}
    if round_.standing is None or strange & {_Strange.REPORT, _Strange.OTHER, _Strange.ASKED}:
        return None
    quantity, face = round_.standing
    said = tuple(said[step.start] for clause in clauses for step in clause if _is_strange(step))
    if len(said) > _MOST_HINTED:
        return None
    numbers = {int(word) for word in said if word.isdecimal() and len(word) < len("100")}
    numbers |= {speaker.numbers[word] for word in said for speaker in speakers if word in speaker.numbers}
    faces = {speaker.faces[word] for word in said for speaker in speakers if word in speaker.faces}
    bid: MakeBid | None = None
    if len(numbers) == 1 and 0 not in numbers:
        bid = MakeBid(numbers.pop(), face)
    elif len(faces) == 1:
        bid = MakeBid(quantity, faces.pop())
    if bid is not None and _Strange.MARK not in strange and round_.may_follow(bid) and bid.quantity < 2 * quantity + 2:
        return UnparsedText(canonical_text(bid))
    return UnparsedText("dudo") if any(word in speaker.hints for word in said for speaker in speakers) else None


def _said_so(clause: list[_Step], place: int) -> bool:
    return place > 0 and clause[place - 1].what in {Part.OPENER, Part.SAYING}


def _is_plain_bid(clause: list[_Step], place: int, bid: _Found, round_: Round, *, repeated: bool) -> bool:
    """Whether the bid at a place in a clause can be played beside the other words of the clause."""
    strange = [at for at, step in enumerate(clause) if _is_strange(step)]
    kinds = {clause[at].what for at in strange}
    if not strange:
        return True
    if kinds != {_Strange.WORD} or bid.apart:
        return False  # "five fours are twenty"
    before, behind = place - 1 not in strange, place + 1 not in strange
    if bid.plain:
        return before or behind
    if before and behind and (_said_so(clause, place) or repeated):
        return True
    raises = round_.standing is not None and len(strange) <= _MOST_STRANGE
    return raises and (all(at > place for at in strange) or all(at < place for at in strange))
