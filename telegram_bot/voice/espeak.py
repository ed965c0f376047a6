"""espeak-ng: a small voice for every language, in a wheel of 10 MB.

The library keeps its state in global variables and parses whatever text it is given in C, so the bot calls it in a
process of its own (`speaking_process`).
"""

from __future__ import annotations

import ctypes
import io
import shutil
import subprocess
import threading
import wave
from typing import Any, Final

from telegram_bot.voice.speaker import Sound, VoiceError

VOICES: Final = {"en": "en-us", "es": "es-419", "fr": "fr", "it": "it", "nl": "nl"}
"""The voice of each language: Spanish is that of the Americas, as in the catalogue."""
WORDS_PER_MINUTE: Final = 155
PROGRAM: Final = "espeak-ng"
PROGRAM_SECONDS: Final = 10.0

_SYNCHRONOUS: Final = 2
_DONT_EXIT: Final = 0x8000
_RATE: Final = 1
_WORD_GAP: Final = 7
_CHARACTERS: Final = 1
_UTF8: Final = 1
_OK: Final = 0

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


def espeak_voice(language: str, variant: str = "") -> str:
    """The name of the voice for a language; `variant` is another speaker, such as `f2`."""
    voice = VOICES.get(language, language)
    return f"{voice}+{variant}" if variant else voice


class EspeakLibrary:
    """The library of the wheel `espeakng-loader`, by ctypes."""

    def __init__(self) -> None:
        try:
            import espeakng_loader  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise VoiceError("espeakng-loader is not installed") from error
        try:
            self._library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
        except OSError as error:
            raise VoiceError(f"espeak-ng's library cannot be loaded: {error}") from error
        data = str(espeakng_loader.get_data_path()).encode()
        self._rate = int(self._library.espeak_Initialize(_SYNCHRONOUS, 0, data, _DONT_EXIT))
        if self._rate <= 0:
            raise VoiceError("espeak-ng's data cannot be read")
        self._samples = bytearray()
        self._callback = _Callback(self._receive)
        self._library.espeak_SetSynthCallback(self._callback)
        self._lock = threading.Lock()

    def speak(self, text: str, language: str, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> Sound:
        """The sound of a text."""
        with self._lock:
            if self._library.espeak_SetVoiceByName(espeak_voice(language, variant).encode()) != _OK:
                raise VoiceError(f"espeak-ng has no voice for {language}")
            self._library.espeak_SetParameter(_RATE, rate, 0)
            self._samples = bytearray()
            raw = text.encode()
            done = self._library.espeak_Synth(raw, len(raw) + 1, 0, _CHARACTERS, 0, _UTF8, None, None)
            if done != _OK or self._library.espeak_Synchronize() != _OK:
                raise VoiceError("espeak-ng could not say it")
            return Sound(bytes(self._samples), self._rate)

    def _receive(self, samples: Any, count: int, _events: Any) -> int:
        if samples and count > 0:
            self._samples += ctypes.string_at(samples, count * ctypes.sizeof(ctypes.c_short))
        return 0


class EspeakProgram:
    """The program `espeak-ng`, where the operating system has it and the wheel does not fit."""

    def __init__(self) -> None:
        found = shutil.which(PROGRAM)
        if found is None:
            raise VoiceError(f"the program {PROGRAM} is not installed")
        self._program = found

    def speak(self, text: str, language: str, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> Sound:
        """The sound of a text."""
        voice = espeak_voice(language, variant)
        try:
            ran = subprocess.run(  # noqa: S603 - no shell, and the text goes in by a pipe
                [self._program, "-v", voice, "-s", str(rate), "--stdin", "--stdout"],
                input=text.encode(),
                capture_output=True,
                timeout=PROGRAM_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise VoiceError(f"{PROGRAM} could not say it: {type(error).__name__}") from None
        return _wave(ran.stdout)


def _wave(file: bytes) -> Sound:
    """What a WAV file holds. One that was written to a pipe does not know its length."""
    with wave.open(io.BytesIO(file)) as sound:
        return Sound(sound.readframes(len(file)), sound.getframerate())


def espeak() -> EspeakLibrary | EspeakProgram:
    """espeak-ng in the way that works here: the wheel's library, the same everywhere, or else the program.

    Raises:
        VoiceError: neither is installed.
    """
    try:
        return EspeakLibrary()
    except VoiceError:
        return EspeakProgram()
