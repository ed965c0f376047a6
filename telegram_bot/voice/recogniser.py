"""Recognise voice notes by one side process for all bot workers of a host.

A model takes up to 0.8 GB, so workers share the process. The first worker with a note takes a lock next to a Unix
socket, starts the process, and serves the other workers over the socket. When it ends, the next worker with a note
takes over: the operating system releases the lock of a dead process.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import json
import logging
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from telegram_bot.confinement import Needed
from telegram_bot.errors import OperatorError
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.side_process import BusyError, FunctionFailedError, SideProcess, SideProcessError, TooSlowError
from telegram_bot.voice.engines import engine_name, hear, load_engines
from telegram_bot.voice.meanings import Guess, Heard, Label, Spoken, VoiceUnavailable, label_of
from telegram_bot.voice.models import cache_folder, find_model

log = logging.getLogger(__name__)

NICENESS: Final = 5
"""Below the bot's: taps are answered during recognition. At 10, a busy host never finished a note in time."""
_LARGEST_LINE: Final = 1 << 20
"""Bytes of a question or an answer between workers; a note of twelve seconds has half a megabyte."""
_LONGEST_SOCKET: Final = 100
"""Bytes of a socket's path; macOS allows 103."""
_ATTEMPTS: Final = 5
_BETWEEN_ATTEMPTS: Final = 0.1
_GRACE_SECONDS: Final = 2.0
"""How long a worker waits for the serving worker, beyond the limits that apply there."""
_MOST_WAITING: Final = 8
"""How many notes wait; the senders of further ones are asked to tap or type."""
_IDLE_SECONDS: Final = 600
"""Without a note for so long the model leaves the memory."""
_REFUSALS: Final = {error.__name__: error for error in (BusyError, TooSlowError, VoiceUnavailable)}


class Recogniser:
    """Recognises notes: by the process of this worker, or of another one on this host."""

    def __init__(
        self,
        settings: VoiceSettings,
        *,
        folder: Path | None = None,
        function: Callable[[Path | None, str, Sequence[Label], bytes], bytes] = hear,
        load: Callable[[Path | None], Needed] = load_engines,
    ) -> None:
        """`folder`: contains the socket, by default in the cache; `load`, `function`: the recognition."""
        self._enabled = settings.enabled
        self._seconds = settings.seconds
        self._model = find_model(settings.model)
        self.process = SideProcess(
            function,
            seconds=settings.seconds,
            prepare=partial(load, self._model),
            most_waiting=_MOST_WAITING,
            idle_seconds=_IDLE_SECONDS,
            niceness=NICENESS,
        )
        """Runs only while this worker serves the host."""
        self._socket = _socket_path(folder or cache_folder(), f"{self._model} {settings}")
        self._lock: int | None = None
        self._server: asyncio.Server | None = None
        self._taking_over = asyncio.Lock()

    @property
    def hears_for_the_host(self) -> bool:
        """True if this is the worker that others connect to."""
        return self._lock is not None

    def can_hear(self, language: str) -> bool:
        """Return True if there is an engine for the language."""
        return self._enabled and engine_name(language, self._model) is not None

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Recognise a note; `pcm` is 16 kHz, mono, signed 16 bits.

        Raises:
            VoiceUnavailable: there is no engine for the language here.
            SideProcessError: too many notes wait, the process has died, or recognition took too long.
        """
        if not self.can_hear(language):
            raise VoiceUnavailable(language)
        possible = {label_of(spoken): spoken for spoken in legal}
        answer = await self._answer(language, list(possible), pcm)
        guesses = (Guess(possible[label], score) for label, score in answer["guesses"] if label in possible)
        return Heard(answer["verdict"], tuple(guesses))

    async def close(self) -> None:
        """End the process, if this worker has it, and let another worker serve the host."""
        if self._server is not None:
            self._server.close()
        await self.process.close()
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._socket.unlink()
            os.close(self._lock)
            self._lock = None

    async def _answer(self, language: str, labels: Sequence[Label], pcm: bytes) -> dict[str, Any]:
        for _ in range(_ATTEMPTS):
            if await self._is_host():
                return await self._hear(language, labels, pcm)
            try:
                return await self._ask_the_host(language, labels, pcm)
            except (OSError, ValueError):  # it has just ended, or does not listen yet
                await asyncio.sleep(_BETWEEN_ATTEMPTS)
        raise BusyError("no worker hears")

    async def _hear(self, language: str, labels: Sequence[Label], pcm: bytes) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(await self.process.ask(self._model, language, labels, pcm))
        except FunctionFailedError as error:
            log.error("a voice note cannot be heard: %s", error)  # noqa: TRY400 - a traceback tells no more
            raise VoiceUnavailable(str(error)) from None
        return answer

    async def _ask_the_host(self, language: str, labels: Sequence[Label], pcm: bytes) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=_LARGEST_LINE)
        try:
            question = {"language": language, "legal": labels, "sound": b64encode(pcm).decode()}
            writer.write(json.dumps(question).encode() + b"\n")
            await writer.drain()
            async with asyncio.timeout(2 * self._seconds + _GRACE_SECONDS):
                answer: dict[str, Any] = json.loads(await reader.readline())
        except TimeoutError:
            raise TooSlowError("no answer in time") from None
        finally:
            writer.close()
        if "refused" in answer:
            raise _REFUSALS[answer["refused"]](answer["refused"])
        return answer

    async def _is_host(self) -> bool:
        """Return True if this worker serves the host, now or from now on."""
        async with self._taking_over:
            if self._lock is not None:
                return True
            lock = _try_lock(self._socket.with_suffix(".lock"))
            if lock is None:
                return False
            with contextlib.suppress(FileNotFoundError):
                self._socket.unlink()  # the socket of a killed worker
            self._server = await asyncio.start_unix_server(self._serve, str(self._socket), limit=_LARGEST_LINE)
            self._lock = lock
            log.info("this worker hears voice notes for the host")
            return True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Recognise a note for another worker."""
        try:
            question = json.loads(await reader.readline())
            try:
                answer = await self._hear(question["language"], question["legal"], b64decode(question["sound"]))
            except (SideProcessError, VoiceUnavailable) as error:
                answer = {"refused": type(error).__name__}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except (OSError, ValueError, KeyError) as error:
            log.warning("another worker's question was not answered: %s", type(error).__name__)
        finally:
            writer.close()


def _socket_path(folder: Path, what: str) -> Path:
    """Return the socket of all workers with the same model and limits, in a folder that only this user can enter.

    The folder's disk can lock files: many network disks cannot.

    Raises `OperatorError` if there is no such folder.
    """
    name = f"recogniser-{hashlib.sha256(what.encode()).hexdigest()[:12]}.sock"
    usual = [folder] if len(os.fsencode(folder / name)) <= _LONGEST_SOCKET else []
    for place in (*usual, Path("/tmp") / f"perudo-bot-{os.getuid()}"):  # noqa: S108 - only if it is this user's
        with contextlib.suppress(OSError):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.chmod(0o700)  # refused if it belongs to another user
            if place.stat().st_uid == os.getuid() and not place.is_symlink():
                with TemporaryFile(dir=place) as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return place / name
    raise OperatorError(
        "voice notes need a folder for a socket and a lock: may this user write to ~/.cache/perudo-bot or to /tmp, "
        "and does the disk there lock files?"
    )


def _try_lock(file: Path) -> int | None:
    """Return the lock's descriptor, or None if another process has the lock."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
