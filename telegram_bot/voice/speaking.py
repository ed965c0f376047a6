"""Have texts said by a process of its own, within a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from typing import Final

from telegram_bot.voice.speaker import VoiceError
from telegram_bot.voice.speaking_program import LENGTH, SAID

log = logging.getLogger(__name__)

MOST_WAITING: Final = 16
"""How many texts may wait for the process; further ones are not said."""
LONGEST_NOTE: Final = 1_000_000
"""Bytes. Telegram shows a longer file as music."""
_PROGRAM: Final = "telegram_bot.voice.speaking_program"
_KEPT: Final = ("PATH", "PYTHONPATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "SYSTEMROOT")
"""What the process sees of the environment, which may contain the bot's token."""


class SpeakingProcess:
    """One process that says texts one after the other; it begins when it is needed, and ends when it is idle.

    `voices`: the voice of each language, by its name in the settings; espeak-ng speaks the others.
    """

    def __init__(
        self,
        voices: Mapping[str, str] | None = None,
        *,
        seconds: float = 20.0,
        idle_seconds: float = 300.0,
        program: str = _PROGRAM,
    ) -> None:
        self._voices = dict(voices or {})
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._program = program
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    def voice_of(self, language: str) -> str:
        """The name of the voice that speaks a language."""
        return self._voices.get(language, "")

    async def say(self, text: str, language: str) -> bytes:
        """A text as a voice note, Opus in OGG.

        Raises:
            VoiceError: it cannot be said, not in time, or too much waits already.
        """
        if self._closed or self._waiting >= MOST_WAITING:
            raise VoiceError("too much waits to be said")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._say(text, language)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Say nothing more."""
        self._closed = True
        await self._end()

    async def _say(self, text: str, language: str) -> bytes:
        if self._idle is not None:
            self._idle.cancel()
        try:
            async with asyncio.timeout(self._seconds):
                kind, content = await self._ask(text, language)
        except (TimeoutError, asyncio.CancelledError) as error:
            await self._end()  # it may still answer this question when the next one is asked
            if isinstance(error, TimeoutError):
                raise VoiceError("not said in time") from None
            raise
        except (OSError, EOFError) as error:
            await self._end()
            raise VoiceError(f"the voice's process died: {type(error).__name__}") from None
        self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._retire)
        if kind != SAID:
            raise VoiceError(content.decode(errors="replace"))
        return content

    async def _ask(self, text: str, language: str) -> tuple[bytes, bytes]:
        if self._process is None or self._process.returncode is not None:
            self._process = await self._begin()
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101
        asking.write(json.dumps({"text": text, "language": language}).encode() + b"\n")
        await asking.drain()
        kind = await answering.readexactly(1)
        (length,) = LENGTH.unpack(await answering.readexactly(LENGTH.size))
        if length > LONGEST_NOTE:
            raise EOFError("a note that Telegram would not show as one")
        return kind, await answering.readexactly(length)

    async def _begin(self) -> Process:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._program, json.dumps(self._voices), str(os.getpid())),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env=environment,
        )

    def _retire(self) -> None:
        """End a process that has had nothing to say for a while: its input ends."""
        if self._process is not None and not self._turn.locked() and self._process.stdin is not None:
            self._process.stdin.close()
            self._process = None

    async def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
