"""The speed and the costs of the bot, with a few or with thousands of games.

Run it with `python -m benchmarks.bot_speed` from the project's folder; `--quick` for a look in a minute or two,
`--baseline COMMIT` to measure the bot of an earlier commit as well. `--goal` measures the goal alone, what 25
sends a second cost with 100 tables, and exits with 1 if it is missed. The bot runs as its own process as an operator
would start it, durable as always, over HTTP against a Bot API server that only keeps time. Flood limits are lifted, so
the numbers measure the bot and not Telegram's pace. Prints markdown tables.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import psutil
from sqlalchemy import text

from benchmarks.bot_load.checkouts import PROJECT, checked_out, environment, seed_by
from benchmarks.bot_load.people import People, percentiles
from benchmarks.bot_load.seed import USUAL_SEATS
from benchmarks.bot_load.server import TOKEN, BotApiServer
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.storage.database import Database
from test_support.postgres import PostgresServer, running_postgres

BOT: Final = (sys.executable, "-m", "telegram_bot.cli", "run")
ECHO: Final = (sys.executable, "-m", "benchmarks.bot_load.echo")
SENDS: Final = ("sendMessage", "editMessageText", "editMessageReplyMarkup")
SENDS_A_TAP: Final = 4.6
"""An estimate: a game's first bid takes three, the end of a round about ten. The real sends are counted."""
CEILING: Final = 30
"""Sends a second that Telegram allows a bot."""
GOAL_SENDS: Final = 25
"""Sends a second that the bot allows itself."""
GOAL_SHARE: Final = 0.25
"""The most CPU, as a share of a core."""
BEFORE_GOAL_SECONDS: Final = 20
"""Until most tables have bid: each chat costs something once, for its lane and for knowing that it is reached."""
GOAL_SECONDS: Final = 60
"""About 320 taps, so that one slow answer alone is not the 99th percentile."""
GOAL_ANSWER_MS: Final = 60
"""The limit for 99 of 100 taps, from the tap to its answer."""
AT_ONCE: Final = 50
GROWTH: Final = ((2, 0), (4, 0), (8, 0), (4, 1000), (4, 5000))
"""The number of people at a table, and of the games that were played before."""
MISSED: Final = "missed"
WAITS: Final = ("answer p50, ms", "p99", "sent p50, ms", "p99")
READY_SECONDS: Final = 60
FAST: Final = {
    "PERUDO_LIMITS__PER_BOT_PER_SECOND": "1000",
    "PERUDO_LIMITS__PER_CHAT_SECONDS": "0",
    "PERUDO_LIMITS__PER_GROUP_PER_MINUTE": "1000",
    "PERUDO_LOG_LEVEL": "WARNING",
    "PERUDO_PICTURES__HANDS": "false",
    "PERUDO_PICTURES__REVEALS": "false",
}


@dataclass(frozen=True, slots=True)
class House:
    """The configuration in which the bot runs."""

    name: str
    command: Sequence[str] = BOT
    postgresql: bool = False
    webhook: bool = False
    source: Path = PROJECT
    """The checkout whose bot runs, and whose seed fills the database."""


HOUSES: Final = (
    House("python-telegram-bot alone", ECHO),
    House("SQLite"),
    House("SQLite, webhook", webhook=True),
    House("PostgreSQL, 1 worker", postgresql=True, webhook=True),
)


Measure = Callable[[House, str, int, float], Awaitable[str]]
"""Gives one row of a table: of this house, at this database, with so many tables, for so many seconds."""


