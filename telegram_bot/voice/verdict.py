"""What follows from scores: subtract what silence says, cut to what is legal, then be sure, ask, or say unheard."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from perudo_core import Calza, Dudo
from telegram_bot.voice.calls import Label, label_of
from telegram_bot.voice.spoken import Guess, Heard, Spoken

ALPHA: Final = 0.5
"""How much of what silence scores is subtracted; 0.3 to 0.7 made no difference."""
LOWEST_SCORE: Final = -10.0
"""A label that scores lower was not said."""
SURE_MARGIN: Final = 4.0
"""How far the best label of a sure verdict is ahead of the next one."""
MOST_GUESSES: Final = 3
UNHEARD: Final = Heard("unheard", ())


def adjusted(scores: Mapping[Label, float], silence: Mapping[Label, float], alpha: float = ALPHA) -> dict[Label, float]:
    """The scores without what silence says. A label that silence was never heard to say counts as its unlikeliest."""
    floor = min(silence.values(), default=0.0)
    return {label: score - alpha * silence.get(label, floor) for label, score in scores.items()}


def judge(scores: Mapping[Label, float], silence: Mapping[Label, float], legal: Collection[Spoken]) -> Heard:
    """The verdict on a note.

    Args:
        scores: the log-probability of each label that was considered, legal or not.
        silence: the same for a sound in which nobody speaks.
        legal: what may be said now.
    """
    possible = {label_of(spoken): spoken for spoken in legal}
    found = [Guess(possible[label], score) for label, score in adjusted(scores, silence).items() if label in possible]
    found.sort(key=lambda guess: (-guess.score, label_of(guess.spoken)))
    if not found or found[0].score <= LOWEST_SCORE:
        return UNHEARD
    best = found[0]
    clear = len(found) == 1 or best.score - found[1].score > SURE_MARGIN
    ends_the_round = isinstance(best.spoken, Dudo | Calza)
    return Heard("sure" if clear and not ends_the_round else "ask", tuple(found[:MOST_GUESSES]))
