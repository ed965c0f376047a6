"""The voices. Better ones are too large for the tests: programs and packages of the same shape replace them."""

import io
import json
import math
import struct
import sys
import wave
from pathlib import Path
from types import ModuleType

import pytest

from telegram_bot.voice import voices
from telegram_bot.voice.voices import EspeakLibrary, EspeakProgram, KokoroVoice, PiperVoice, VoiceError, open_voice


class FakeKokoro:
    """Returns two samples, one of them too loud, and NaN for some sentences, as the half-precision model does."""

    def __init__(self, model_path: str, voices_path: str) -> None:
        self.files = Path(model_path).name, Path(voices_path).name

    def create(self, text: str, voice: str, lang: str) -> tuple[list[float], int]:
        assert (voice, lang) == ("if_sara", "it")
        return ([math.nan] if "rotto" in text else [0.25, -2.0]), 24_000


@pytest.fixture
def kokoro(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = ModuleType("kokoro_onnx")
    package.Kokoro = FakeKokoro  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "kokoro_onnx", package)
    (tmp_path / "kokoro-v1.0.fp16.onnx").touch()
    (tmp_path / "voices-v1.0.bin").touch()
    return tmp_path


def test_espeak_is_there_without_a_choice() -> None:
    assert voices.can_speak()
    assert all(isinstance(open_voice(choice), EspeakLibrary) for choice in ("", "espeak-ng"))


def test_the_program_is_used_as_its_manual_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A substitute records its arguments: not every machine that runs the tests has the real program."""
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22_050)
        file.writeframes(b"\x01\x02" * 2205)
    (tmp_path / "out.wav").write_bytes(sound.getvalue())
    program = tmp_path / "espeak-ng"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat > {tmp_path}/text\ncat {tmp_path}/out.wav\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    spoken = EspeakProgram().speak("cinq quatre", "fr")
    assert (spoken.rate, len(spoken.pcm)) == (22_050, 4410)
    assert (tmp_path / "asked").read_text().strip() == f"-v fr -s {voices.WORDS_PER_MINUTE} --stdin --stdout"
    assert (tmp_path / "text").read_text() == "cinq quatre"
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(VoiceError):
        EspeakProgram().speak("cinq quatre", "fr")


def test_kokoro_speaks_its_languages_and_says_what_is_missing(kokoro: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = open_voice(str(kokoro))
    assert isinstance(voice, KokoroVoice)
    sound = voice.speak("cinque quattro", "it")
    assert (sound.rate, sound.pcm) == (24_000, struct.pack("<2h", 8192, -32767))
    with pytest.raises(VoiceError, match="no voice for nl"):
        voice.speak("vijf vieren", "nl")
    with pytest.raises(VoiceError, match="could not say"):
        voice.speak("rotto", "it")
    (kokoro / "voices-v1.0.bin").unlink()
    with pytest.raises(VoiceError, match="does not contain Kokoro"):
        open_voice(str(kokoro))
    monkeypatch.setitem(sys.modules, "kokoro_onnx", None)
    with pytest.raises(VoiceError, match="extra kokoro"):
        open_voice(str(kokoro))


def test_piper_is_called_as_its_help_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "nl_NL-mls-medium.onnx"
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin/python"))
    monkeypatch.setenv("PATH", f"{tmp_path}")
    with pytest.raises(VoiceError, match="extra piper"):
        open_voice(str(model))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    program = tmp_path / "bin/piper"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat > {tmp_path}/text\nprintf abcd\n')
    program.chmod(0o755)
    with pytest.raises(VoiceError, match="sample rate"):
        open_voice(str(model))
    Path(f"{model}.json").write_text(json.dumps({"audio": {"sample_rate": 22050}}))
    voice = open_voice(str(model))
    assert isinstance(voice, PiperVoice)
    sound = voice.speak("vijf vieren", "nl")
    assert (sound.rate, sound.pcm) == (22_050, b"abcd")
    assert (tmp_path / "asked").read_text().strip() == f"--model {model} --output-raw"
    assert (tmp_path / "text").read_text() == "vijf vieren\n"
    program.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(VoiceError, match="could not say"):
        voice.speak("vijf vieren", "nl")