@dataclass(slots=True)
class Running:
    """A running bot."""

    people: People
    server: BotApiServer
    process: asyncio.subprocess.Process
    ready_after: float

    def sent(self) -> int:
        """Messages sent and edited; answers to taps do not count against Telegram's limit."""
        return sum(self.server.calls[method] for method in SENDS)

    def cpu(self) -> float:
        """Return the seconds of CPU that the bot's process has used."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system


@contextlib.asynccontextmanager
async def running(
    house: House,
    url: str,
    tables: int,
    *,
    seats: int = USUAL_SEATS,
    past: int = 0,
    settings: Mapping[str, str] | None = None,
) -> AsyncIterator[Running]:
    """Yield the bot, ready, over a database with so many tables, people at each, and finished games."""
    await seed_by(house.source, url, tables, seats=seats, past=past)
    people = People(tables, openers(url))
    port = free_port()
    hooks = [f"http://127.0.0.1:{port}/telegram"] if house.webhook else None
    async with BotApiServer(people.on_call, hooks).serving() as server:
        people.server = server
        begun = time.perf_counter()
        env = {
            **environment(house.source),
            **FAST,
            **(settings or {}),
            "PERUDO_TOKEN": TOKEN,
            "PERUDO_API_BASE_URL": f"{server.url}/bot",
            "DATABASE_URL": url,
            "PERUDO_WEB__PORT": str(port),
            "PERUDO_WEBHOOK__URL": f"{hooks[0]}" if hooks else "",
        }
        process = await asyncio.create_subprocess_exec(*house.command, env=env, cwd=house.source)
        try:
            if house.command is BOT:
                await ready(port)
            else:
                while not server.calls["getUpdates"]:  # noqa: ASYNC110 - until it begins
                    await asyncio.sleep(0.01)
            yield Running(people, server, process, time.perf_counter() - begun)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def ready(port: int) -> None:
    """Wait until a worker reports that it is ready."""
    end = time.perf_counter() + READY_SECONDS
    async with httpx.AsyncClient(trust_env=False) as client:
        while time.perf_counter() < end:
            with contextlib.suppress(httpx.HTTPError):
                if (await client.get(f"http://127.0.0.1:{port}/readyz")).is_success:
                    return
            await asyncio.sleep(0.02)
    raise TimeoutError("the bot did not get ready")


def openers(url: str) -> dict[int, int]:
    """Return the seat on turn at each table."""
    database = Database(url)
    with database.transaction() as session:
        live = session.execute(text("SELECT id, state FROM game_table WHERE live"))
        states = {table: json.loads(state) if isinstance(state, str) else state for table, state in live}
        found = {table: state["game"]["turn"] for table, state in states.items()}
    database.close()
    return found


@contextlib.contextmanager
def database_for(house: House, server: PostgresServer, folder: Path) -> Iterator[str]:
    """Yield the URL of an empty database."""
    if house.postgresql:
        with server.fresh(migrated=False) as url:  # each checkout brings its own tables
            yield url
    else:
        yield f"sqlite:///{folder}/{time.monotonic_ns()}.db"


@dataclass(frozen=True, slots=True)
class Steady:
    """Taps at the pace that fills Telegram's thirty sends a second."""

    sends: float
    """A second."""
    answer: tuple[float, float]
    send: tuple[float, float]
    """Milliseconds, the median and the 99th percentile."""
    share: float
    """The share of one core."""
    a_tap: float
    """Seconds of CPU."""
    unanswered: int


async def steadily(bot: Running, seconds: float, sends: float = CEILING, before: float = 5) -> Steady:
    """Tap at the pace that makes so many sends a second, which is found while tapping; `before`: seconds uncounted."""
    await bot.people.steadily(sends / SENDS_A_TAP, before)
    await bot.people.settle()
    bot.people.forget()
    cpu, sent, taps, begun = bot.cpu(), bot.sent(), bot.people.taps, time.perf_counter()
    while (passed := time.perf_counter() - begun) < seconds:
        missing = sends * (passed + 1) - (bot.sent() - sent)
        await bot.people.steadily(max(1, round(missing / SENDS_A_TAP)), 1)
    passed, spent = time.perf_counter() - begun, bot.cpu() - cpu
    await bot.people.settle()
    return Steady(
        sends=(bot.sent() - sent) / passed,
        answer=percentiles(bot.people.waits.answers),
        send=percentiles(bot.people.waits.sends),
        share=spent / passed,
        a_tap=spent / max(1, bot.people.taps - taps),
        unanswered=bot.people.unanswered,
    )


async def latency(house: House, url: str, tables: int, seconds: float) -> str:
    """Measure taps at the pace that fills Telegram's thirty sends a second."""
    async with running(house, url, tables) as bot:
        was = await steadily(bot, seconds)
    return (
        f"| {house.name} | {tables:,} | {was.sends:.0f} | {was.answer[0]:.0f} | {was.answer[1]:.0f} | "
        f"{was.send[0]:.0f} | {was.send[1]:.0f} | {was.share:.0%} | {was.a_tap * 1000:.1f} | {was.unanswered} |"
    )


async def goal(house: House, url: str, tables: int, seconds: float) -> str:
    """Measure the bot's cost at its own limit, and compare it with the goal."""
    async with running(house, url, tables) as bot:
        was = await steadily(bot, seconds, GOAL_SENDS, BEFORE_GOAL_SECONDS)
    missed = was.share > GOAL_SHARE or was.answer[1] > GOAL_ANSWER_MS or was.unanswered > 0
    verdict = MISSED if missed else "met"
    return (
        f"| {house.name} | {tables:,} | {was.sends:.1f} | {was.share:.1%} | {was.share / was.sends * 1000:.1f} | "
        f"{was.answer[0]:.0f} | {was.answer[1]:.0f} | {was.send[0]:.0f} | {was.send[1]:.0f} | {verdict} |"
    )


