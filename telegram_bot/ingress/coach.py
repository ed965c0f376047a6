"""Have another process find out what the coach would do, within a time limit."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from telegram_bot.service.handlers.coach import Question
from telegram_bot.tables.advice import Advice

PROGRAM: Final = "telegram_bot.ingress.coaching_program"
_KEPT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR")
"""What the process sees of the environment, which may contain the bot's token."""


class CoachError(Exception):
    """The coach found no advice, or not in time."""


class Coach:
    """Advises players, one after the other, beside the event loop."""

    def __init__(self, *, seconds: float = 8.0, most_waiting: int = 8, program: str = PROGRAM) -> None:
        """`seconds`: for one question, the wait for its turn included; `most_waiting`: further ones are refused."""
        self._seconds = seconds
        self._most_waiting = most_waiting
        self._program = program
        self._turn = asyncio.Lock()
        self._inside = 0

    async def advice(self, question: Question) -> Advice:
        """What the coach would do.

        Raises:
            CoachError: it found no advice, not in time, or too many wait already.
        """
        if self._inside > self._most_waiting:
            raise CoachError("too many players wait for advice")
        self._inside += 1
        try:
            async with asyncio.timeout(self._seconds), self._turn:
                return Advice.model_validate_json(await ask_program(self._program, pickle.dumps(tuple(question))))
        except TimeoutError:
            raise CoachError("the advice took too long") from None
        except (OSError, ValidationError) as error:
            raise CoachError(f"no advice was found: {type(error).__name__}") from None
        finally:
            self._inside -= 1


async def ask_program(program: str, question: bytes) -> bytes:
    """What a process writes that is given the question; it is killed if nobody waits for it any longer."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", program),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,  # a traceback may quote dice
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
    )
    try:
        answer, _ = await process.communicate(question)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return answer
