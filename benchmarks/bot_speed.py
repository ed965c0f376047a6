"""How quick the bot is, and what it costs, with a few or thousands of games.

Run it with `python -m benchmarks.bot_speed` from the project's folder; `--quick` for a look in a minute or two.
The bot runs as its own process as an operator would start it, durable as always, over HTTP against a Bot API server
that does nothing but keep time. Flood limits are lifted, so that what is measured is the bot and not Telegram's pace.
Prints markdown tables.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psutil
from sqlalchemy import text
from sqlmodel import col, select

from benchmarks.bot_load.people import People, percentiles
from benchmarks.bot_load.seed import seed
from benchmarks.bot_load.server import TOKEN, BotApiServer
from telegram_bot.storage.database import Database
from telegram_bot.storage.rows import GameTable
from tests.databases import PostgresServer, running_postgres

BOT: Final = (sys.executable, "-m", "telegram_bot.cli", "run")
ECHO: Final = (sys.executable, "-m", "benchmarks.bot_load.echo")
SENDS_A_TAP: Final = 2
CEILING: Final = 30
"""Sends a second that Telegram allows a bot."""
AT_ONCE: Final = 50
WAITS: Final = ("answer p50, ms", "p99", "sent p50, ms", "p99")
READY_SECONDS: Final = 60
FAST: Final = {
    "PERUDO_LIMITS__PER_BOT_PER_SECOND": "1000",
    "PERUDO_LIMITS__PER_CHAT_SECONDS": "0",
    "PERUDO_LIMITS__PER_GROUP_PER_MINUTE": "1000",
    "PERUDO_LOG_LEVEL": "WARNING",
}


@dataclass(frozen=True, slots=True)
class House:
    """How the bot is run."""

    name: str
    command: Sequence[str] = BOT
    postgresql: bool = False
    workers: int = 1
    webhook: bool = False


HOUSES: Final = (
    House("python-telegram-bot alone", ECHO),
    House("SQLite"),
    House("SQLite, webhook", webhook=True),
    House("PostgreSQL, 1 worker", postgresql=True, webhook=True),
    House("PostgreSQL, 2 workers", postgresql=True, workers=2, webhook=True),
)


Measure = Callable[[House, str, int, float], Awaitable[str]]
"""Gives one row of a table: of this house, at this database, with so many tables, for so many seconds."""


@dataclass(slots=True)
class Running:
    """A bot that runs."""

    people: People
    server: BotApiServer
    processes: list[asyncio.subprocess.Process]
    ready_after: float

    def cpu(self) -> float:
        """Seconds of CPU that its processes have used."""
        times = [psutil.Process(process.pid).cpu_times() for process in self.processes]
        return sum(one.user + one.system for one in times)


@contextlib.asynccontextmanager
async def running(house: House, url: str, tables: int) -> AsyncIterator[Running]:
    """The bot, up and ready, over a database with so many tables."""
    await seed(url, tables)
    people = People(tables, openers(url))
    ports = [free_port() for _ in range(house.workers)]
    hooks = [f"http://127.0.0.1:{port}/telegram" for port in ports] if house.webhook else None
    async with BotApiServer(people.on_call, hooks).serving() as server:
        people.server = server
        begun = time.perf_counter()
        processes = []
        for port in ports:
            env = {
                **os.environ,
                **FAST,
                "PERUDO_TOKEN": TOKEN,
                "PERUDO_API_BASE_URL": f"{server.url}/bot",
                "PERUDO_DATABASE_URL": url,
                "PERUDO_WEB__PORT": str(port),
                "PERUDO_WEBHOOK__URL": f"{hooks[0]}" if hooks else "",
            }
            processes.append(await asyncio.create_subprocess_exec(*house.command, env=env))
        try:
            if house.command is BOT:
                await asyncio.gather(*(ready(port) for port in ports))
            else:
                while not server.calls["getUpdates"]:  # noqa: ASYNC110 - until it begins
                    await asyncio.sleep(0.01)
            yield Running(people, server, processes, time.perf_counter() - begun)
        finally:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
            for process in processes:
                await process.wait()


async def ready(port: int) -> None:
    """Wait until a worker says that it is."""
    end = time.perf_counter() + READY_SECONDS
    async with httpx.AsyncClient(trust_env=False) as client:
        while time.perf_counter() < end:
            with contextlib.suppress(httpx.HTTPError):
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).is_success:
                    return
            await asyncio.sleep(0.02)
    raise TimeoutError("the bot did not get ready")


def openers(url: str) -> dict[int, int]:
    """Whose turn it is at each table."""
    database = Database(url)
    with database.transaction() as session:
        found = {
            row.id or 0: row.state["game"]["turn"] for row in session.exec(select(GameTable).where(col(GameTable.live)))
        }
    database.close()
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def database_for(house: House, server: PostgresServer, folder: Path) -> Iterator[str]:
    """The URL of an empty database."""
    if house.postgresql:
        with server.fresh() as url:
            yield url
    else:
        yield f"sqlite:///{folder}/{time.monotonic_ns()}.db"


async def latency(house: House, url: str, tables: int, seconds: float) -> str:
    """Taps at the pace that fills Telegram's thirty sends a second."""
    pace = CEILING / SENDS_A_TAP
    async with running(house, url, tables) as bot:
        await bot.people.steadily(pace, 3)
        await bot.people.settle()
        bot.people.forget()
        cpu, taps, begun = bot.cpu(), bot.people.taps, time.perf_counter()
        await bot.people.steadily(pace, seconds)
        passed = time.perf_counter() - begun
        share = (bot.cpu() - cpu) / passed
        await bot.people.settle()
        answer, send = percentiles(bot.people.waits.answers), percentiles(bot.people.waits.sends)
        done = (bot.people.taps - taps) / passed
        lost = bot.people.unanswered
    return (
        f"| {house.name} | {tables:,} | {done * SENDS_A_TAP:.0f} | {answer[0]:.0f} | {answer[1]:.0f} | {send[0]:.0f} | "
        f"{send[1]:.0f} | {share:.0%} | {lost} |"
    )


