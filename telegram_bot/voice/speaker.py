"""What every voice is: a text in, sound out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class VoiceError(Exception):
    """A voice that is not installed, or that could not say a text. The text itself is never quoted."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Mono sound, signed 16 bit little endian."""

    pcm: bytes
    rate: int


class Voice(Protocol):
    """A program or library that turns texts into sound. Blocking; called by one thread at a time."""

    def speak(self, text: str, language: str) -> Sound:
        """The sound of a text; raises `VoiceError`."""
        ...


class Speaker(Protocol):
    """Turns texts into voice notes. Blocking."""

    def say(self, text: str, language: str) -> bytes:
        """A text as a voice note, Opus in OGG; raises `VoiceError`."""
        ...