async def growth(house: House, url: str, tables: int, seconds: float, *, seats: int, past: int) -> str:
    """Measure the same with more people at a table, or with more finished games."""
    async with running(house, url, tables, seats=seats, past=past) as bot:
        was = await steadily(bot, seconds)
    return (
        f"| {house.name} | {tables:,} | {seats} | {past:,} | {was.a_tap * 1000:.1f} | "
        f"{was.answer[0]:.0f} | {was.answer[1]:.0f} |"
    )


async def throughput(house: House, url: str, tables: int, seconds: float) -> str:
    """Measure how many taps a second the bot answers at most."""
    async with running(house, url, tables) as bot:
        await bot.people.as_fast_as_possible(AT_ONCE, 2)
        before, cpu, sent = time.perf_counter(), bot.cpu(), bot.sent()
        rate = await bot.people.as_fast_as_possible(AT_ONCE, seconds)
        passed = time.perf_counter() - before
        share, sends = (bot.cpu() - cpu) / passed, (bot.sent() - sent) / passed
    return (
        f"| {house.name} | {tables:,} | {rate:.0f} | {sends:.0f} | {sends / CEILING:.1f} | {share:.0%} | "
        f"{share / rate * 1000:.1f} |"
    )


async def idle(house: House, url: str, tables: int, seconds: float) -> str:
    """Measure the cost of waiting deadlines, and the time until a bot with so many games is ready."""
    async with running(house, url, tables) as bot:
        await asyncio.sleep(5)
        cpu, begun = bot.cpu(), time.perf_counter()
        await asyncio.sleep(seconds)
        share = (bot.cpu() - cpu) / (time.perf_counter() - begun)
        return f"| {house.name} | {tables:,} | {bot.ready_after:.1f} | {share:.2%} |"


def beside_baseline(commit: str, folder: Path) -> list[House]:
    """Return the houses, each followed by the same house with the bot of an earlier commit."""
    source = checked_out(commit, folder)
    houses = []
    for house in HOUSES:
        houses.append(house)
        if house.command is BOT:
            houses.append(replace(house, name=f"{house.name}, at {commit[:7]}", source=source))
    return houses


async def main(*, quick: bool, goal_alone: bool, baseline: str | None) -> int:
    """Measure and print; 1 if the goal is missed."""
    seconds, counts = (5.0, (1, 100)) if quick else (20.0, (1, 100, 1000))
    many = 1000 if quick else 10_000
    told: list[str] = []
    with running_postgres() as server, tempfile.TemporaryDirectory() as name:
        durable(server)
        folder = Path(name)
        houses = HOUSES if baseline is None else beside_baseline(baseline, folder)

        async def rows(measure: Measure, houses: Sequence[House], tables: Sequence[int]) -> None:
            for count in tables:
                for house in houses:
                    with database_for(house, server, folder) as url:
                        told.append(await measure(house, url, count, seconds))
                        say(told[-1])

        if goal_alone:
            head("goal", "live tables", "sends/s", "of a core", "CPU a send, ms", *WAITS, "")
            seconds = GOAL_SECONDS
            await rows(goal, [house for house in houses if house.command is BOT], (100,))
            return int(any(MISSED in row for row in told if "at " not in row))
        head("steady taps", "live tables", "sends/s", *WAITS, "of a core", "CPU a tap, ms", "unanswered")
        await rows(latency, houses, counts)
        head(
            "as fast as possible",
            "live tables",
            "taps/s",
            "sends/s",
            "times Telegram's limit",
            "of a core",
            "CPU a tap, ms",
        )
        await rows(throughput, houses, (100,))
        head("growth", "live tables", "at a table", "games before", "CPU a tap, ms", *WAITS[:2])
        for seats, past in GROWTH[:2] if quick else GROWTH:
            await rows(partial(growth, seats=seats, past=past), HOUSES[1:4:2], (100,))
        head("idle", "live tables", "ready after, s", "of a core, each worker")
        await rows(idle, [house for house in HOUSES if house.command is BOT], (many,))
        return 0


def durable(server: PostgresServer) -> None:
    """Set what an operator's server has: committed data is on the disk."""
    with server.maintenance.connect() as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = on"))
        connection.execute(text("SELECT pg_reload_conf()"))


def head(*columns: str) -> None:
    """Print the head of a table."""
    say(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")


def say(line: str) -> None:
    """Print at once, because the whole takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look in a minute or two")
    parser.add_argument("--goal", action="store_true", help="the goal alone; exits with 1 if it is missed")
    parser.add_argument("--baseline", metavar="COMMIT", help="also measure the bot of this commit")
    arguments = parser.parse_args()
    sys.exit(asyncio.run(main(quick=arguments.quick, goal_alone=arguments.goal, baseline=arguments.baseline)))
