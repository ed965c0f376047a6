"""A sandbox and the bot in one event loop in virtual time: people wait for clocks, and nobody waits for real."""

import asyncio
import logging
import random
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, chdir, redirect_stderr
from functools import wraps
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, Final, ParamSpec
from unittest import mock

import structlog

from telegram_bot.app import App
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.observability.logging import set_up
from telegram_bot.settings import Settings, load_settings
from telegram_bot.side_process import SideProcess
from telegram_sandbox import RunningSandbox, SandboxSettings, user_actions
from telegram_sandbox import World as Messenger
from telegram_sandbox.server import create_app
from telegram_sandbox.virtual_time import VirtualLoop, run
from test_support.open_database import open_database
from test_support.scripted_bot import CountedReaders, ScriptedApp, planned
from test_support.simulation.network import Network, Server
from test_support.world import World

P = ParamSpec("P")
PORT: Final = 1


def in_virtual_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    @wraps(test)
    def at_once(*args: P.args, **kwargs: P.kwargs) -> None:
        run(test(*args, **kwargs))

    return at_once


class VirtualBot(BaseProcess):
    """The bot as a program of this loop."""

    def __init__(self, app: App) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        self._program = loop.process("bot")
        self._task = self._program.run(app.run())

    @property
    def exitcode(self) -> int | None:
        """The exit code; negative after a kill, or None while it runs."""
        if not self._program.alive:
            return -9
        if not self._task.done():
            return None
        return 0 if self._task.cancelled() else 1

    def kill(self) -> None:
        self._program.kill()

    def terminate(self) -> None:
        self._task.cancel()


class VirtualWorld(World):
    """A world without a socket, a thread or a process; it has no pages, and no phones that text."""

    @staticmethod
    @asynccontextmanager
    async def served(settings: SandboxSettings | None = None) -> AsyncIterator[RunningSandbox]:
        assert settings is not None
        messenger = Messenger(settings)
        messenger.loop = asyncio.get_running_loop()
        random.seed(1)
        user_actions.start(messenger, *messenger.active_people())
        # The error of a request comes into the log, and so into the audit.
        network = Network(Random(1), lambda task: None if task.cancelled() else task.result(), healthy=True)
        app = create_app(messenger)
        network.servers = {PORT: lambda: Server(app)}
        url = f"http://127.0.0.1:{PORT}"
        with network.carries_httpx(), mock.patch.object(SideProcess, "ask", _answer):
            try:
                yield RunningSandbox(messenger, url, url, settings.token)
            finally:
                await messenger.close()

    def spawn(self, number: int) -> VirtualBot:
        with mock.patch.dict("os.environ", self.environment(number), clear=True), chdir(self.folder):
            settings = load_settings()
        if not self.bots:
            self._stack = ExitStack()
            _log(self._stack, settings, self.log)
            self._stack.enter_context(planned(self.plan))
            install(FEATURES, settings.features)
        database = open_database(self.database_url)
        self._stack.callback(database.close)
        self.readers[number] = CountedReaders.told
        return VirtualBot(ScriptedApp(settings, database))

    async def destroy_bot(self) -> None:
        await super().destroy_bot()
        self._stack.close()


async def _answer(process: SideProcess[Any], *args: Any, **kwargs: Any) -> bytes:
    """Answer the question of a side process in this one."""
    process.prepare()
    answer: bytes = process.function(*args, **kwargs)
    return answer


def _log(stack: ExitStack, settings: Settings, file: Path) -> None:
    """Write the bot's log into a file, and give pytest its own handlers back at the end."""
    root = logging.getLogger()
    for place, name in ((root, "handlers"), (root, "level"), (sys, "excepthook"), (threading, "excepthook")):
        stack.enter_context(mock.patch.object(place, name, getattr(place, name)))
    root.handlers = []
    stack.callback(structlog.reset_defaults)
    stack.callback(logging.captureWarnings, capture=False)
    with redirect_stderr(stack.enter_context(file.open("a", encoding="utf-8"))):
        set_up(settings)
