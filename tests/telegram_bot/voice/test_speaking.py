"""A text becomes a voice note in Telegram's form, by espeak-ng or a better voice, and can be understood."""

import io
import json
import math
import struct
import sys
import wave
from pathlib import Path
from types import ModuleType

import av
import pytest

from perudo_core import Rules
from telegram_bot.notices import HandNotice, HeardNotice, RevealNotice
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.side_process import FunctionFailedError
from telegram_bot.tables.model import Table
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import hand_view
from telegram_bot.voice import voices
from telegram_bot.voice.speaking import LONGEST_TEXT, Speech, encode_note, note_seconds, say
from telegram_bot.voice.voices import EspeakLibrary, EspeakProgram, KokoroVoice, PiperVoice, VoiceError, open_voice
from telegram_bot.words.language_files import GRAMMARS
from test_support.spoken_english import Told, hear
from test_support.voice_notes import espeak_note
from tests.telegram_bot.conftest import EN, running_table, the_end


def test_every_language_is_spoken_in_its_own_voice_as_one_stream_of_opus_in_ogg() -> None:
    notes = [say("5 dudo.", language, "") for language in GRAMMARS]
    assert len(set(notes)) == len(notes)
    for note in notes:
        with av.open(io.BytesIO(note), "r") as container:
            assert container.format.name == "ogg"
            assert [stream.codec_context.name for stream in container.streams] == ["opus"]
            assert container.streams.audio[0].codec_context.layout.name == "mono"
        assert 0.4 < note_seconds(note) < 3
        assert len(note) < 5000 * note_seconds(note)


@pytest.mark.parametrize("seconds", [0.01, 0.06, 1.0, 7.77])
def test_the_duration_of_a_note_is_that_of_its_sound(seconds: float) -> None:
    note = encode_note(bytes(2 * int(22_050 * seconds)), 22_050)
    with av.open(io.BytesIO(note), "r") as container:
        decoded = sum(frame.samples for frame in container.decode(audio=0)) / 48_000
    assert note_seconds(note) == pytest.approx(decoded, abs=0.02)
    assert note_seconds(note) == pytest.approx(seconds, abs=0.06)


def test_what_cannot_be_said_is_told() -> None:
    for text in ("", "  \n", "a" * (LONGEST_TEXT + 1)):
        with pytest.raises(FunctionFailedError, match="nothing to say"):
            say(text, "en", "")
    with pytest.raises(FunctionFailedError, match="no voice for tlh"):
        say("nuqneH", "tlh", "")
    with pytest.raises(ValueError, match="no voice note"):
        note_seconds(b"RIFF")


def test_names_are_only_words_whatever_is_in_them() -> None:
    for name in ("[[h@'loU]]", "<speak>", "Zoë & \x00Co", "🎲🎲", "-v en --stdout", "ﷺ" * 50):
        assert note_seconds(say(f"{name} opens.", "en", "")) > 0.3


async def test_a_side_process_speaks_every_language_and_a_voice_that_is_not_there_leaves_it_to_espeak() -> None:
    speech = Speech({"en": "/no/such/kokoro"})
    try:
        for language in GRAMMARS:
            seconds = note_seconds(say("5 dudo.", language, ""))
            assert note_seconds(await speech.say("5 dudo.", language)) == pytest.approx(seconds, abs=0.1)
        assert (speech.voice_of("en"), speech.voice_of("it")) == ("/no/such/kokoro", "")
        assert speech.process.pid is not None
    finally:
        await speech.close()


RULES = Rules.preset("aces").with_options(palifico=False)


def tell(told: HandNotice | HeardNotice | RevealNotice) -> Told:
    return hear(espeak_note(spoken_text(told, EN)))


def hand(table: Table, seat: int) -> HandNotice:
    return HandNotice(view=hand_view(table, seat), player=seat + 1, title="Friends", deal=1)


def test_dice_turn_and_bids_are_understood() -> None:
    table = running_table("11255", "33666", rules=RULES)
    told = tell(hand(table, 0))
    assert (told.dice, told.my_turn, told.bids) == ((5, 5, 2, 1, 1), True, ())
    waits = tell(hand(table, 1))
    assert (waits.dice, waits.my_turn) == ((6, 6, 6, 3, 3), False)
    table = running_table("11255", "33666", rules=RULES, calls="3x4")
    for tip in (None, *Tip):
        told = tell(hand(table, 1).model_copy(update={"tip": tip}))
        assert (told.bids, told.dice, told.my_turn) == (((3, 4),), (6, 6, 6, 3, 3), True), tip


def test_the_end_of_a_round_is_understood() -> None:
    before = running_table("16", "35", rules=RULES, calls="2x6")
    told = tell(RevealNotice(view=the_end(before)[0], seat=0))
    assert told.text.startswith("dudo bo doubts ana's two sixes ana has one six and one one there are exactly two")
    assert "the bid holds bo loses a die" in told.text


@pytest.mark.parametrize(("call", "meant"), [("3x5", (3, 5)), ("1x6", (1, 6)), ("dudo", "dudo")])
def test_what_was_heard_is_understood(call: str, meant: object) -> None:
    asked = HeardNotice(table=1, step=1, player=1, name="Ana", private=True, guesses=(call,))
    assert tell(asked).heard == meant


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
