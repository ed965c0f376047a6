"""English by pocketsphinx, whose model is part of its package: recognition without a download.

It is good enough to offer three calls, but not to play one by itself: its verdict is never *sure*.
"""

import array
import math
from collections.abc import Collection, Iterator
from typing import Final

from pocketsphinx import Decoder

from perudo_core import Dudo
from telegram_bot.voice.calls import openers, spellings
from telegram_bot.voice.meanings import MOST_GUESSES, UNHEARD, Guess, Heard, Spoken
from telegram_bot.words.languages import ENGLISH

_PRONOUNCED: Final = {
    "dudo": "D UW D OW",
    "calza": "K AA L Z AH",
    "deuce": "D UW S",
    "deuces": "D UW S IH Z",
    "treys": "T R EY Z",
    "pacos": "P AA K OW Z",
}
"""Words that the package's dictionary lacks, in its phones."""
_MOST_HYPOTHESES: Final = 200
_QUIETEST: Final = 60.0
"""Root mean square of 16 bit samples in the loudest tenth of a second; a room at rest stays below."""
_STRETCH: Final = 1600
_QUIET: Final = bytes(2 * 3200)
"""A fifth of a second: a word at the very beginning of a note is recognised better after some silence."""
_HUM: Final = array.array("h", [3000, -3000] * _STRETCH).tobytes()
"""As loud as speech."""
_SEARCH: Final = "calls"


class Pocketsphinx:
    """Hears English calls by a closed grammar of what is legal."""

    def __init__(self) -> None:
        self._decoder = Decoder(lm=None, loglevel="FATAL")
        for word, phones in _PRONOUNCED.items():
            if self._decoder.lookup_word(word) is None:
                self._decoder.add_word(word, phones, update=False)

        self._cmn: str = self._decoder.get_cmn(False)

    def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Return the three likeliest calls; *unheard* in silence."""
        meanings = {
            text: spoken for spoken in legal for text in spellings(spoken, language, digits=False) if self._knows(text)
        }
        if not meanings or _loudness(pcm) < _QUIETEST:
            return UNHEARD
        self._decoder.add_jsgf_string(_SEARCH, _grammar(meanings, [*filter(self._knows, openers(language))]))
        self._decoder.activate_search(_SEARCH)
        self._decoder.set_cmn(self._cmn)  # each note is recognised as the first one: it may be from another phone
        self._decoder.start_utt()
        self._decoder.process_raw(_QUIET + pcm + _QUIET, no_search=False, full_utt=True)
        self._decoder.end_utt()
        guesses: dict[Spoken, Guess] = {}
        for text, score in self._hypotheses():
            spoken = _meaning(text, meanings)
            if spoken is not None and spoken not in guesses:
                guesses[spoken] = Guess(spoken, score)
            if len(guesses) == MOST_GUESSES:
                break
        return Heard("ask", tuple(guesses.values())) if guesses else UNHEARD

    def rehearse(self) -> None:
        """Run once everything that reads a file at its first use."""
        self.hear(_HUM, ENGLISH, [Dudo(1)])

    def _knows(self, text: str) -> bool:
        return all(self._decoder.lookup_word(word) is not None for word in text.split())

    def _hypotheses(self) -> Iterator[tuple[str, float]]:
        """Yield the possible words with their scores, the likeliest first."""
        best = self._decoder.hyp()
        if best is None:
            return
        yield best.hypstr, _log(best.score)
        for _, each in zip(range(_MOST_HYPOTHESES), self._decoder.nbest(), strict=False):
            if each is not None:
                yield each.hypstr, _log(each.score)


def _log(probability: float) -> float:
    return math.log(max(probability, 1e-300))


def _grammar(texts: Collection[str], habits: Collection[str]) -> str:
    """Return a grammar of all texts; texts with the same first word share it, so that the grammar remains small."""
    followers: dict[str, list[str]] = {}
    for text in texts:
        first, _, rest = text.partition(" ")
        followers.setdefault(first, []).append(rest)
    branches = []
    for first, rests in followers.items():
        after = " | ".join(sorted(rest for rest in rests if rest))
        branches.append(first if not after else f"{first} ({after})" if "" not in rests else f"{first} [{after}]")
    before = f"[ {' | '.join(habits)} ] " if habits else ""
    return f"#JSGF V1.0;\ngrammar {_SEARCH};\npublic <call> = {before}( {' | '.join(branches)} );\n"


def _meaning(text: str, meanings: dict[str, Spoken]) -> Spoken | None:
    """Return the call at the end of a hypothesis, after an opener."""
    words = text.split()
    return next((found for start in range(len(words)) if (found := meanings.get(" ".join(words[start:])))), None)


def _loudness(pcm: bytes) -> float:
    samples = array.array("h", pcm[: len(pcm) // 2 * 2])
    stretches = (samples[start : start + _STRETCH] for start in range(0, len(samples), _STRETCH))
    return max((math.sqrt(sum(each * each for each in part) / len(part)) for part in stretches), default=0.0)
