"""The way of one tapped bid: functions, files, statements, commits, calls to Telegram, and the longest stack.

Run it with `python -m benchmarks.trace` from the project's folder; `--all` lists each function and each statement,
`--write` puts the longest stack into `docs/architecture.md` and the figures into `benchmarks/figures.toml` and its
pages, and `--check` compares them. The bot runs in this process,
with a webhook and SQLite, against the Bot API server of `benchmarks.bot_speed`. The fifth bid of a game is traced, when
everything is warm, from the moment it is tapped until nothing of it is left to do.
"""

import argparse
import asyncio
import os
import random
import re
import subprocess
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
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.ingress import deadlines, inbox
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import load_settings
from telegram_bot.storage.database import Database

BOT: Final = f"{PROJECT}/telegram_bot/"
INNER: Final = ("<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
"""Parts of a function, which are no hop of their own."""
STACK_PAGE: Final = PROJECT / "docs/architecture.md"
STACK: Final = re.compile(r"(?<=<!-- the longest stack -->\n).*?(?=<!-- -->)", re.DOTALL)
FIGURES_FILE: Final = PROJECT / "benchmarks/figures.toml"
FIGURES: Final = re.compile(r'(?<="""\n)\| functions \|.*?(?=""")', re.DOTALL)
TAPS: Final = 5
WRITES: Final = ("INSERT", "UPDATE", "DELETE")
PIPES: Final = ("storage/", "observability/")
"""Functions that every statement passes."""
QUIET_SECONDS: Final = 0.5
LONG_SECONDS: Final = 3600.0


class Trace:
    """Counts while `on`."""

    def __init__(self) -> None:
        self.on = False
        self.executed = 0
        """All statements, also while not `on`."""
        self.functions: dict[CodeType, int] = {}
        """With the order of their first calls."""
        self.longest: list[str] = []
        """The most functions under way while a row is written or Telegram is called, the outermost first."""
        self.statements: Counter[str] = Counter()
        self.commits = 0
        self.calls: list[str] = []

    def profile(self, frame: FrameType, what: str, _: Any) -> None:
        """Note the first call of each function of the bot; for `sys.setprofile`."""
        if self.on and what == "call" and is_own(frame.f_code):
            self.functions.setdefault(frame.f_code, len(self.functions))
            if frame.f_code is BotApiRequest.do_request.__code__:
                self.effect(frame)

    def statement(self, _connection: Any, _cursor: Any, text: str, *_: Any) -> None:
        """Count a statement, before it is executed."""
        self.executed += 1
        if self.on:
            self.statements[" ".join(text.split())] += 1
            if text.startswith(WRITES):
                self.effect(sys._getframe())  # noqa: SLF001 - what `inspect` does

    def effect(self, frame: FrameType) -> None:
        """Record the stack at which a row is written or Telegram is called."""
        stack = [f"{place(code)}: {code.co_qualname}" for code in under_way(frame)][::-1]
        self.longest = max(self.longest, stack, key=lambda frames: (len(frames), frames))

    def commit(self, _: Any) -> None:
        """Count a commit."""
        self.commits += self.on


def is_own(code: CodeType) -> bool:
    """Return whether the bot's own code has the function."""
    return code.co_filename.startswith(BOT) and code.co_name not in INNER


def place(code: CodeType) -> str:
    """Return the file of a function."""
    return code.co_filename.removeprefix(BOT)


def under_way(frame: FrameType | None) -> Iterator[CodeType]:
    """Yield the bot's functions on the stack, the innermost first, without `PIPES`."""
    while frame is not None:
        if is_own(frame.f_code) and not place(frame.f_code).startswith(PIPES):
            yield frame.f_code
        frame = frame.f_back


async def played(bot: app.App) -> None:
    """Run the bot until it is cancelled."""
    async with bot.playing():
        await bot.run()


async def traced(url: str) -> Trace:
    """Return the trace of one bid."""
    trace = Trace()
    for module, pause in (
        (worker, "POLL_SECONDS"),
        (deadlines, "SWEEP_SECONDS"),
        (inbox, "LOOK_SECONDS"),
    ):
        setattr(module, pause, LONG_SECONDS)  # what runs all the time is no part of the bid
    await seed(url, 1)
    people = People(1, openers(url))
    people._rng = random.Random(1)  # noqa: SLF001 - whose first calls are bids
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
            "DATABASE_URL": url,
            "PERUDO_WEB__PORT": str(port),
            "PERUDO_WEBHOOK__URL": hook,
        }
        threading.setprofile(trace.profile)
        sys.setprofile(trace.profile)
        event.listen(Engine, "before_cursor_execute", trace.statement)
        event.listen(Engine, "commit", trace.commit)
        database = Database(url)
        bot = asyncio.create_task(played(app.App(load_settings(), database)))
        await ready(port)
        for tap in range(TAPS):
            trace.on = tap == TAPS - 1
            people.tap()
            await people.settle()
            executed = -1
            while executed != trace.executed:  # a busy machine takes longer
                executed = trace.executed
                await asyncio.sleep(QUIET_SECONDS)
        trace.on = False
        sys.setprofile(None)
        threading.setprofile(None)
        event.remove(Engine, "before_cursor_execute", trace.statement)
        event.remove(Engine, "commit", trace.commit)
        bot.cancel()
        await asyncio.gather(bot, return_exceptions=True)
        database.close()
    return trace


def report(trace: Trace, *, everything: bool) -> Iterator[str]:
    """Yield the lines to print."""
    yield f"{figures(trace)}\n"
    yield f"{trace.statements.total()} statements in {trace.commits} commits\n"
    yield from trace.longest
    if everything:
        yield "\nall functions:"
        yield from (f"{place(code)}: {code.co_qualname}" for code in trace.functions)
        yield from (f"{times} x {text}" for text, times in trace.statements.items())
        yield ", ".join(trace.calls)


def figures(trace: Trace) -> str:
    """Return the figures as a table, without those that vary from run to run."""
    files = {place(code) for code in trace.functions}
    sizes = map(len, (trace.functions, files, trace.longest, trace.calls))
    return (
        f"| functions | files | longest stack | calls to Telegram |\n|{' --- |' * 4}\n| {' | '.join(map(str, sizes))} |"
    )


def listed(trace: Trace) -> str:
    """Return the longest stack as the page lists it."""
    split = (line.split(": ") for line in trace.longest)
    return "".join(f"{at}. `{name}`, `telegram_bot/{file}`\n" for at, (file, name) in enumerate(split, start=1))


if __name__ == "__main__":
    install(FEATURES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="each function and statement")
    parser.add_argument("--write", action="store_true", help="put both into their pages")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a page differs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bid = asyncio.run(traced(f"sqlite:///{Path(folder)}/trace.db"))
    is_of_today = True
    for page, part, text in ((STACK_PAGE, STACK, listed(bid)), (FIGURES_FILE, FIGURES, f"{figures(bid)}\n")):
        before = page.read_text(encoding="utf-8")
        after = part.sub(lambda _, text=text: text, before)  # type: ignore[misc]
        is_of_today = is_of_today and after == before
        if arguments.write:
            page.write_text(after, encoding="utf-8")
    if arguments.write:
        subprocess.run([sys.executable, "-m", "test_support.generated_docs"], cwd=PROJECT, check=True)
    sys.stdout.writelines(f"{line}\n" for line in report(bid, everything=arguments.all))
    sys.exit(int(arguments.check and not is_of_today))
