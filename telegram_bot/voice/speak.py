"""Say a text as a voice note."""

from __future__ import annotations

import unicodedata
from typing import Final

from telegram_bot.voice.espeak import WORDS_PER_MINUTE, EspeakLibrary, EspeakProgram, espeak
from telegram_bot.voice.opus import encode_note
from telegram_bot.voice.speaker import Sound, Speaker, Voice, VoiceError

LONGEST_TEXT: Final = 1000
"""Characters: a minute and more. What is longer is not said."""

__all__ = ["EspeakSpeaker", "Speaker", "VoiceError", "VoiceSpeaker", "speakable"]


def speakable(text: str) -> str:
    """A text without control characters; raises `VoiceError` if nothing is left of it, or far too much."""
    cleaned = "".join(" " if character.isspace() else character for character in text if _is_said(character)).strip()
    if not cleaned or len(cleaned) > LONGEST_TEXT:
        raise VoiceError("there is nothing to say, or far too much")
    return cleaned


def _is_said(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) != "Cc"


def _note(sound: Sound) -> bytes:
    if not sound.pcm:
        raise VoiceError("the voice said nothing")
    return encode_note(sound.pcm, sound.rate)


class VoiceSpeaker:
    """Says everything with one voice, in this process."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def say(self, text: str, language: str) -> bytes:
        """A text as a voice note, Opus in OGG."""
        return _note(self._voice.speak(speakable(text), language))


class EspeakSpeaker:
    """Says everything with espeak-ng, in this process.

    `variant`: another speaker of espeak-ng, such as `f2` or `m3`; `rate`: words a minute.
    """

    def __init__(self, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> None:
        self._engine: EspeakLibrary | EspeakProgram = espeak()
        self._variant = variant
        self._rate = rate

    def say(self, text: str, language: str) -> bytes:
        """A text as a voice note, Opus in OGG."""
        return _note(self._engine.speak(speakable(text), language, variant=self._variant, rate=self._rate))
