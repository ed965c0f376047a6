"""Speech synthesis: espeak-ng, or a better voice of Kokoro or Piper if installed.

espeak-ng is a small voice for every language, in a wheel of 10 MB. Its library keeps its state in global variables and
parses untrusted text in C, so the bot uses it in a side process.
"""

from __future__ import annotations

import ctypes
import io
import math
import shutil
import struct
import subprocess
import sys
import threading
import wave
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import PositiveInt, TypeAdapter

from telegram_bot.voice.models import kokoro_folder
from telegram_bot.words.language_files import GRAMMARS, read_grammar

PIPER: Final = "piper"
KOKORO: Final = "kokoro"
_LOUDEST: Final = 32767

_VOICES: Final = {language: read_grammar(language)["voice"] for language in GRAMMARS}
"""The voices of each language, read early: the process that speaks cannot open files later."""
WORDS_PER_MINUTE: Final = 155
ESPEAK: Final = "espeak-ng"
PROGRAM_SECONDS: Final = 20.0

_SYNCHRONOUS: Final = 2
_DONT_EXIT: Final = 0x8000
_RATE: Final = 1
_CHARACTERS: Final = 1
_UTF8: Final = 1
_OK: Final = 0

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class VoiceError(Exception):
    """A voice is not installed, or could not speak a text. The message does not quote the text."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Mono sound, signed 16 bit little endian."""

    pcm: bytes
    rate: int


class Voice(Protocol):
    """A program or library that turns texts into sound. Blocking; called by one thread at a time."""

    def speak(self, text: str, language: str) -> Sound:
        """Return the sound of a text; raises `VoiceError`."""
        ...


def open_voice(name: str) -> Voice:
    """Return a voice by its name in the settings: empty or `espeak-ng`, a file of Piper's, `kokoro`, or its folder.

    Raises:
        VoiceError: it cannot be used here.
    """
    if name in ("", ESPEAK):
        return espeak()
    place = kokoro_folder() if name == KOKORO else Path(name).expanduser()
    if place.suffix == ".onnx":
        return PiperVoice(place)
    return KokoroVoice(place)


def can_speak() -> bool:
    """Return True if this installation can speak: it has Opus, and espeak-ng at least."""
    return find_spec("av") is not None and (
        find_spec("espeakng_loader") is not None or shutil.which(ESPEAK) is not None
    )


def espeak() -> EspeakLibrary | EspeakProgram:
    """Return espeak-ng: the wheel's library, which is the same everywhere, or else the program.

    Raises:
        VoiceError: neither is installed.
    """
    try:
        return EspeakLibrary()
    except VoiceError:
        return EspeakProgram()


def espeak_voice(language: str, variant: str = "") -> str:
    """Return the name of the voice for a language; `variant` is another speaker, such as `f2`."""
    voice = _VOICES[language]["espeak"] if language in _VOICES else language
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
        self.data = Path(espeakng_loader.get_data_path())
        self._rate = int(self._library.espeak_Initialize(_SYNCHRONOUS, 0, str(self.data).encode(), _DONT_EXIT))
        if self._rate <= 0:
            raise VoiceError("espeak-ng's data cannot be read")
        self._samples = bytearray()
        self._callback = _Callback(self._receive)
        self._library.espeak_SetSynthCallback(self._callback)
        self._lock = threading.Lock()

    def speak(self, text: str, language: str, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> Sound:
        """Return the sound of a text."""
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
    """The program `espeak-ng` of the operating system, if the wheel does not fit."""

    def __init__(self) -> None:
        found = shutil.which(ESPEAK)
        if found is None:
            raise VoiceError(f"the program {ESPEAK} is not installed")
        self._program = found

    def speak(self, text: str, language: str, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> Sound:
        """Return the sound of a text."""
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
            raise VoiceError(f"{ESPEAK} could not say it: {type(error).__name__}") from None
        with wave.open(io.BytesIO(ran.stdout)) as sound:  # a file written to a pipe lacks its length
            return Sound(sound.readframes(len(ran.stdout)), sound.getframerate())


@dataclass(frozen=True, slots=True)
class _PiperAudio:
    sample_rate: PositiveInt


@dataclass(frozen=True, slots=True)
class _AboutPiper:
    audio: _PiperAudio


_ABOUT_PIPER: Final = TypeAdapter(_AboutPiper)


class PiperVoice:
    """A voice of Piper, by its program, which is under the GPL: of the bot's extra `piper`, or on the PATH."""

    def __init__(self, model: Path) -> None:
        # A service has no PATH with its own environment, and Debian has another program of this name.
        beside = Path(sys.executable).with_name(PIPER)
        program = shutil.which(beside) or shutil.which(PIPER)
        if program is None:
            raise VoiceError("the program piper is not installed: it is in the bot's extra piper")
        try:
            about = _ABOUT_PIPER.validate_json(model.with_name(f"{model.name}.json").read_bytes())
        except (OSError, ValueError):
            raise VoiceError(
                f"next to {model.name} there must be {model.name}.json, which has its sample rate"
            ) from None
        self._rate = about.audio.sample_rate
        self._command = [program, "--model", str(model), "--output-raw"]

    def speak(self, text: str, language: str) -> Sound:  # noqa: ARG002 - a model speaks one language
        """Return the sound of a text. The program loads the model each time."""
        try:
            line = f"{text}\n".encode()
            ran = subprocess.run(self._command, input=line, capture_output=True, timeout=PROGRAM_SECONDS, check=True)  # noqa: S603 - no shell
        except (OSError, subprocess.SubprocessError) as error:
            raise VoiceError(f"piper could not say it: {type(error).__name__}") from None
        return Sound(ran.stdout, self._rate)


class KokoroVoice:
    """The voices of Kokoro, by the package `kokoro-onnx`: a folder with its model and its file of voices."""

    def __init__(self, folder: Path) -> None:
        try:
            from kokoro_onnx import Kokoro  # noqa: PLC0415 - an extra
        except ImportError:
            raise VoiceError("kokoro-onnx is not installed: it is in the bot's extra kokoro") from None
        models, voices = sorted(folder.glob("*.onnx")), sorted(folder.glob("voices*"))
        if not models or not voices:
            raise VoiceError(f"{folder.name} does not contain Kokoro: a file .onnx and a file voices-….bin")
        self._kokoro: Any = Kokoro(str(models[0]), str(voices[0]))

    def speak(self, text: str, language: str) -> Sound:
        """Return the sound of a text."""
        if "kokoro" not in _VOICES.get(language, {}):
            raise VoiceError(f"Kokoro has no voice for {language}")
        voice, phonemes = _VOICES[language]["kokoro"]
        samples, rate = self._kokoro.create(text, voice=voice, lang=phonemes)
        values = [float(sample) for sample in samples]
        if any(map(math.isnan, values)):
            # The model in half precision produces invalid numbers for some sentences.
            raise VoiceError("Kokoro could not say it")
        loud = (round(max(-1.0, min(1.0, value)) * _LOUDEST) for value in values)
        return Sound(struct.pack(f"<{len(values)}h", *loud), int(rate))
