"""Have finished games analysed by another process, one after the other, within a time limit."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from typing import Final

from pydantic import ValidationError

from telegram_bot.statistics.story import GameStory

PROGRAM: Final = "telegram_bot.analysis.program"
_KEPT: Final = ("PATH", "PYTHONPATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""What the process sees of the environment, which may contain the bot's token."""


class AnalysisError(Exception):
    """A game could not be analysed, or not in time."""


class GameAnalyst:
    """Analyses games beside the event loop: it would be held up for seconds, even by another thread."""

    def __init__(self, *, seconds: float = 25.0, most_waiting: int = 8, program: str = PROGRAM) -> None:
        """`seconds`: for one game, the wait for its turn included; `most_waiting`: further ones are refused."""
        self._seconds = seconds
        self._most_waiting = most_waiting
        self._program = program
        self._turn = asyncio.Lock()
        self._inside = 0

    async def story(self, record: str) -> GameStory:
        """The story of a finished game, from its record as JSON.

        Raises:
            AnalysisError: the game cannot be analysed, not in time, or too many wait already.
        """
        if self._inside > self._most_waiting:
            raise AnalysisError("too many games wait to be analysed")
        self._inside += 1
        try:
            async with asyncio.timeout(self._seconds), self._turn:
                return GameStory.model_validate_json(await self._run(record))
        except TimeoutError:
            raise AnalysisError("the analysis took too long") from None
        except (OSError, ValidationError) as error:
            raise AnalysisError(f"the analysis failed: {type(error).__name__}") from None
        finally:
            self._inside -= 1

    async def _run(self, record: str) -> bytes:
        """What the process writes; it is killed if nobody waits for it any longer."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._program),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
        )
        asking, answering = process.stdin, process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101
        try:
            asking.write(json.dumps(record).encode() + b"\n")
            await asking.drain()  # it stays open: the process ends when it is closed
            return await answering.read()
        finally:
            asking.close()
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()
