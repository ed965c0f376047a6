"""A text becomes a voice note in Telegram's form, by espeak-ng or a better voice."""

import io

import av
import pytest

from telegram_bot.side_process import FunctionFailedError
from telegram_bot.voice.speaking import LONGEST_TEXT, Speech, encode_note, note_seconds, say
from telegram_bot.words.language_files import GRAMMARS


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
