"""The way of one tapped bid: the bot's own functions, files, statements, commits, calls to Telegram, and the spine.

Run it with `python -m benchmarks.trace` from the project's folder; `--all` lists each function and each statement.
The bot runs in this process, with a webhook and SQLite, against the Bot API server of `benchmarks.bot_speed`. The
second bid of a game is traced, from the moment it is tapped until nothing of it is left to do. The spine are the
functions under which a row is written or Telegram is called, in the order in which they begin.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import Engine

from benchmarks.bot_load.checkouts import PROJECT
from benchmarks.bot_load.people import People
from benchmarks.bot_load.seed import seed
from benchmarks.bot_load.server import TOKEN, BotApiServer
from benchmarks.bot_speed import FAST, openers, ready
from telegram_bot import app
from telegram_bot.channels.telegram.http_client import BotApiRequest
from telegram_bot.delivery import worker
from telegram_bot.ingress import deadlines, inbox
from telegram_bot.settings import load_settings
from telegram_bot.storage.database import Database
from test_support.bot_process import free_port

BOT: Final = f"{PROJECT}/telegram_bot/"
INNER: Final = ("<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
"""Parts of a function, which are no hop of their own."""
PIPES: Final = ("storage/", "observability/")
"""Functions that every statement passes, which are no hop of the spine."""
WRITES: Final = ("INSERT", "UPDATE", "DELETE")
QUIET_SECONDS: Final = 0.5
LONG_SECONDS: Final = 3600.0


class Trace:
    """Counts while `on`."""

    def __init__(self) -> None:
        self.on = False
        self.functions: dict[CodeType, int] = {}
        """With the order of their first calls."""
        self.spine: set[CodeType] = set()
        self.statements: Counter[str] = Counter()
        self.commits = 0
        self.calls: list[str] = []

    def profile(self, frame: FrameType, what: str, _: Any) -> None:
        """For `sys.setprofile`."""
        if self.on and what == "call" and is_own(frame.f_code):
            self.functions.setdefault(frame.f_code, len(self.functions))
            if frame.f_code is BotApiRequest.do_request.__code__:
                self.effect()

    def statement(self, _connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        """Before a statement is executed."""
        if self.on:
            self.statements[" ".join(text.split())] += 1
            if text.startswith(WRITES):
                self.effect()

    def commit(self, _: Any) -> None:
        """Before a commit."""
        self.commits += self.on

    def effect(self) -> None:
        """Everything that is under way at this moment is part of the spine."""
        self.spine.update(code for code in stack() if not place(code).startswith(PIPES))


def is_own(code: CodeType) -> bool:
    """Whether it is a function of the bot's own."""
    return code.co_filename.startswith(BOT) and code.co_name not in INNER


def place(code: CodeType) -> str:
    """Its file."""
    return code.co_filename.removeprefix(BOT)


def stack() -> Iterator[CodeType]:
    """The bot's functions that are under way in this thread."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - what `inspect` does
    while frame is not None:
        if is_own(frame.f_code):
            yield frame.f_code
        frame = frame.f_back


async def traced(url: str) -> Trace:
    """The trace of one bid."""
    trace = Trace()
    for module, pause in (
        (worker, "POLL_SECONDS"),
        (deadlines, "SWEEP_SECONDS"),
        (inbox, "LOOK_SECONDS"),
    ):
        setattr(module, pause, LONG_SECONDS)  # what runs all the time is no part of the bid
    await seed(url, 1)
    people = People(1, openers(url))
    people._rng = random.Random(1)  # noqa: SLF001 - whose first two calls are bids
    port = free_port()
    hook = f"http://127.0.0.1:{port}/telegram"

    def on_call(method: str, params: dict[str, Any], now: float) -> None:
        if trace.on:
            trace.calls.append(method)
        people.on_call(method, params, now)

    async with BotApiServer(on_call, [hook]).serving() as server:
        people.server = server
        os.environ |= FAST | {
            "PERUDO_TOKEN": TOKEN,
            "PERUDO_API_BASE_URL": f"{server.url}/bot",
            "PERUDO_API_FILE_URL": f"{server.url}/file/bot",
            "PERUDO_DATABASE_URL": url,
            "PERUDO_WEB__PORT": str(port),
            "PERUDO_WEBHOOK__URL": hook,
        }
        threading.setprofile(trace.profile)
        sys.setprofile(trace.profile)
        event.listen(Engine, "before_cursor_execute", trace.statement)
        event.listen(Engine, "commit", trace.commit)
        database = Database(url)
        bot = asyncio.create_task(app.App(load_settings(), database).run())
        await ready(port)
        for counted in (False, True):
            trace.on = counted
            people.tap()
            await people.settle()
            await asyncio.sleep(QUIET_SECONDS)
        trace.on = False
        sys.setprofile(None)
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)
        database.close()
    return trace


def report(trace: Trace, *, everything: bool) -> Iterator[str]:
    """The lines to print."""
    files = {place(code) for code in trace.functions}
    spine = [code for code in trace.functions if code in trace.spine]
    yield "| functions | files | spine | statements | commits | calls to Telegram |\n|" + " --- |" * 6
    numbers = (len(trace.functions), len(files), len(spine), trace.statements.total(), trace.commits, len(trace.calls))
    yield f"| {' | '.join(str(number) for number in numbers)} |\n"
    for code in trace.functions if everything else spine:
        yield f"{'*' if everything and code in trace.spine else ' '} {place(code)}: {code.co_qualname}"
    if everything:
        yield from (f"{times} x {text}" for text, times in trace.statements.items())
        yield ", ".join(trace.calls)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="each function and statement")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bid = asyncio.run(traced(f"sqlite:///{Path(folder)}/trace.db"))
    sys.stdout.writelines(f"{line}\n" for line in report(bid, everything=arguments.all))
