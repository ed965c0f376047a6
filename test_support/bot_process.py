"""A process of the bot, forked from a server that has imported its modules.

To import the bot's modules takes more than a second of CPU, and the end-to-end tests start hundreds of processes of the
bot. The fork server of `multiprocessing` imports the modules once for each process of pytest. A forked process then
does what `python -m MODULE ARGUMENTS` does. tests/telegram_bot/test_cli.py and the tests of `make play`
start the bot with `python`.
"""

import asyncio
import ctypes
import gc
import multiprocessing
import os
import runpy
import signal
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

PRELOADED = (
    "test_support.without_collection",
    "anyio._backends._asyncio",
    "httpcore",
    "telegram_bot.cli",
    "telegram_bot.app",
    "telegram_bot.channels.sms.channel",
    "telegram_bot.pictures.hand",
    "test_support.cpu_watch",
    "test_support.languages",
    "test_support.waiting_readers",
)
"""Modules that read no environment variable when they are imported."""

SET_PARENT_DEATH_SIGNAL = 1


class RunningBot(Protocol):
    """A process of the bot."""

    @property
    def returncode(self) -> int | None: ...

    def kill(self) -> None: ...

    def send_signal(self, number: int, /) -> None: ...

    async def wait(self) -> int: ...


_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(list(PRELOADED))


class BotProcess:
    """A running process; its methods are those of `asyncio.subprocess.Process` that the tests need."""

    def __init__(
        self, module: str, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path
    ) -> None:
        self._process = _context.Process(
            target=_run_module, args=(module, list(arguments), dict(environment), str(folder), str(log))
        )
        self._ends: asyncio.Future[int] | None = None

    async def start(self) -> None:
        # The first start waits for the fork server, which imports the modules.
        await asyncio.to_thread(self._process.start)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code; negative for a signal, or None while the process runs."""
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    async def wait(self) -> int:
        """Wait for the end, as any number of others may at the same time."""
        self._ends = self._ends or asyncio.ensure_future(self._end())
        return await asyncio.shield(self._ends)

    async def _end(self) -> int:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            while self.returncode is None:
                await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        code = self.returncode
        assert code is not None
        return code


def _run_module(module: str, arguments: list[str], environment: dict[str, str], folder: str, log: str) -> None:
    """Call `run_module` in the forked process; it ends with the fork server, so with the tests."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    gc.freeze()  # the modules, which stay
    gc.enable()
    os.environ.clear()
    os.environ.update(
        {"PTB_TIMEDELTA": "true"} | environment
    )  # telegram_bot.channels.telegram has set it before the fork
    os.chdir(folder)
    with Path(log).open("ab", buffering=0) as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    warnings.resetwarnings()
    warnings.simplefilter("default")
    warnings.filterwarnings("ignore", r"Please use 'Bot\.")  # as `channels.telegram`, whose import may be over
    sys.modules.pop(module, None)
    run_module(module, arguments)


def run_module(module: str, arguments: Sequence[str]) -> None:
    """Run a module as `python -m` does."""
    from test_support.waiting_readers import tell_waiting_readers  # noqa: PLC0415 - needs the bot's modules

    tell_waiting_readers()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
