"""The possible meanings of a voice note, and the verdict that follows from an engine's scores."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, Protocol, TypeAlias

from perudo_core import Call, Calza, Dudo, parse_call


class VoiceCommand(Enum):
    """Spoken commands besides the calls."""

    DICE = "dice"
    STATUS = "status"
    REPEAT = "repeat"
    CONFIRM = "confirm"
    """Confirmation ("that is right"): understood after the bot has read aloud a call for confirmation."""


Spoken: TypeAlias = Call | VoiceCommand

Label: TypeAlias = str
"""A meaning of a note as a word: "5x4", "dudo", "calza", "dice", "status", "repeat" or "confirm"."""


@dataclass(frozen=True)
class Guess:
    """A possible meaning of a note, and its probability."""

    spoken: Spoken
    score: float


@dataclass(frozen=True)
class Heard:
    """The verdict on a note; at most three guesses, best first, none if it is unheard."""

    verdict: Literal["sure", "ask", "unheard"]
    guesses: tuple[Guess, ...]


class Engine(Protocol):
    """Recognises notes. It blocks, and runs in a side process."""

    def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Recognise a note. `pcm`: 16 kHz, mono, signed 16 bits, little endian."""

    def rehearse(self) -> None:
        """Run once everything that reads a file at its first use."""


class VoiceUnavailable(Exception):  # noqa: N818 - named by what it says
    """No engine for the language, or none that works."""


def label_of(spoken: Spoken) -> Label:
    """Return the label of a call or a command."""
    return spoken.value if isinstance(spoken, VoiceCommand) else str(spoken)


def spoken_of(label: Label) -> Spoken:
    """Return the call or the command of a label; a call is that of seat 0."""
    if label in {command.value for command in VoiceCommand}:
        return VoiceCommand(label)
    return parse_call(label, 0)


# The verdict: subtract the scores of silence, drop illegal calls, then be sure, ask, or give up.

ALPHA: Final = 0.5
"""The weight of the scores of silence; 0.3 to 0.7 made no difference."""
LOWEST_SCORE: Final = -10.0
"""A label that scores lower was not said."""
SURE_MARGIN: Final = 4.0
"""How far the best label of a sure verdict is ahead of the next one."""
MOST_GUESSES: Final = 3
UNHEARD: Final = Heard("unheard", ())


def adjusted(scores: Mapping[Label, float], silence: Mapping[Label, float], alpha: float = ALPHA) -> dict[Label, float]:
    """Subtract the scores of silence. A label without a score in silence counts with the lowest score there."""
    floor = min(silence.values(), default=0.0)
    return {label: score - alpha * silence.get(label, floor) for label, score in scores.items()}


def decide(scores: Mapping[Label, float], silence: Mapping[Label, float], legal: Collection[Spoken]) -> Heard:
    """Return the verdict on a note.

    Args:
        scores: the log-probability of each label that was considered, legal or not.
        silence: the same for a silent sound.
        legal: the calls that are legal now.
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
