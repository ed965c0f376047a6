"""What a voice note can mean, and what was heard."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol, TypeAlias

from perudo_core import Call


class VoiceCommand(Enum):
    """What can be said beside the calls."""

    DICE = "dice"
    STATUS = "status"
    REPEAT = "repeat"
    CONFIRM = "confirm"
    """What the bot has heard is right: understood where the bot has just said aloud what it heard."""


Spoken: TypeAlias = Call | VoiceCommand


@dataclass(frozen=True)
class Guess:
    """What a note may say, and how likely."""

    spoken: Spoken
    score: float


@dataclass(frozen=True)
class Heard:
    """The verdict on a note; at most three guesses, best first, none if it is unheard."""

    verdict: Literal["sure", "ask", "unheard"]
    guesses: tuple[Guess, ...]


class Recogniser(Protocol):
    """An engine; it blocks, and runs in the recogniser's process."""

    def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """What was said. `pcm`: 16 kHz, mono, signed 16 bits, little endian."""


class VoiceUnavailable(Exception):  # noqa: N818
    """No engine for the language, or none installed."""


class RecogniserBusy(Exception):  # noqa: N818
    """The queue is full."""


class HearingTimeout(Exception):  # noqa: N818
    """Hearing was ended at its deadline."""
