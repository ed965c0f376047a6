"""An operator's engine: a program that speaks `docs/engine-protocol.md`, in a confined process next to the bot."""

import json
import os
import shlex
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import perudo_core
from perudo_core import Call, PerudoError
from perudo_core._json_reading import parse_json
from perudo_core.agents.engines import PROTOCOL, Question, Value, dump_question, read_answer
from telegram_bot.settings.sections import EngineSettings
from telegram_bot.side_process import BusyError, ChildProcess, FunctionFailedError

_PROGRAM: Final = "from telegram_bot.side_process import become_program; become_program()"
_NICENESS: Final = 10
_IDLE_SECONDS: Final = 300.0
_LIBRARY: Final = Path(perudo_core.__file__).parents[1]
"""For engines in Python: in a checkout the library is not where other packages are."""
_MEGABYTE: Final = 1 << 20


class EngineProcess(ChildProcess):
    """A program that chooses the calls of the computer players that a host seats under its name.

    Its process stands still between two questions, so it costs only the time of its answers.
    """

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
            command: its command line, which no shell reads. It may read the folders of the files in it.
            seconds: how long an answer may take, the start of the program included.
            memory_megabytes: how much memory it may take.
            options: the engine's own options.
        """
        words = shlex.split(command)
        named = [path.resolve() for path in map(Path, words) if path.exists()]
        readable = {path if path.is_dir() else path.parent for path in (*named, _LIBRARY)}
        limits = (str(_NICENESS), str(os.getpid()), str(memory_megabytes * _MEGABYTE))
        super().__init__(
            name, (_PROGRAM, *limits, *map(str, readable), "--", *words), seconds=seconds, idle_seconds=_IDLE_SECONDS
        )
        self.seconds = seconds
        self._options = dict(options or {})
        self._asked = 0
        self._interrupts = False

    async def choose(self, question: Question) -> Call | None:
        """Return the engine's legal call, or None if it does not call out of turn.

        Raises:
            SideProcessError: there is no such call. The message does not quote the engine, which knows dice.
        """
        seen = question.observation
        method = "choose" if seen.seat == seen.turn else "interrupt"
        result = await self._answer_to(json.dumps({"method": method, "params": dump_question(question)}).encode())
        try:
            call = read_answer(json.loads(result), seen).call
        except (PerudoError, ValueError, RecursionError):
            raise FunctionFailedError("an answer that is no call") from None
        if call is None and method == "choose":
            raise FunctionFailedError("no call on its turn")
        if call is not None and call not in seen.legal_calls:
            raise FunctionFailedError("a call that is not legal")
        return call

    async def _exchange(self, question: bytes) -> bytes:
        _, _, begins = await self._running()
        self._signal("SIGCONT")
        if begins:
            hello = await self._request("hello", {"protocol": PROTOCOL}, needed=False)
            self._interrupts = isinstance(hello, dict) and hello.get("interrupts") is True
            if self._options:
                await self._request("set", {"options": self._options})
        asked = json.loads(question)
        if asked["method"] == "interrupt" and not self._interrupts:
            result = None
        else:
            result = await self._request(**asked)
        self._signal("SIGSTOP")
        return json.dumps(result).encode()

    async def _request(self, method: str, params: dict[str, Any], *, needed: bool = True) -> Any:
        asking, answering, _ = await self._running()
        self._asked += 1
        asking.write(json.dumps({"id": self._asked, "method": method, "params": params}).encode() + b"\n")
        await asking.drain()
        try:
            line = await answering.readline()
            if not line:
                raise EOFError("it ended")
            answer = parse_json(line.decode())
        except (PerudoError, ValueError):  # also a line without an end
            raise EOFError("no line of JSON") from None
        if not isinstance(answer, dict) or answer.get("id") != self._asked:
            raise EOFError("no answer to the question")
        if "result" not in answer and needed:
            raise EOFError(f"no result of {method}")
        return answer.get("result")

    def _death(self, error: OSError | EOFError, pause: float) -> BusyError:
        said = str(error) if isinstance(error, EOFError) else "it died"
        return BusyError(f"{said}; no new process for {pause:g} s")

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
