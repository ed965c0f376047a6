"""What the bot awaits to have a note heard: one recogniser's process for all bot workers of a host.

A model takes up to 0.8 GB, so workers share the process. The first that has a note heard holds a lock beside a Unix
socket, starts the process, and hears for the others, which connect to the socket. When it ends, the next worker with
a note takes its place: the lock is the operating system's and dies with its holder.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import logging
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from telegram_bot.errors import StartError
from telegram_bot.settings.voice import VoiceSettings
from telegram_bot.voice import models
from telegram_bot.voice.calls import label_of
from telegram_bot.voice.engines import engine_name
from telegram_bot.voice.frames import FrameError, pack, read_frame
from telegram_bot.voice.recogniser_process import PROGRAM, Limits, RecogniserProcess
from telegram_bot.voice.spoken import Guess, Heard, HearingTimeout, RecogniserBusy, Spoken, VoiceUnavailable

log = logging.getLogger(__name__)

_LONGEST_SOCKET: Final = 100
"""Bytes of a socket's path; macOS allows 103."""
_ATTEMPTS: Final = 5
_BETWEEN_ATTEMPTS: Final = 0.1
_GRACE_SECONDS: Final = 2.0
"""How long a worker waits for the one that hears for it, beyond the limits that apply there."""
_REFUSALS: Final[dict[str, type[Exception]]] = {
    "busy": RecogniserBusy,
    "timeout": HearingTimeout,
    "unavailable": VoiceUnavailable,
}


class RecogniserClient:
    """Has notes heard: by the process of this worker, or of another one on this host."""

    def __init__(
        self,
        settings: VoiceSettings,
        *,
        folder: Path | None = None,
        program: str = PROGRAM,
        limits: Limits | None = None,
    ) -> None:
        """`folder`: where the workers of a host meet, by default one in the cache."""
        self._enabled = settings.enabled
        self._model = models.find_model(settings.model)
        self._limits = limits or Limits(settings.queue, settings.seconds, settings.idle_minutes * 60)
        self._process = RecogniserProcess(self._model, self._limits, program=program)
        self._socket = _socket_path(folder or models.cache_folder(), f"{self._model} {self._limits} {program}")
        self._lock: int | None = None
        self._server: asyncio.Server | None = None
        self._taking_over = asyncio.Lock()

    @property
    def process(self) -> RecogniserProcess:
        """The process of this worker, which runs only while this worker hears for the host."""
        return self._process

    @property
    def hears_for_the_host(self) -> bool:
        """Whether this worker is the one that others connect to."""
        return self._lock is not None

    def can_hear(self, language: str) -> bool:
        """Whether there is an engine for the language."""
        return self._enabled and engine_name(language, self._model) is not None

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """What was said; `pcm` is 16 kHz, mono, signed 16 bits.

        Raises:
            VoiceUnavailable: nothing hears the language here.
            RecogniserBusy: too many notes wait, or the process has just crashed.
            HearingTimeout: the note was not heard in time.
        """
        if not self.can_hear(language):
            raise VoiceUnavailable(language)
        possible = {label_of(spoken): spoken for spoken in legal}
        answer = await self._answer(pcm, language, list(possible))
        guesses = (Guess(possible[label], score) for label, score in answer["guesses"] if label in possible)
        return Heard(answer["verdict"], tuple(guesses))

    async def close(self) -> None:
        """End the process, if this worker has it, and let another worker hear for the host."""
        if self._server is not None:
            self._server.close()
        await self._process.close()
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._socket.unlink()
            os.close(self._lock)
            self._lock = None

    async def _answer(self, pcm: bytes, language: str, labels: list[str]) -> dict[str, Any]:
        for _ in range(_ATTEMPTS):
            if await self._hears():
                return await self._process.hear(pcm, language, labels)
            try:
                return await self._ask_the_other(pack({"language": language, "legal": labels}, pcm))
            except (OSError, EOFError, FrameError):  # it has just ended, or does not listen yet
                await asyncio.sleep(_BETWEEN_ATTEMPTS)
        raise RecogniserBusy

    async def _ask_the_other(self, question: bytes) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(str(self._socket))
        try:
            writer.write(question)
            await writer.drain()
            async with asyncio.timeout(2 * self._limits.seconds + _GRACE_SECONDS):
                answer, _ = await read_frame(reader)
        except TimeoutError:
            raise HearingTimeout from None
        finally:
            writer.close()
        if refusal := _REFUSALS.get(answer.get("refused", "")):
            raise refusal
        return answer

    async def _hears(self) -> bool:
        """Whether this worker hears for the host: it does already, or nobody else does."""
        async with self._taking_over:
            if self._lock is not None:
                return True
            lock = _try_lock(self._socket.with_suffix(".lock"))
            if lock is None:
                return False
            with contextlib.suppress(FileNotFoundError):
                self._socket.unlink()  # of a worker that was killed
            self._server = await asyncio.start_unix_server(self._serve, str(self._socket))
            self._lock = lock
            log.info("this worker hears voice notes for the host")
            return True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hear a note for another worker."""
        try:
            question, pcm = await read_frame(reader)
            writer.write(pack(await self._answer_or_refusal(pcm, question["language"], question["legal"])))
            await writer.drain()
        except (OSError, EOFError, FrameError, ValueError, KeyError) as error:
            log.warning("another worker's question was not answered: %s", type(error).__name__)
        finally:
            writer.close()

    async def _answer_or_refusal(self, pcm: bytes, language: str, labels: list[str]) -> dict[str, Any]:
        try:
            return await self._process.hear(pcm, language, labels)
        except tuple(_REFUSALS.values()) as error:
            return {"refused": next(word for word, kind in _REFUSALS.items() if isinstance(error, kind))}


def _socket_path(folder: Path, what: str) -> Path:
    """The socket of all workers with the same model and limits, in a folder that only this user can enter.

    Raises `StartError` if there is no such folder.
    """
    name = f"recogniser-{hashlib.sha256(what.encode()).hexdigest()[:12]}.sock"
    usual = [folder] if len(os.fsencode(folder / name)) <= _LONGEST_SOCKET else []
    for place in (*usual, Path("/tmp") / f"perudo-bot-{os.getuid()}"):  # noqa: S108 - only if it is this user's
        with contextlib.suppress(OSError):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.chmod(0o700)  # refused where it belongs to another user
            if place.stat().st_uid == os.getuid() and not place.is_symlink():
                return place / name
    raise StartError("voice notes need a folder for a socket: may this user write to ~/.cache/perudo-bot or to /tmp?")


def _try_lock(file: Path) -> int | None:
    """The lock's descriptor; None if another process holds it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
