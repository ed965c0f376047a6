"""A process of the bot, forked from a server that has imported its modules.

To import the bot's modules takes more than a second of CPU, and the end-to-end tests start hundreds of processes of the
bot. The fork server of `multiprocessing` imports the modules once for all workers of pytest. A forked process then does
what `perudo-bot run` does. tests/telegram_bot/test_cli.py and the tests of `make play` start the bot by `python`.
"""

import asyncio
import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import warnings
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path

PRELOADED = (
    "anyio._backends._asyncio",
    "httpcore",
    "telegram_bot.channels.sms.channel",
    "telegram_bot.channels.web.channel",
    "telegram_bot.pictures.hand",
    "test_support.scripted_bot",
    "test_support.languages",
)
"""Modules that read no variable of a bot's own environment when they are imported."""

SET_PARENT_DEATH_SIGNAL = 1

_forked, _spawned = multiprocessing.get_context("forkserver"), multiprocessing.get_context("spawn")
_forked.set_forkserver_preload(list(PRELOADED))


def share_fork_server() -> None:
    """Start the fork server for the workers that this process will fork: each would take four seconds for its own."""
    server = forkserver._forkserver
    server.ensure_running()
    # Only the parent of a server can ask whether it runs.
    server.ensure_running = resource_tracker.ensure_running  # type: ignore[method-assign]


def start_bot(environment: dict[str, str], folder: Path, log: Path, readers: ctypes.c_int) -> BaseProcess:
    """Start a process of the bot, which counts in `readers` whose messages it still compares.

    With a PYTHONPATH of its own it is another bot than the one that the fork server has imported.
    """
    start = _forked if environment.get("PYTHONPATH") == os.environ.get("PYTHONPATH") else _spawned
    process: BaseProcess = start.Process(target=_run, args=(environment, folder, log, readers))
    process.start()  # the first start waits for the fork server, which imports the modules
    return process


async def ended(process: BaseProcess) -> int:
    """Wait for the end of a process, as any number of others may at the same time; return its exit code."""
    while (code := process.exitcode) is None:  # noqa: ASYNC110 - it tells no event
        await asyncio.sleep(0.02)
    return code


def _run(environment: dict[str, str], folder: Path, log: Path, readers: ctypes.c_int) -> None:
    """Run the bot; the process ends with its parent, so with the tests."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    gc.freeze()  # the modules, which stay
    os.environ.clear()
    # telegram_bot.channels.telegram has set it before the fork.
    os.environ.update({"PTB_TIMEDELTA": "true"} | environment)
    os.chdir(folder)
    with log.open("ab", buffering=0) as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    warnings.resetwarnings()
    warnings.simplefilter("default")
    warnings.filterwarnings("ignore", r"Please use 'Bot\.")  # as `channels.telegram`, whose import may be over
    from test_support import scripted_bot  # noqa: PLC0415 - the one on this process's path

    scripted_bot.main(readers)
