"""An operator's engine: a program that speaks `docs/engine-protocol.md`, in a confined process next to the bot."""

import asyncio
import json
import os
import shlex
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from perudo_core import Call, PerudoError
from perudo_core.agents.engines import (
    LONGEST_ANSWER,
    MARGIN_SECONDS,
    PROTOCOL,
    CommandError,
    NotOffered,
    Question,
    Refused,
    Requests,
    Value,
    does_interrupt,
    dump_question,
    read_answer,
)
from telegram_bot.settings.engine_folders import engine_folders
from telegram_bot.settings.sections import EngineSettings
from telegram_bot.side_process import WAITED, BusyError, ChildProcess, FunctionFailedError, TooSlowError

_PROGRAM: Final = "from telegram_bot.confinement import become_program; become_program()"
_NICENESS: Final = 10
_IDLE_SECONDS: Final = 300.0
_MEGABYTE: Final = 1 << 20
_LEAST_SECONDS: Final = 0.2
"""An engine that would have less time is not asked: it would be late, and be killed."""


class EngineProcess(ChildProcess):
    """A program that chooses the calls of the computer players that a host seats under its name, at all tables.

    Its process stands still between two questions, so it costs only the time of its answers.
    """

    _longest_line = LONGEST_ANSWER

    def __init__(
        self,
        name: str,
        command: str,
        *,
        seconds: float,
        memory_megabytes: int = 512,
        options: Mapping[str, Value] | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            name: the engine's name in the settings and in the log.
            command: its command line, which no shell reads. It may read `engine_folders`.
            seconds: how long an answer may take, the start of the program included.
            memory_megabytes: how much memory each of its processes may take.
            options: the engine's own options.
        """
        readable = map(str, engine_folders(command))
        limits = (str(_NICENESS), str(os.getpid()), str(memory_megabytes * _MEGABYTE))
        program = (_PROGRAM, *limits, *readable, "--", *shlex.split(command))
        super().__init__(name, program, seconds=seconds, idle_seconds=_IDLE_SECONDS)
        self.told = 0.0
        """The seconds of the last question, or 0 if there was none."""
        self._options = dict(options or {})
        self._requests = Requests()
        self._interrupts = False

    async def choose(self, question: Question) -> Call | None:
        """Return the engine's legal call, or None if it does not call out of turn.

        The question's seconds include the wait for the questions of other tables; the engine is told the rest of them.

        Raises:
            SideProcessError: there is no such call. The message does not quote the engine, which knows dice.
        """
        seen = question.observation
        method = "choose" if seen.seat == seen.turn else "interrupt"
        asked = json.dumps({"method": method, "params": dump_question(question)}).encode()
        result = await self._answer_to(asked, within=question.seconds)
        try:
            call = read_answer(json.loads(result), seen).call
        except (PerudoError, ValueError, RecursionError):
            raise FunctionFailedError("an answer that is no call") from None
        if call is None and method == "choose":
            raise FunctionFailedError("no call on its turn")
        if call is not None and call not in seen.legal_calls:
            raise FunctionFailedError("a call that is not legal")
        return call

    async def _exchange(self, question: bytes, until: float) -> bytes:
        clock = asyncio.get_running_loop().time
        if until - clock() < _LEAST_SECONDS:
            raise TooSlowError(WAITED)
        _, _, begins = await self._running()
        self._signal("SIGCONT")
        if begins:
            self._interrupts = does_interrupt(await self._request("hello", {"protocol": PROTOCOL}))
            if self._options:
                await self._request("set", {"options": self._options})
        asked = json.loads(question)
        if asked["method"] == "interrupt" and not self._interrupts:
            result = None
        else:
            self.told = asked["params"]["seconds"] = max(until - clock() - MARGIN_SECONDS, 0.0)
            result = await self._request(**asked)
        self._signal("SIGSTOP")
        return json.dumps(result).encode()

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        asking, answering, _ = await self._running()
        asking.write(self._requests.line(method, params))
        await asking.drain()
        try:
            line = await answering.readline()
        except ValueError:
            raise EOFError(f"a line of more than {LONGEST_ANSWER} bytes") from None
        if not line:
            status = await self._status()
            raise EOFError("it ended" if status is None else f"it ended with status {status}")
        try:
            return self._requests.result(line)
        except (NotOffered, Refused):
            raise EOFError(f"no result of {method}") from None
        except CommandError as error:
            raise EOFError(error.fault) from None  # the whole message quotes the engine

    def _death(self, error: OSError | EOFError, pause: float) -> BusyError:
        said = str(error) if isinstance(error, EOFError) else "it died"
        return BusyError(f"{said}; no new process for {pause:g} s" if pause else said)

    def _signal(self, name: str) -> None:
        if (pid := self.pid) is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, getattr(signal, name))


def engine_processes(engines: EngineSettings) -> dict[str, EngineProcess]:
    """Return the operator's engines by name; none is started yet."""
    return {
        name: EngineProcess(
            name,
            command,
            seconds=engines.seconds,
            memory_megabytes=engines.memory_megabytes,
            options=engines.options.get(name),
        )
        for name, command in engines.commands.items()
    }
