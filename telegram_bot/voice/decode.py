"""Decode a voice note in a child process without files, network and bot environment, within a time limit.

A stranger has made the note, and decoders of sound are old C. The child is started for one note. It decodes a note of
its own, is confined, then reads the stranger's note, and is killed if it takes too long. See `confine` for its limits.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

from telegram_bot.voice import decode_child

SECONDS: Final = 3.0
"""How long decoding may take."""
AT_ONCE: Final = 2
"""The number of notes that one process of the bot decodes at once; others wait."""
CHILD: Final = Path(decode_child.__file__)


class NoteProblem(StrEnum):
    """Why a note cannot be decoded."""

    NOT_OGG_OPUS = "not_ogg_opus"
    """It is no OGG file with one stream, whose codec is Opus."""
    DAMAGED = "damaged"
    """No sound could be decoded, or the decoder broke a limit."""


class NotAVoiceNote(Exception):  # noqa: N818 - named by what it says
    """The note cannot be decoded."""

    def __init__(self, reason: NoteProblem) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Decoder:
    """Decodes notes, a few at a time."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._free = asyncio.Semaphore(at_once)

    async def decode(self, note: bytes) -> bytes:
        """Return the first seconds of a note as PCM: 16 kHz, mono, signed 16 bits, little endian.

        Raises:
            NotAVoiceNote: it is something else, or damaged.
            TimeoutError: decoding takes too long.
        """
        async with self._free:
            return await decode(note)


async def decode(note: bytes) -> bytes:
    """Return the first seconds of a note as PCM; see `Decoder.decode`."""
    # -I: neither the environment nor the current folder can add code. The bot's environment contains the token.
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(CHILD)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(SECONDS):
            sound, _ = await child.communicate(note)
    finally:
        with suppress(ProcessLookupError, PermissionError):  # it has ended by itself
            os.killpg(child.pid, signal.SIGKILL)  # also what a note that took it over has started
        await child.wait()
    if child.returncode == decode_child.NOT_OGG_OPUS:
        raise NotAVoiceNote(NoteProblem.NOT_OGG_OPUS)
    if child.returncode or not sound:
        raise NotAVoiceNote(NoteProblem.DAMAGED)
    return sound
