"""Run a function in a process of its own, so that a slow, hanging or crashing function does not delay the bot.

No library does all of it: `ProcessPoolExecutor` cannot end a call that hangs; like `anyio.to_process` and `loky`, it
gives the process the whole environment, which may contain the bot's token.
"""

import asyncio
import logging
import os
import pickle
import pkgutil
import signal
import struct
import sys
from abc import ABC, abstractmethod
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec, module_from_spec
from math import inf
from typing import Final, Generic, ParamSpec

from telegram_bot.confinement import Needed, confine, end_with

log = logging.getLogger(__name__)

P = ParamSpec("P")

_ENVIRONMENT: Final = (
    *("PATH", "PYTHONPATH", "HOME", "LANG", "LC_ALL", "TMPDIR"),
    *("XDG_CACHE_HOME", "OMP_NUM_THREADS", "SYSTEMROOT"),
)
"""The variables of the bot's environment that a process gets."""
_PROGRAM: Final = "from telegram_bot.side_process import answer_questions; answer_questions()"
_HEADER: Final = struct.Struct("!?I")
"""Whether an answer follows, or an error; and the number of its bytes."""
_LARGEST_ANSWER: Final = 1 << 22
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_SECONDS_TO_END: Final = 2.0
_SECONDS_TO_EXIT: Final = 0.5
"""How long a process whose output has ended may run on before its exit status is given up."""

WAITED: Final = "it waited too long for other questions"
"""The message of a `TooSlowError` that is not the process's fault."""


class SideProcessError(Exception):
    """There is no answer. The message does not quote the question, which may contain dice."""


class BusyError(SideProcessError):
    """Too many questions wait, or the process has just died."""


class TooSlowError(SideProcessError):
    """The question waited too long, or its answer took too long."""


class FunctionFailedError(SideProcessError):
    """The function has no answer: it raised this error, or another one, of which only the name is reported."""


class ChildProcess(ABC):
    """A process that answers questions, one after the other; what a question is, is the business of its two kinds.

    It starts with the first question, and again with the next one after it was killed or has died. It sees no secret of
    the environment, has a low priority, and ends with the processes that it has started. On Linux it ends with the bot,
    however the bot ends, and so do the processes that an operator's program has started (see `become_program`).
    """

    _longest_line = 1 << 16
    """Bytes of a line that the process writes, if it writes lines."""

    def __init__(
        self, name: str, program: Sequence[str], *, seconds: float, most_waiting: int = 8, idle_seconds: float = 0.0
    ) -> None:
        self._name = name
        self._program = program
        self.seconds = seconds
        self._most_waiting = most_waiting
        self._idle_seconds = idle_seconds
        self.stderr = DEVNULL
        """The descriptor of its standard error. At a table it is not read: a traceback may quote dice."""
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._inside = 0
        self._crashes = 0
        self._not_before = 0.0
        self._idle: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Return the id of the running process, or None if there is none."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def close(self) -> None:
        """End the process; no further question is answered."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        await self._end()

    async def _answer_to(self, question: bytes, *, within: float = inf) -> bytes:
        """Return the answer when it is this question's turn, `within` so many seconds; raises as `SideProcess.ask`."""
        if self._closed or self._inside > self._most_waiting:
            raise BusyError("too many questions wait")
        self._inside += 1
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(now + min(within, self.seconds)):
                await self._turn.acquire()
        except TimeoutError:
            raise TooSlowError(WAITED) from None
        else:
            try:
                return await self._ask(question, now + within)
            except TimeoutError:
                raise TooSlowError("no answer in time") from None
            finally:
                self._turn.release()
        finally:
            self._inside -= 1

    async def _ask(self, question: bytes, until: float) -> bytes:
        if self._idle is not None:
            self._idle.cancel()
        now = asyncio.get_running_loop().time()
        if now < self._not_before:
            raise BusyError("the process has died several times")
        until = min(until, now + self.seconds)
        try:
            async with asyncio.timeout_at(until):
                answer = await self._exchange(question, until)
        except (TimeoutError, asyncio.CancelledError):
            await self._end()  # it would answer this question when the next one is asked
            raise
        except (OSError, EOFError) as error:
            await self._end()
            self._crashes += 1
            # Not after the first crash: the process may have been killed, or short of memory.
            pause = min(_FIRST_PAUSE * 2 ** (self._crashes - 2), _LONGEST_PAUSE) if self._crashes > 1 else 0.0
            self._not_before = asyncio.get_running_loop().time() + pause
            raise self._death(error, pause) from None
        self._crashes = 0
        if self._idle_seconds:
            self._idle = asyncio.create_task(self._end_when_idle(), name=f"idle {self._name}")
        else:
            await self._end()
        return answer

    def _death(self, error: OSError | EOFError, pause: float) -> BusyError:
        """Return the error for a question during which the process died."""
        log.error("the process of %s died (%s); no new one for %g s", self._name, type(error).__name__, pause)
        return BusyError("the process died")

    @abstractmethod
    async def _exchange(self, question: bytes, until: float) -> bytes:
        """Return the answer of the process, which is started if it does not run; it is killed `until` this time."""

    async def _running(self) -> tuple[StreamWriter, StreamReader, bool]:
        """Return the input and the output of the process, and whether it has just been started."""
        begins = self._process is None or self._process.returncode is not None
        if begins:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", *self._program),
                stdin=PIPE,
                stdout=PIPE,
                stderr=self.stderr,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                start_new_session=True,
                limit=self._longest_line,
            )
        assert self._process is not None  # noqa: S101
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101
        return asking, answering, begins

    async def _status(self) -> int | None:
        """Return the exit status of a process whose output has ended, or None if it still runs."""
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_SECONDS_TO_EXIT):
                    return await self._process.wait()
        return None

    async def _end_when_idle(self) -> None:
        await asyncio.sleep(self._idle_seconds)
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                if process.returncode is None or not _exists(process.pid):
                    os.killpg(process.pid, signal.SIGKILL)  # also the processes that it has started
            with suppress(TimeoutError):
                async with asyncio.timeout(_SECONDS_TO_END):
                    await process.communicate()  # asyncio waits until all is read that the process has written