async def throughput(house: House, url: str, tables: int, seconds: float) -> str:
    """As many taps as are answered."""
    async with running(house, url, tables) as bot:
        await bot.people.as_fast_as_possible(AT_ONCE, 2)
        before, cpu = time.perf_counter(), bot.cpu()
        rate = await bot.people.as_fast_as_possible(AT_ONCE, seconds)
        share = (bot.cpu() - cpu) / (time.perf_counter() - before)
    return f"| {house.name} | {tables:,} | {rate:.0f} | {rate * SENDS_A_TAP / CEILING:.1f} | {share:.0%} |"


async def idle(house: House, url: str, tables: int, seconds: float) -> str:
    """What waiting deadlines cost, and how soon a bot with so many games is ready."""
    async with running(house, url, tables) as bot:
        await asyncio.sleep(5)
        cpu, begun = bot.cpu(), time.perf_counter()
        await asyncio.sleep(seconds)
        share = (bot.cpu() - cpu) / (time.perf_counter() - begun) / house.workers
        return f"| {house.name} | {tables:,} | {bot.ready_after:.1f} | {share:.2%} |"


async def main(*, quick: bool) -> None:
    """Measure and print."""
    seconds, counts = (5.0, (1, 100)) if quick else (20.0, (1, 100, 1000))
    many = 1000 if quick else 10_000
    with running_postgres() as server, tempfile.TemporaryDirectory() as name:
        durable(server)
        folder = Path(name)

        async def rows(measure: Measure, houses: Sequence[House], tables: Sequence[int]) -> None:
            for count in tables:
                for house in houses:
                    with database_for(house, server, folder) as url:
                        say(await measure(house, url, count, seconds))

        head("steady taps", "live tables", "sends/s", *WAITS, "of a core", "unanswered")
        await rows(latency, HOUSES, counts)
        head("as fast as possible", "live tables", "taps/s", "times Telegram's limit", "of a core")
        await rows(throughput, HOUSES, (100,))
        head("idle", "live tables", "ready after, s", "of a core, each worker")
        await rows(idle, [house for house in HOUSES if house.command is BOT], (many,))


def durable(server: PostgresServer) -> None:
    """As an operator's server is: what is committed is on the disk."""
    with server.maintenance.connect() as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = on"))
        connection.execute(text("SELECT pg_reload_conf()"))


def head(*columns: str) -> None:
    """Begin a table."""
    say(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")


def say(line: str) -> None:
    """Print at once: it takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look in a minute or two")
    asyncio.run(main(quick=parser.parse_args().quick))
