"""Starts a sandbox and a bot in it, and stops both together."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from telegram_sandbox.errors import StartError
from telegram_sandbox.request_guard import is_loopback
from telegram_sandbox.server import RunningSandbox, running_sandbox
from telegram_sandbox.settings import SandboxSettings

PATIENCE_SECONDS = 10.0
STOPPED = 0
FAILED = 1
SET_PARENT_DEATH_SIGNAL = 1

Environment = Callable[[RunningSandbox], Mapping[str, str]]


def default_environment(sandbox: RunningSandbox) -> dict[str, str]:
    """Return this process's environment with the token and the addresses added."""
    return {
        **os.environ,
        "BOT_TOKEN": sandbox.token,
        "BOT_API_BASE_URL": sandbox.bot_base_url,
        "BOT_API_FILE_URL": sandbox.file_base_url,
    }


async def run(
    settings: SandboxSettings, bot_command: Sequence[str], environment: Environment = default_environment
) -> int:
    """Serve a sandbox, run the bot against it, and return the exit code.

    0 after Ctrl-C or SIGTERM; not 0 when the bot ends by itself or nothing can be started. `environment` makes the
    bot's environment from the running sandbox.
    """
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        try:
            async with running_sandbox(settings) as sandbox:
                warn_if_open(settings)
                _say(f"The sandbox is at {sandbox.url}")
                return await _run_bot(bot_command, environment(sandbox), stop)
        except StartError as error:
            _say(f"The sandbox cannot start: {error}.")
            return FAILED


def warn_if_open(settings: SandboxSettings) -> None:
    """Say on stderr what `host` opens, if other machines can reach it."""
    if not is_loopback(settings.host):
        sys.stderr.write(
            f"The sandbox listens on {settings.host}, for other machines too: whoever reaches its page's port reads "
            "every message and acts as everyone, without a password. Use it in a network that you trust.\n"
        )
        sys.stderr.flush()


async def _run_bot(command: Sequence[str], environment: Mapping[str, str], stop: asyncio.Event) -> int:
    try:
        # In a session of its own, so that Ctrl-C reaches it once: from here.
        bot = await asyncio.create_subprocess_exec(
            *command,
            env=environment,
            start_new_session=True,
            preexec_fn=_die_with_parent(),
        )
    except (OSError, ValueError) as error:
        _say(f"The bot cannot start: {error}.")
        return FAILED
    ended = asyncio.create_task(bot.wait())
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set():
            _say(f"The bot has ended by itself with exit code {bot.returncode}. The sandbox stops too.")
            return bot.returncode if bot.returncode and bot.returncode > 0 else FAILED
        return STOPPED
    finally:
        stopped.cancel()
        await _end(bot, ended)


def _die_with_parent() -> Callable[[], object] | None:
    """Return a function that the bot's process runs first, on Linux: when this process dies, the bot gets SIGTERM."""
    if not sys.platform.startswith("linux"):
        return None
    return partial(ctypes.CDLL(None).prctl, SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


async def _end(bot: asyncio.subprocess.Process, ended: asyncio.Task[int]) -> None:
    """Ask the bot to stop, insist if it does not, and kill the processes that it leaves behind."""
    if bot.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            bot.terminate()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(ended), PATIENCE_SECONDS)
    if bot.returncode is None:
        _say("The bot did not stop when asked; it is killed.")
        with contextlib.suppress(ProcessLookupError):
            bot.kill()
    await ended
    if hasattr(os, "killpg"):  # not on Windows
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(bot.pid, signal.SIGKILL)


@contextlib.contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set the event at Ctrl-C, SIGTERM or SIGHUP instead of ending the process."""
    loop = asyncio.get_running_loop()
    caught = []
    for number in filter(None, (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None))):  # none on Windows
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop.set)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