def _exists(pid: int) -> bool:
    """Return whether a process has this id: after the end of ours, another one, for which ids begin again."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class SideProcess(ChildProcess, Generic[P]):
    """A process that answers questions with one function of the bot.

    It loads its files, then is confined (see `confine`), and only then reads the first question.
    """

    def __init__(
        self,
        function: Callable[P, bytes],
        *,
        seconds: float,
        prepare: Callable[[], Needed] = Needed,
        most_waiting: int = 8,
        idle_seconds: float = 0.0,
        niceness: int = 10,
    ) -> None:
        """Start nothing yet.

        Args:
            function: one of a module. It answers with bytes: nothing is unpickled that comes from a process which has
                read what strangers send.
            seconds: how long a question may wait for its turn, and how long its answer may take.
            prepare: loads, in the process, the files that the function needs, and returns the folders that the
                function needs all the same. It can be pickled. If it fails, so does the question.
            most_waiting: how many questions may wait besides the one that is being answered.
            idle_seconds: how long the process stays without a question; 0: it ends after each answer.
            niceness: the number added to the bot's niceness; a higher one means a lower priority.
        """
        name = f"{function.__module__}:{function.__qualname__}"
        program = (_PROGRAM, name, str(niceness), str(os.getpid()))
        super().__init__(name, program, seconds=seconds, most_waiting=most_waiting, idle_seconds=idle_seconds)
        self.function = function
        self.prepare = prepare

    async def ask(self, *args: P.args, **kwargs: P.kwargs) -> bytes:
        """Return the function's answer.

        Raises:
            BusyError: too many questions wait, the process has just died, or it is closed.
            TooSlowError: the answer was late; the process is killed.
            FunctionFailedError: the function raised an error.
        """
        answer = await self._answer_to(pickle.dumps((self.prepare, args, kwargs)))
        if not answer[0]:
            raise FunctionFailedError(answer[1:].decode(errors="replace"))
        return answer[1:]

    async def _exchange(self, question: bytes, until: float) -> bytes:
        del until
        asking, answering, _ = await self._running()
        asking.write(question)
        await asking.drain()
        answered, length = _HEADER.unpack(await answering.readexactly(_HEADER.size))
        if length > _LARGEST_ANSWER:
            raise EOFError("too large an answer")
        return bytes((answered,)) + await answering.readexactly(length)


def answer_questions() -> None:
    """Answer questions until the input ends: the program of a side process."""
    name, niceness, parent = sys.argv[1:]
    end_with(int(parent))
    os.nice(int(niceness))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a library must not mix with the answers
    function = _function(name)
    confined = False
    with suppress(EOFError):
        while True:
            prepare, args, kwargs = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the bot itself
            answered, content = False, b""
            try:
                if not confined:
                    confine(prepare())
                    confined = True
                answered, content = True, function(*args, **kwargs)
            except FunctionFailedError as error:
                content = str(error).encode()
            except Exception as error:  # noqa: BLE001 - one question's error is not the next one's
                content = type(error).__name__.encode()
            answers.write(_HEADER.pack(answered, len(content)) + content)
            answers.flush()


def _function(name: str) -> Callable[..., bytes]:
    """Return the function of this name.

    Its packages' `__init__` does not run: a feature's would import the whole bot.
    """
    module, _, _ = name.partition(":")
    packages = module.split(".")[:-1]
    for depth in range(1, len(packages) + 1):
        package = ".".join(packages[:depth])
        spec = find_spec(package)
        if package not in sys.modules and spec is not None:
            sys.modules[package] = module_from_spec(spec)
    function: Callable[..., bytes] = pkgutil.resolve_name(name)
    return function
