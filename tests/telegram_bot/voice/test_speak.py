"""espeak-ng says a text, and the note is what Telegram shows as a voice note."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import av
import pytest

from telegram_bot.voice import espeak
from telegram_bot.voice.espeak import EspeakProgram
from telegram_bot.voice.opus import encode_note, note_seconds
from telegram_bot.voice.speak import LONGEST_TEXT, EspeakSpeaker
from telegram_bot.voice.speaker import VoiceError

LANGUAGES = ("en", "es", "fr", "it", "nl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_spoken_as_one_stream_of_opus_in_ogg(language: str) -> None:
    note = EspeakSpeaker().say("5 dudo.", language)
    with av.open(io.BytesIO(note), "r") as container:
        assert container.format.name == "ogg"
        assert [stream.codec_context.name for stream in container.streams] == ["opus"]
        assert container.streams.audio[0].codec_context.layout.name == "mono"
    assert 0.4 < note_seconds(note) < 3
    assert len(note) < 5000 * note_seconds(note)


def test_languages_and_speakers_sound_different() -> None:
    notes = [EspeakSpeaker().say("5 dudo.", language) for language in LANGUAGES]
    notes.append(EspeakSpeaker(variant="f2").say("5 dudo.", "en"))
    assert len(set(notes)) == len(notes)


@pytest.mark.parametrize("seconds", [0.01, 0.06, 1.0, 7.77])
def test_the_duration_of_a_note_is_that_of_its_sound(seconds: float) -> None:
    note = encode_note(bytes(2 * int(22_050 * seconds)), 22_050)
    with av.open(io.BytesIO(note), "r") as container:
        decoded = sum(frame.samples for frame in container.decode(audio=0)) / 48_000
    assert note_seconds(note) == pytest.approx(decoded, abs=0.02)
    assert note_seconds(note) == pytest.approx(seconds, abs=0.06)


@pytest.mark.parametrize("text", ["", "  \n", "a" * (LONGEST_TEXT + 1)])
def test_nothing_and_far_too_much_are_not_said(text: str) -> None:
    with pytest.raises(VoiceError):
        EspeakSpeaker().say(text, "en")


def test_names_are_only_words_whatever_is_in_them() -> None:
    speaker = EspeakSpeaker()
    for name in ("[[h@'loU]]", "<speak>", "Zoë & \x00Co", "🎲🎲", "-v en --stdout", "ﷺ" * 50):
        assert note_seconds(speaker.say(f"{name} opens.", "en")) > 0.3


def test_a_language_without_a_voice_is_told() -> None:
    with pytest.raises(VoiceError, match="no voice for tlh"):
        EspeakSpeaker().say("nuqneH", "tlh")


def test_what_is_no_note_has_no_duration() -> None:
    with pytest.raises(ValueError, match="no voice note"):
        note_seconds(b"RIFF")


def test_the_program_is_used_as_its_manual_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in notes how it was called: the real program is not on every machine that runs the tests."""
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
    assert (tmp_path / "asked").read_text().strip() == f"-v fr -s {espeak.WORDS_PER_MINUTE} --stdin --stdout"
    assert (tmp_path / "text").read_text() == "cinq quatre"
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(VoiceError):
        EspeakProgram().speak("cinq quatre", "fr")
