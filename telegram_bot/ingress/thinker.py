"""Think for computer players, in processes of their own, and hand in their calls like anybody's."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

from perudo_core import Bid, Call, Calza, Dudo
from telegram_bot.ingress.keyed_tasks import KeyedTasks
from telegram_bot.ingress.thinking_program import LENGTH, pack
from telegram_bot.observability import metrics
from telegram_bot.service.computer_requests import Thought
from telegram_bot.service.intents import ThoughtPlayed
from telegram_bot.service.service import Service
from telegram_bot.storage.database import log_failure

log = logging.getLogger(__name__)

PROGRAM: Final = "telegram_bot.ingress.thinking_program"
THOUGHT_SECONDS: Final = 5.0
"""How long a thought may take, the time included in which it waits for others; less than a table's lease."""
_KEPT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR")
"""What the process sees of the environment, which may contain the bot's token."""


class ThoughtError(Exception):
    """The process did not find a call."""


class ThinkingProcess:
    """One process that thinks, started at the first thought and again after a crash."""

    def __init__(self, program: str = PROGRAM) -> None:
        self._program = program
        self._process: Process | None = None

    @property
    def pid(self) -> int | None:
        """The process that is there now; None if none is."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def choose(self, thought: Thought) -> Call | None:
        """The call that was found; None: out of turn none is made.

        Raises:
            ThoughtError: the agent failed, or the process died.
        """
        try:
            answer = await self._ask(thought)
        except (OSError, EOFError, pickle.PickleError) as error:
            await self.end()
            raise ThoughtError(type(error).__name__) from None
        except BaseException:  # cancelled: it may still answer this question when the next one is asked
            await self.end()
            raise
        if not isinstance(answer, Bid | Dudo | Calza) and not (answer is None and not thought.on_turn):
            raise ThoughtError(str(answer))
        return answer

    async def _ask(self, thought: Thought) -> object:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._program),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,  # a traceback may quote dice
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
            )
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101
        question = (thought.level, thought.character, thought.observation, thought.memory, thought.seed)
        asking.write(pack(question))
        await asking.drain()
        (length,) = LENGTH.unpack(await answering.readexactly(LENGTH.size))
        return pickle.loads(await answering.readexactly(length))  # noqa: S301 - from the bot's own child

    async def end(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class Thinker:
    """Has thoughts thought, as many at a time as there are processes, and hands in the calls."""

    def __init__(
        self, service: Service, wake: Callable[[Iterable[str]], None], *, processes: int = 1, program: str = PROGRAM
    ) -> None:
        self.service = service
        self.wake = wake
        self.processes = [ThinkingProcess(program) for _ in range(processes)]
        self._free: asyncio.Queue[ThinkingProcess] = asyncio.Queue()
        for process in self.processes:
            self._free.put_nowait(process)
        self._running = KeyedTasks()

    def begin(self, thought: Thought) -> None:
        """Think about it, unless that is under way already."""
        key = (thought.table, thought.step, thought.seat)
        self._running.begin(key, lambda: self._think_and_play(thought), name=f"thought of table {thought.table}")

    async def close(self) -> None:
        """Give up what is being thought about: another worker takes it over, or this one when it runs again."""
        await self._running.cancel()
        for process in self.processes:
            await process.end()

    async def _think_and_play(self, thought: Thought) -> None:
        call = await self._think(thought)
        try:
            result = await self.service.handle(ThoughtPlayed(thought.table, thought.step, thought.seat, call))
        except Exception as error:  # noqa: BLE001 - the table is thought about again when the lease ends
            log_failure(log, error, "a computer player's call could not be played")
            metrics.THOUGHTS.labels("failed").inc()
            return
        missing = "failed" if thought.on_turn else "passed"
        metrics.THOUGHTS.labels("dropped" if result.skipped else missing if call is None else "played").inc()
        self.wake(result.lanes)

    async def _think(self, thought: Thought) -> Call | None:
        """The call that was found in time, or None."""
        try:
            with metrics.timed(metrics.THOUGHT_SECONDS):
                async with asyncio.timeout(THOUGHT_SECONDS):
                    process = await self._free.get()
                    try:
                        return await process.choose(thought)
                    finally:
                        self._free.put_nowait(process)
        except (ThoughtError, TimeoutError) as error:
            found = str(error) or type(error).__name__
            log.warning("a computer player found no call: %s", found, extra={"table": thought.table})
            return None
