"""The recogniser's process: English that is really heard, and what happens when the process hangs, dies or is idle."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.settings.voice import VoiceSettings
from telegram_bot.voice.recogniser_process import PROGRAM, Limits
from telegram_bot.voice.spoken import HearingTimeout, RecogniserBusy, Spoken, VoiceCommand, VoiceUnavailable
from telegram_bot.voice.worker import RecogniserClient
from test_support.voice_notes import spoken_pcm

LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 16) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]
ODD = "test_support.odd_recogniser"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where this test's workers meet; the path of a socket must be short, and pytest's own folders are not."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@asynccontextmanager
async def client(folder: Path, *, program: str = ODD, **limits: float) -> AsyncIterator[RecogniserClient]:
    given = Limits(**{"seconds": 60.0, **limits})  # type: ignore[arg-type]  # it is nice, and tests fill both cores
    opened = RecogniserClient(VoiceSettings(), folder=folder, limits=given, program=program)
    try:
        yield opened
    finally:
        await opened.close()


async def pid(asked: RecogniserClient, wish: bytes = b"") -> int:
    heard = await asked.hear(wish, "en", LEGAL)
    return int(heard.guesses[0].score)


async def test_english_is_heard_without_a_model_and_always_asked_about(folder: Path) -> None:
    async with client(folder, program=PROGRAM) as ears:
        for text, meant in (("five fours", "5x4"), ("I say seven twos", "7x2"), ("liar", "dudo"), ("exactly", "calza")):
            heard = await ears.hear(spoken_pcm(text, rate=120), "en", LEGAL)
            assert heard.verdict == "ask"
            assert meant in [str(guess.spoken) for guess in heard.guesses], text
            assert len(heard.guesses) <= 3
        assert (await ears.hear(bytes(32000), "en", LEGAL)).verdict == "unheard"
        assert not ears.can_hear("fr")
        with pytest.raises(VoiceUnavailable):
            await ears.hear(bytes(32000), "fr", LEGAL)


async def test_workers_share_one_process_and_the_next_takes_over(folder: Path) -> None:
    async with client(folder) as first, client(folder) as second:
        assert await pid(first) == await pid(second) == first.process.pid
        assert (first.hears_for_the_host, second.hears_for_the_host) == (True, False)
        assert second.process.pid is None
        before = first.process.pid
        await first.close()
        assert await pid(second) == second.process.pid != before


async def test_a_refusal_reaches_the_other_worker(folder: Path) -> None:
    async with client(folder, seconds=0.7) as first, client(folder, seconds=0.7) as second:
        await pid(first)
        with pytest.raises(HearingTimeout):
            await second.hear(b"hang", "en", LEGAL)


async def test_a_socket_of_a_killed_worker_is_no_hindrance(folder: Path) -> None:
    async with client(folder) as ears:
        ears._socket.touch()
        assert await pid(ears) == ears.process.pid


async def test_a_note_that_hangs_is_killed_and_the_others_are_answered(folder: Path) -> None:
    async with client(folder, seconds=1.5) as ears:
        before = await pid(ears)
        hanging = asyncio.create_task(ears.hear(b"hang", "en", LEGAL))
        await asyncio.sleep(0.3)
        later = await asyncio.gather(*(pid(ears) for _ in range(2)))
        with pytest.raises(HearingTimeout):
            await hanging
        assert before not in later
        assert not psutil.pid_exists(before)


async def test_more_than_the_queue_holds_are_refused_at_once(folder: Path) -> None:
    async with client(folder, queue=2) as ears:
        await pid(ears)
        found = await asyncio.gather(*(ears.hear(b"slow", "en", LEGAL) for _ in range(5)), return_exceptions=True)
        assert [type(each).__name__ for each in found].count("RecogniserBusy") == 2


async def test_a_crash_is_followed_by_a_pause_and_a_new_process(folder: Path) -> None:
    async with client(folder) as ears:
        before = await pid(ears)
        for wish in (b"die", b""):  # while it pauses nothing is heard
            with pytest.raises(RecogniserBusy):
                await ears.hear(wish, "en", LEGAL)
        await asyncio.sleep(0.6)
        assert await pid(ears) not in {before, os.getpid()}


async def test_an_idle_process_ends_and_a_note_starts_it_again(folder: Path) -> None:
    async with client(folder, idle_seconds=0.2) as ears:
        process = psutil.Process(await pid(ears))
        await asyncio.sleep(0.3)
        assert ears.process.pid is None
        assert await asyncio.to_thread(process.wait, 5) in {0, None}
        assert await pid(ears) != process.pid


async def test_the_process_sees_no_secret_and_is_nice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", "123456:secret")
    async with client(folder, program=PROGRAM) as ears:
        await ears.hear(bytes(3200), "en", LEGAL)
        assert ears.process.pid is not None
        process = psutil.Process(ears.process.pid)
        environment = process.environ()
        assert "PERUDO_TOKEN" not in environment
        assert environment["HF_HUB_OFFLINE"] == "1"
        assert process.nice() >= 5


async def test_switched_off_nothing_is_heard(folder: Path) -> None:
    ears = RecogniserClient(VoiceSettings(enabled=False), folder=folder)
    assert not ears.can_hear("en")
    with pytest.raises(VoiceUnavailable):
        await ears.hear(b"", "en", LEGAL)
