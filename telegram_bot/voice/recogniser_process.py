"""One recogniser's process: its queue, the deadline of a note, its restart after a crash, its end when idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from telegram_bot.voice.frames import FrameError, pack, read_frame
from telegram_bot.voice.spoken import HearingTimeout, RecogniserBusy, VoiceUnavailable

log = logging.getLogger(__name__)

PROGRAM: Final = "telegram_bot.voice.recogniser_program"
_KEPT: Final = ("PATH", "PYTHONPATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "OMP_NUM_THREADS")
"""What the process sees of the environment, which may contain the bot's token."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may wait, how long a note may take, and when the process ends."""

    queue: int = 8
    seconds: float = 10.0
    idle_seconds: float = 600.0


class RecogniserProcess:
    """Has notes heard by a process of its own, one after the other."""

    def __init__(self, model: Path | None, limits: Limits, *, program: str = PROGRAM) -> None:
        self._model = model
        self._limits = limits
        self._program = program
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._inside = 0
        self._crashes = 0
        self._not_before = 0.0
        self._idle: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The process that is there now; None if none is."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def hear(self, pcm: bytes, language: str, labels: Sequence[str]) -> Answer:
        """What the process answers.

        Raises:
            RecogniserBusy: too many wait, or the process has crashed and is not started again yet.
            HearingTimeout: the note took too long, in the queue or in the process, which is then killed.
            VoiceUnavailable: no engine hears the language.
        """
        if self._inside > self._limits.queue:  # one is heard, the others wait
            raise RecogniserBusy
        self._inside += 1
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._turn.acquire()
            try:
                answer = await self._hear(pack({"language": language, "legal": list(labels)}, pcm))
            finally:
                self._turn.release()
        except TimeoutError:
            raise HearingTimeout from None
        finally:
            self._inside -= 1
        if "unavailable" in answer:
            if "fault" in answer:
                log.error("the model cannot be used: %s", answer["unavailable"])
            raise VoiceUnavailable(answer["unavailable"])
        return answer

    async def close(self) -> None:
        """End the process."""
        await self._kill()

    async def _hear(self, question: bytes) -> Answer:
        if self._idle is not None:
            self._idle.cancel()
        if asyncio.get_running_loop().time() < self._not_before:
            raise RecogniserBusy
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await self._ask(question)
        except (TimeoutError, asyncio.CancelledError) as error:
            await self._kill()  # it may still answer this question when the next one is asked
            if isinstance(error, TimeoutError):
                log.warning("a note was not heard within %g s; the recogniser is started again", self._limits.seconds)
            raise
        except (OSError, EOFError, FrameError, ValueError) as error:
            await self._crashed(type(error).__name__)
            raise RecogniserBusy from None
        self._crashes = 0
        self._idle = asyncio.get_running_loop().call_later(self._limits.idle_seconds, self._retire)
        return answer

    async def _ask(self, question: bytes) -> Answer:
        if self._process is None or self._process.returncode is not None:
            self._process = await self._begin()
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101
        asking.write(question)
        await asking.drain()
        answer, _ = await read_frame(answering)
        return answer

    async def _begin(self) -> Process:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._program, "" if self._model is None else str(self._model), str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,  # a traceback may quote what was heard
            env=environment | {"HF_HUB_OFFLINE": "1"},
        )

    async def _crashed(self, how: str) -> None:
        self._crashes += 1
        pause = min(_FIRST_PAUSE * 2 ** (self._crashes - 1), _LONGEST_PAUSE)
        self._not_before = asyncio.get_running_loop().time() + pause
        log.error("the recogniser's process died (%s); it is not started again for %g s", how, pause)
        await self._kill()

    def _retire(self) -> None:
        """Let a process without work end: its input ends, and its memory is free."""
        if self._process is not None and not self._turn.locked() and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def _kill(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
