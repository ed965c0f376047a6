"""Open the voice that the settings name: espeak-ng, or a better one of Kokoro or Piper that is installed."""

from __future__ import annotations

import json
import math
import shutil
import struct
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from telegram_bot.voice.espeak import PROGRAM, espeak
from telegram_bot.voice.models import kokoro_folder
from telegram_bot.voice.speaker import Sound, Voice, VoiceError

ESPEAK: Final = "espeak-ng"
PIPER: Final = "piper"
KOKORO: Final = "kokoro"
PIPER_SECONDS: Final = 20.0
KOKORO_VOICES: Final = {
    "en": ("af_heart", "en-us"),
    "es": ("ef_dora", "es-419"),
    "fr": ("ff_siwis", "fr-fr"),
    "it": ("if_sara", "it"),
}
"""For each language a voice of Kokoro 1.0, and how its words are turned into phonemes. It has none for Dutch."""
_LOUDEST: Final = 32767


def open_voice(name: str) -> Voice:
    """A voice by its name in the settings: nothing or `espeak-ng`, a file of Piper's, `kokoro`, or a folder with it.

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
    """Whether this installation can say anything: Opus, and espeak-ng at least."""
    return find_spec("av") is not None and (
        find_spec("espeakng_loader") is not None or shutil.which(PROGRAM) is not None
    )


class PiperVoice:
    """A voice of Piper, by its program: `piper` is under the GPL and a package of its own, `pip install piper-tts`."""

    def __init__(self, model: Path) -> None:
        program = shutil.which(PIPER)
        if program is None:
            raise VoiceError("the program piper is not installed: pip install piper-tts")
        try:
            about = json.loads(model.with_name(f"{model.name}.json").read_text(encoding="utf-8"))
            self._rate = int(about["audio"]["sample_rate"])
        except (OSError, ValueError, KeyError, TypeError):
            raise VoiceError(
                f"beside {model.name} there must be {model.name}.json, which tells its sample rate"
            ) from None
        self._command = [program, "--model", str(model), "--output-raw"]

    def speak(self, text: str, language: str) -> Sound:  # noqa: ARG002 - a model speaks one language
        """The sound of a text. The program loads the model each time."""
        try:
            line = f"{text}\n".encode()
            ran = subprocess.run(self._command, input=line, capture_output=True, timeout=PIPER_SECONDS, check=True)  # noqa: S603 - no shell
        except (OSError, subprocess.SubprocessError) as error:
            raise VoiceError(f"piper could not say it: {type(error).__name__}") from None
        return Sound(ran.stdout, self._rate)


class KokoroVoice:
    """The voices of Kokoro, by the package `kokoro-onnx`: a folder with its model and its file of voices."""

    def __init__(self, folder: Path) -> None:
        try:
            from kokoro_onnx import Kokoro  # noqa: PLC0415 - a package of the operator's choice
        except ImportError:
            raise VoiceError("kokoro-onnx is not installed: pip install kokoro-onnx") from None
        models, voices = sorted(folder.glob("*.onnx")), sorted(folder.glob("voices*"))
        if not models or not voices:
            raise VoiceError(f"{folder.name} does not contain Kokoro: a file .onnx and a file voices-….bin")
        self._kokoro: Any = Kokoro(str(models[0]), str(voices[0]))

    def speak(self, text: str, language: str) -> Sound:
        """The sound of a text."""
        if language not in KOKORO_VOICES:
            raise VoiceError(f"Kokoro has no voice for {language}")
        voice, phonemes = KOKORO_VOICES[language]
        samples, rate = self._kokoro.create(text, voice=voice, lang=phonemes)
        values = [float(sample) for sample in samples]
        if any(map(math.isnan, values)):
            # The model in half precision says some sentences with numbers that are none.
            raise VoiceError("Kokoro could not say it")
        loud = (round(max(-1.0, min(1.0, value)) * _LOUDEST) for value in values)
        return Sound(struct.pack(f"<{len(values)}h", *loud), int(rate))
