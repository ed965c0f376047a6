"""A process of the bot, forked from a server that has imported its modules.

To import the bot's modules takes more than a second of CPU, and the end-to-end tests start hundreds of processes of the
bot. The fork server of `multiprocessing` imports the modules once for all workers of pytest. A forked process then does
what `python -m MODULE run` does. tests/telegram_bot/test_cli.py and the tests of `make play` start the bot by `python`.
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
from collections.abc import Callable
from functools import wraps
from math import inf
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

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
)
"""Modules that read no environment variable when they are imported."""

SET_PARENT_DEATH_SIGNAL = 1

_forked, _spawned = multiprocessing.get_context("forkserver"), multiprocessing.get_context("spawn")
_forked.set_forkserver_preload(list(PRELOADED))


def share_fork_server() -> None:
    """Start the fork server for the workers that this process will fork: each would take four seconds for its own."""
    server = forkserver._forkserver
    server.ensure_running()
    # Only the parent of a server can ask whether it runs.
    server.ensure_running = resource_tracker.ensure_running  # type: ignore[method-assign]


class BotProcess:
    """A running process; its methods are those of `asyncio.subprocess.Process` that the tests need.

    With a PYTHONPATH of its own it is another bot than the one that the fork server has imported. `readers` is a shared
    number: how many readers the bot still compares.
    """

    def __init__(
        self, module: str, environment: dict[str, str], folder: Path, log: Path, readers: ctypes.c_int | None = None
    ) -> None:
        start = _forked if environment.get("PYTHONPATH") == os.environ.get("PYTHONPATH") else _spawned
        self._process: BaseProcess = start.Process(target=_run, args=(module, environment, folder, log, readers))
        self._process.start()  # the first start waits for the fork server, which imports the modules

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
        while (code := self.returncode) is None:  # noqa: ASYNC110 - it tells no event
            await asyncio.sleep(0.02)
        return code


def _run(module: str, environment: dict[str, str], folder: Path, log: Path, readers: ctypes.c_int | None) -> None:
    """Run the bot as `python -m MODULE run` does; the process ends with its parent, so with the tests."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    gc.freeze()  # the modules, which stay
    gc.enable()
    os.environ.clear()
    os.environ.update(
        {"PTB_TIMEDELTA": "true"} | environment
    )  # telegram_bot.channels.telegram has set it before the fork
    os.chdir(folder)
    with log.open("ab", buffering=0) as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    warnings.resetwarnings()
    warnings.simplefilter("default")
    warnings.filterwarnings("ignore", r"Please use 'Bot\.")  # as `channels.telegram`, whose import may be over
    sys.modules.pop(module, None)
    if readers is not None:
        _tell_waiting_readers(readers)
    sys.argv = [module, "run"]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _tell_waiting_readers(told: ctypes.c_int) -> None:
    """Tell after each change how many readers the bot still compares: only its memory knows."""
    from telegram_bot.service.readers import Readers  # noqa: PLC0415 - of the bot that runs

    def telling(change: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(change)
        def changed(readers: Readers, *args: Any, **more: Any) -> Any:
            result = change(readers, *args, **more)
            told.value = len(readers.due(inf))
            return result

        return changed

    for change in (Readers.load, Readers.mark, Readers.mark_table, Readers.settle, Readers.forget_table):
        setattr(Readers, change.__name__, telling(change))
