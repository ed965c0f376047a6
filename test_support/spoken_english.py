"""Hear what the bot says aloud in English: a listener who knows the sentences, and nothing else of the game."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from pocketsphinx import Decoder

from test_support.voice_notes import note_pcm

_WORDS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}
_ONE: Final = "|".join(_WORDS[1:7])
_SOME: Final = rf"(?:one (?:{_ONE})|(?:{'|'.join(_WORDS[2:])}) (?:{_ONE})e?s)"
_PRONOUNCED: Final = {"dudo": "D UW D OW", "bo's": "B OW Z", "ana's": "AA N AH Z"}
"""Words that the package's dictionary lacks, in its phones."""
GRAMMAR: Final = """#JSGF V1.0;
grammar told;
<n> = two | three | four | five | six | seven | eight | nine | ten;
<one> = one | two | three | four | five | six;
<many> = ones | twos | threes | fours | fives | sixes;
<some> = one <one> | <n> <many>;
<hand> = your dice <some> [[and] <some>] [[and] <some>];
<who> = ana | bo;
<whose> = ana's | bo's;
<bids> = <who> says <some>;
<turn> = your turn raise or say dudo | it's your turn;
<others> = it's <whose> turn | <who> opens;
<round> = round (one | <n>) (<n> dice | one die) in play;
<call> = dudo <who> doubts <whose> <some>;
<had> = <who> has <some> [and <some>];
<count> = there's (none | one | only one | exactly one) | there are [only | exactly] <n>;
<verdict> = the bid (holds | fails);
<lost> = <who> loses a die;
<next> = <who> is out | <who> opens the next round;
<end> = <who> wins place two <who> (one round | <n> rounds) again;
<reveal> = <call> <had>* <count> <verdict> <lost> <next>*;
<heard> = i heard (<some> | dudo) say that is right and it counts if not say it again;
<unheard> = i heard no bid say it again like five fours or tap or type it;
<done> = you bid <some> | dudo cups up;
<beaten> = that does not beat <some> the smallest raise is <some>;
<tip> = ones count as any face | dudo you think there are fewer
  | you hold (zero | one | <n>) of those and (one die is | <n> dice are) unseen;
public <told> = <reveal> | [<reveal>] (<end> | <round> <hand> (you open make a bid | <others>) | <hand> <bids>* <others>
  | <bids>* <turn> <hand>) [<tip>] | <heard> | <unheard> | <done> | <beaten>;
"""


@dataclass(frozen=True, slots=True)
class Told:
    """The content of a note; a bid is its quantity and its face."""

    text: str
    bids: tuple[tuple[int, int], ...] = ()
    dice: tuple[int, ...] | None = None
    my_turn: bool = False
    heard: tuple[int, int] | str | None = None
    """The call that the bot asks about."""
    over: bool = False


@cache
def _listener() -> tuple[Decoder, str]:
    """Return a decoder of the sentences about a game between Ana and Bo, and what it knows before it hears any."""
    decoder = Decoder(lm=None, loglevel="FATAL")
    for word, phones in _PRONOUNCED.items():
        decoder.add_word(word, phones, update=False)
    decoder.add_jsgf_string("told", GRAMMAR)
    decoder.activate_search("told")
    return decoder, decoder.get_cmn(False)


def hear(note: bytes) -> Told:
    """Understand one of the bot's voice notes."""
    decoder, cmn = _listener()
    decoder.set_cmn(cmn)  # what was heard before changes nothing
    decoder.start_utt()
    decoder.process_raw(note_pcm(note), full_utt=True)
    decoder.end_utt()
    hypothesis = decoder.hyp()
    return understood("" if hypothesis is None else hypothesis.hypstr)


def understood(text: str) -> Told:
    own = re.search(rf"your dice((?: (?:and )?{_SOME})+)", text)
    heard = re.match(rf"i heard (dudo|{_SOME})", text)
    mine = [] if own is None else [_call(some) for some in re.findall(_SOME, own[1])]
    return Told(
        text,
        bids=tuple(map(_call, re.findall(f"says ({_SOME})", text))),
        dice=tuple(face for number, face in mine for _ in range(number)) if mine else None,
        my_turn="your turn" in text or "you open" in text,
        heard=None if heard is None else "dudo" if heard[1] == "dudo" else _call(heard[1]),
        over=" wins " in f" {text} ",
    )


def _call(some: str) -> tuple[int, int]:
    number, face = some.split()
    return NUMBERS[number], next(NUMBERS[word] for word in (face, face[:-1], face[:-2]) if word in NUMBERS)
