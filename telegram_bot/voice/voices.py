"""Open the voice that the settings name."""

from __future__ import annotations

from importlib.util import find_spec
from shutil import which

from telegram_bot.voice.espeak import PROGRAM, espeak
from telegram_bot.voice.speaker import Voice, VoiceError


def open_voice(name: str) -> Voice:
    """A voice by its name in the settings; nothing stands for espeak-ng. Raises `VoiceError` if it cannot be used."""
    if name in ("", "espeak-ng"):
        return espeak()
    raise VoiceError(f"there is no voice {name}")


def can_speak() -> bool:
    """Whether this installation can say anything: Opus, and espeak-ng at least."""
    return find_spec("av") is not None and (find_spec("espeakng_loader") is not None or which(PROGRAM) is not None)
