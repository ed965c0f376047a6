"""One process recognises voice notes for all workers of a host: which one starts it, takes over, and has access."""

import fcntl
import os
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from errno import ENOLCK
from pathlib import Path
from typing import IO, Final

import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.confinement import Needed
from telegram_bot.errors import OperatorError
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.side_process import TooSlowError
from telegram_bot.voice.engines import hear, load_engines
from telegram_bot.voice.meanings import Spoken, VoiceCommand, VoiceUnavailable
from telegram_bot.voice.recogniser import Recogniser, _socket_path
from test_support.side_functions import hear_oddly, load_nothing
from test_support.voice_notes import spoken_pcm

LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 16) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]
NOBODY: Final = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """The socket of this test's workers; its path must be short, and pytest's own folders are not."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o777)
        yield Path(made)


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@asynccontextmanager
async def recogniser(
    folder: Path, function: Callable[..., bytes] = hear_oddly, load: Callable[[Path | None], Needed] = load_nothing
) -> AsyncIterator[Recogniser]:
    opened = Recogniser(VoiceSettings(seconds=60), folder=folder, function=function, load=load)
    try:
        yield opened
    finally:
        await opened.close()


async def pid(asked: Recogniser, wish: bytes = b"") -> int:
    heard = await asked.hear(wish, "en", LEGAL)
    return int(heard.guesses[0].score)


async def test_english_is_heard_without_a_model_and_always_asked_about(folder: Path) -> None:
    async with recogniser(folder, hear, load_engines) as ears:
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
    async with recogniser(folder) as first, recogniser(folder) as second:
        assert await pid(first) == await pid(second) == first.process.pid
        assert (first.hears_for_the_host, second.hears_for_the_host) == (True, False)
        assert second.process.pid is None
        before = first.process.pid
        await first.close()
        assert await pid(second) == second.process.pid != before


async def test_a_refusal_reaches_the_other_worker(folder: Path) -> None:
    async with recogniser(folder) as first, recogniser(folder) as second:
        await pid(first)
        with pytest.raises(VoiceUnavailable):
            await second.hear(b"refuse", "en", LEGAL)
        first.process._seconds = 0.01
        with pytest.raises(TooSlowError):
            await second.hear(b"hang", "en", LEGAL)


async def test_a_model_that_cannot_be_used_is_told_to_the_operator(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with recogniser(folder) as ears:
        with pytest.raises(VoiceUnavailable):
            await ears.hear(b"refuse", "en", LEGAL)
    assert "a voice note cannot be heard: the model has changed" in caplog.text


async def test_a_socket_of_a_killed_worker_is_no_hindrance(folder: Path) -> None:
    async with recogniser(folder) as ears:
        ears._socket.touch()
        assert await pid(ears) == ears.process.pid


async def test_switched_off_nothing_is_heard(folder: Path) -> None:
    ears = Recogniser(VoiceSettings(enabled=False), folder=folder)
    assert not ears.can_hear("en")
    with pytest.raises(VoiceUnavailable):
        await ears.hear(b"", "en", LEGAL)


async def test_nobody_else_on_the_host_may_have_notes_heard_or_read_what_is_there(folder: Path) -> None:
    """The recogniser closes a folder that was open to all before."""
    async with recogniser(folder) as ears:
        assert await ears._is_host()
        _only_ours(folder)


def _only_ours(folder: Path) -> None:
    (opened,) = folder.glob("*.sock")
    (lock,) = folder.glob("*.lock")
    assert (folder.stat().st_mode & 0o777, lock.stat().st_mode & 0o777) == (0o700, 0o600)
    with socket.socket(socket.AF_UNIX) as own:
        own.connect(str(opened))
    if os.geteuid() == 0:
        _refused_to_others(opened)


def _refused_to_others(opened: Path) -> None:
    script = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    said = subprocess.run(  # noqa: S603
        ["/usr/bin/python3", "-c", script, opened], user=NOBODY, group=NOBODY, capture_output=True, check=False
    )
    assert b"PermissionError" in said.stderr


def test_folders_of_somebody_else_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the cache's folder nor the one in /tmp, which any user may create first."""
    me = 4_000_000_001
    theirs = Path(f"/tmp/perudo-bot-{me}")  # noqa: S108
    theirs.mkdir()
    monkeypatch.setattr("os.getuid", lambda: me)
    try:
        with pytest.raises(OperatorError, match="may this user write"):
            Recogniser(VoiceSettings(), folder=tmp_path / "cache")
    finally:
        theirs.rmdir()


def test_a_cache_on_a_disk_without_locks_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(file: IO[bytes], operation: int) -> None:
        if folder in Path(f"/proc/self/fd/{file.fileno()}").readlink().parents:
            raise OSError(ENOLCK, "No locks available")
        lock(file, operation)

    lock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    assert _socket_path(folder / "cache", "").parent == Path(f"/tmp/perudo-bot-{os.getuid()}")  # noqa: S108
