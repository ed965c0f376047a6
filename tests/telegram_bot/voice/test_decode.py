"""A process of its own decodes a voice note, with any file that a stranger may send."""

import io
import itertools
import os
from array import array
from contextlib import suppress

import psutil
import pytest

from telegram_bot.voice import decode_child
from telegram_bot.voice.decode import SECONDS, NotAVoiceNote, NoteProblem, decode
from test_support.voice_notes import claiming, silence_of, voice_note
from tests.telegram_bot.test_confinement import in_the_decoder

NOTE = voice_note(2)
MOST = decode_child.LONGEST_SECONDS * decode_child.RATE * 2


async def refusal(note: bytes) -> NoteProblem:
    with pytest.raises(NotAVoiceNote) as refused:
        await decode(note)
    return refused.value.reason


async def test_a_note_becomes_pcm_of_the_same_length_and_sound() -> None:
    pcm = await decode(NOTE)
    assert len(pcm) / 2 / decode_child.RATE == pytest.approx(2, abs=0.05)
    risings = sum(a < 0 <= b for a, b in itertools.pairwise(array("h", pcm)))
    assert risings == pytest.approx(2 * 440, rel=0.02), "the tone of 440 Hz"


@pytest.mark.parametrize(
    "note",
    [
        b"",
        NOTE[:60],
        voice_note(0.2, codec="libmp3lame", form="mp3"),
        voice_note(0.2, codec="pcm_s16le", form="wav"),
        voice_note(0.2, codec="flac"),
        voice_note(0.2, form="webm"),
        voice_note(0.2, streams=2),
    ],
    ids=["empty", "cut in the header", "MP3", "WAV", "FLAC in OGG", "Opus in WebM", "two streams"],
)
def test_what_is_no_ogg_with_one_stream_of_opus_is_refused(note: bytes) -> None:
    with pytest.raises(decode_child.NotOggOpusError):
        decode_child.decode(note, io.BytesIO())


async def test_the_process_says_that_a_file_is_no_voice_note() -> None:
    assert await refusal(b"five fours" * 100) is NoteProblem.NOT_OGG_OPUS


async def test_of_an_hour_in_a_megabyte_the_first_seconds_are_decoded() -> None:
    hour = silence_of(3600)
    assert len(hour) < 1_000_000
    before = os.times().children_user
    assert len(await decode(hour)) == MOST
    assert os.times().children_user - before < SECONDS


async def test_a_file_that_claims_44_gigabytes_gets_no_more_memory_than_its_sound_needs() -> None:
    claims = claiming(NOTE, samples=44_000_000_000 // 2, comment_bytes=0xFFFFFFFF)
    assert claims != NOTE
    with suppress(NotAVoiceNote):  # either is right
        assert len(await decode(claims)) <= MOST


async def test_a_truncated_note_is_decoded_as_far_as_it_goes() -> None:
    assert 0 < len(await decode(NOTE[: len(NOTE) // 2])) < 2 * 2 * decode_child.RATE


async def test_the_child_is_confined_and_knows_nothing_of_the_bot_but_what_confines_it() -> None:
    known = "print(','.join(module for module in sys.modules if 'bot' in module))"
    said = await in_the_decoder("bytearray(2 << 30)", known, "import os; os.fork() or os._exit(0)")
    assert said[:3] == ["MemoryError", "telegram_bot,telegram_bot.confinement", "done"]
    assert said[3:] == ["BlockingIOError"] or not os.geteuid(), "the limit of processes does not bind root"


async def test_a_child_that_hangs_is_killed_in_time_with_what_it_has_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hanging = tmp_path_factory.mktemp("child") / "hang.py"
    hanging.write_text("import os, time\nos.fork()\nopen(f'{__file__}.{os.getpid()}', 'w')\ntime.sleep(600)\n")
    monkeypatch.setattr("telegram_bot.voice.decode.CHILD", hanging)
    monkeypatch.setattr("telegram_bot.voice.decode.SECONDS", 0.5)
    with pytest.raises(TimeoutError):
        await decode(NOTE)
    pids = [int(file.suffix[1:]) for file in hanging.parent.glob("hang.py.*")]
    assert len(pids) == 2
    for pid in filter(psutil.pid_exists, pids):  # a dead one whose parent has died is there for a moment
        psutil.Process(pid).wait(30)
