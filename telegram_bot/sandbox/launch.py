"""The sandbox and a bot in it, started and stopped together."""

import asyncio
import contextlib
import ctypes
import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from telegram_bot.sandbox.server import PortTakenError, RunningSandbox, running_sandbox
from telegram_bot.sandbox.settings import SandboxSettings
from telegram_bot.sandbox.texting_api import PASSWORD, USER

HOOK = "/sms/sandbox"
PATIENCE_SECONDS = 10.0
STOPPED = 0
SET_PARENT_DEATH_SIGNAL = 1
FAILED = 1


async def run(settings: SandboxSettings, bot_command: Sequence[str], env: Mapping[str, str] | None = None) -> int:
    """Serve a sandbox, run the bot against it, and return the exit code.

    0 after Ctrl-C or SIGTERM; not 0 when the bot ends by itself or nothing can be started. `env` is the bot's
    environment, this process's where it is None; the addresses and the token are added to it.
    """
    if settings.phones:
        settings = replace(settings, text_hook=f"http://127.0.0.1:{_free_port()}{HOOK}?secret={PASSWORD}")
    stop = asyncio.Event()
    with _signals(stop):
        try:
            async with running_sandbox(settings) as sandbox:
                _say(f"The sandbox is at {sandbox.url}")
                return await _run_bot(sandbox, bot_command, os.environ if env is None else env, stop)
        except PortTakenError as error:
            _say(f"The sandbox cannot start: {error}.")
            return FAILED


async def _run_bot(
    sandbox: RunningSandbox,
    command: Sequence[str],
    env: Mapping[str, str],
    stop: asyncio.Event,
) -> int:
    try:
        # In a session of its own, so that Ctrl-C reaches it once: from here.
        bot = await asyncio.create_subprocess_exec(
            *command,
            env={**env, **_addresses(sandbox)},
            start_new_session=True,
            preexec_fn=_dies_with_its_parent(),
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


def _dies_with_its_parent() -> Callable[[], None] | None:
    """What the bot does before it begins, so that not even SIGKILL of this process leaves it behind; Linux only."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)

    def before() -> None:
        libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)

    return before


def _addresses(sandbox: RunningSandbox) -> dict[str, str]:
    return {
        "PERUDO_TOKEN": sandbox.token,
        "PERUDO_API_BASE_URL": sandbox.bot_base_url,
        "PERUDO_API_FILE_URL": sandbox.file_base_url,
        **_telephone(sandbox),
    }


def _telephone(sandbox: RunningSandbox) -> dict[str, str]:
    """The sandbox as the bot's gateway: to the bot it is a Kannel."""
    settings = sandbox.world.settings
    if settings.text_hook is None:
        return {}
    gateway = {
        "kind": "kannel",
        "name": "sandbox",
        "number": settings.text_number,
        "username": USER,
        "password": PASSWORD,
        "secret": PASSWORD,
        "api_url": sandbox.url,
    }
    return {
        "PERUDO_WEB__HOST": "127.0.0.1",
        "PERUDO_WEB__PORT": str(urlsplit(settings.text_hook).port),
        "PERUDO_SMS__KEY": secrets.token_urlsafe(32),
        "PERUDO_SMS__GATEWAYS": json.dumps([gateway]),
    }


def _free_port() -> int:
    """A port for the bot, on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _end(bot: asyncio.subprocess.Process, ended: "asyncio.Task[int]") -> None:
    """Ask the bot to stop, and insist if it does not."""
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


@contextlib.contextmanager
def _signals(stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    caught = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
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
