"""The speed of the web seat's pages, and the failures that they survive: two workers behind Caddy, of which one plays.

Run it with `python -m benchmarks.web_seat` from the project's folder; `--only weight`, `bids`, `memory`, `network`,
`kills` or `door` for one part.
 Workers, Caddy (by config/deploy/Caddyfile), PostgreSQL and the browser are real; guests read
their streams over HTTP as static/net.js does. Prints Markdown; exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import ssl
import statistics
import sys
import sysconfig
import tempfile
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
import psycopg
from playwright.async_api import expect
from sqlalchemy import make_url

from benchmarks.bot_load.server import TOKEN, BotApiServer
from benchmarks.bot_speed import durable, head, ready, say
from telegram_bot.channels.web.streams import STREAMS_A_NETWORK
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database, connect
from test_support.bot_process import ended, start_bot
from test_support.chromium import running_chromium
from test_support.page_weight import (
    MOST_AGAIN_KB,
    MOST_FIRST_KB,
    MOST_JAVASCRIPT,
    MOST_PYTHON,
    page_weight,
    received,
    serving,
)
from test_support.postgres import running_postgres
from test_support.web_world import WebWorld

PROJECT: Final = Path(__file__).parents[1]
CADDYFILE: Final = (PROJECT / "config/deploy/Caddyfile").read_text(encoding="utf-8")
WORKERS: Final = 2
SEATS: Final = 4
TABLES: Final = 10
BIDS_A_SECOND: Final = 12.0
"""Moves of all tables; by Telegram a bot could not show more."""
SECONDS: Final = 30.0
STREAMS: Final = 1000
STREAMS_AN_ADDRESS: Final = 10
FLOOD: Final = 2000
"""Streams for which one /64 of IPv6 asks at once."""
FLOOD_SESSIONS: Final = 12
OPENED_AT_ONCE: Final = 10
KILLS: Final = 100
TABLES_KILLED: Final = 4
OUTAGES: Final = (1.0, 3.0, 6.0, 10.0)
STEADY_SECONDS: Final = 11.0
"""The time after which a page trusts its connection again, as in net.js."""
AGAIN: Final = (0.5, 1.0)
"""The number of seconds after which a page tries again, as in net.js."""
BIDS_BEFORE_DUDO: Final = 3
PATIENCE: Final = 60.0
MIB: Final = 2**20
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Shared by all clients: each would take 35 ms to make its own, in which no stream is read."""

MOST_BID_MS: Final = 300.0
MOST_BACK_SECONDS: Final = 2.0
MOST_STREAMS_MIB: Final = 60.0
SLOWER: Final = 1.25
"""The factor by which a bid with open streams may be slower, on a machine whose own pace changes."""

Json = dict[str, Any]


@dataclass(slots=True)
class Cluster:
    """Workers behind Caddy."""

    url: str
    bot_api: str
    database: str
    folder: Path
    ports: tuple[int, ...]
    workers: list[BaseProcess] = field(default_factory=list)

    @property
    def address(self) -> tuple[str, int]:
        """Caddy's."""
        return "127.0.0.1", int(self.url.rpartition(":")[2])

    async def start(self, number: int) -> None:
        """Start one worker, and wait until it or the other one plays."""
        variables = {
            "PERUDO_TOKEN": TOKEN,
            "PERUDO_API_BASE_URL": f"{self.bot_api}/bot",
            "PERUDO_WEBHOOK__URL": f"{self.url}/telegram",
            "DATABASE_URL": self.database,
            "PERUDO_LOG_LEVEL": "WARNING",
            "PERUDO_WEB__HOST": "127.0.0.1",
            "PERUDO_WEB__PORT": str(self.ports[number]),
            "PERUDO_WEB_SEAT__URL": self.url,
            "PERUDO_WEB_SEAT__TABLES": "true",
            "PERUDO_TABLE__RULEBOOK": "box_2009",
            "PERUDO_TABLE__REVEAL_SECONDS": "0",
            "PERUDO_QUOTAS__PERSON_TAPS_PER_MINUTE": "0",
            "PERUDO_QUOTAS__CHAT_TAPS_PER_MINUTE": "0",
        }
        own = {name: value for name, value in os.environ.items() if not name.startswith("PERUDO_")}
        readers = multiprocessing.Value("i", 0, lock=False)
        worker = start_bot(own | variables, self.folder, self.folder / f"{number}.log", readers)
        self.workers[number : number + 1] = [worker]
        looks = [asyncio.create_task(ready(port)) for port in self.ports]
        done, others = await asyncio.wait(looks, return_when=asyncio.FIRST_COMPLETED)
        for look in others:
            look.cancel()
        await asyncio.gather(*done)

    def memory(self) -> list[float]:
        """Return the workers' PSS in MiB."""
        return [psutil.Process(worker.pid).memory_full_info().pss / MIB for worker in self.workers]

    def cpu(self) -> float:
        """Seconds of CPU that the workers have used."""
        times = [psutil.Process(worker.pid).cpu_times() for worker in self.workers]
        return sum(one.user + one.system for one in times)


@contextlib.asynccontextmanager
async def behind_caddy(database: str, workers: int = WORKERS) -> AsyncIterator[Cluster]:
    """Workers behind Caddy, for the length of a `with`."""
    silent = BotApiServer(lambda _method, _params, _now: None)
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        ports = tuple(free_port() for _ in range(workers))
        async with silent.serving():
            cluster = Cluster(f"http://127.0.0.1:{port}", silent.url, database, folder, ports)
            caddy = await _caddy(cluster, folder / "Caddyfile")
            try:
                for number in range(workers):
                    await cluster.start(number)
                await asyncio.sleep(5.5)  # until Caddy has looked for the workers again
                yield cluster
            finally:
                for worker in cluster.workers:
                    worker.kill()
                    await ended(worker)
                caddy.terminate()
                await caddy.wait()


async def _caddy(cluster: Cluster, file: Path) -> asyncio.subprocess.Process:
    here = " ".join(f"127.0.0.1:{port}" for port in cluster.ports)
    text = CADDYFILE.replace("worker-1:8443 worker-2:8443", here)
    file.write_text(text.replace("\n{\n", "\n{\n\tadmin off\n", 1))  # noqa: ASYNC240 - a short file
    own = {"PUBLIC_HOST": cluster.url, "XDG_DATA_HOME": str(file.parent), "XDG_CONFIG_HOME": str(file.parent)}
    command = (Path(sysconfig.get_path("scripts"), "caddy"), "run", "--adapter", "caddyfile", "--config", file)
    with (file.parent / "caddy.log").open("ab") as log:
        return await asyncio.create_subprocess_exec(*command, env=os.environ | own, stdout=log, stderr=log)


@dataclass(slots=True)
class Guest:
    """A guest's page without a screen: it holds its stream open, and records its cards."""

    name: str
    home: str
    client: httpx.AsyncClient
    player: int = 0
    cards: dict[str, Json] = field(default_factory=dict)
    """By slot, as the page draws them."""
    told: dict[tuple[int | None, str], list[Json]] = field(default_factory=lambda: defaultdict(list))
    """The cards that arrived, by table and slot; a card that the page has is left out, as it is by the page."""
    arrived: Callable[[Json], None] = lambda _: None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    lost: int = 0

    @classmethod
    def of(cls, url: str, name: str, address: int) -> "Guest":
        """Return a guest with a network address of their own, which the proxy passes on to the workers."""
        home = f"127.{1 + address // 200}.0.{1 + address % 200}"
        limits = httpx.Limits(max_connections=None)
        transport = httpx.AsyncHTTPTransport(verify=NO_TLS, local_address=home, limits=limits)
        return cls(
            name, home, httpx.AsyncClient(base_url=url, transport=transport, headers={"Origin": url}, timeout=30)
        )

    async def ask(self, path: str, **body: Any) -> Json:
        """Send a POST until it is answered, as a page does."""
        for wait in (*AGAIN, *[AGAIN[-1]] * 60):
            with contextlib.suppress(httpx.TransportError):
                answer = await self.client.post(f"/seat/{path}", json=body)
                if answer.status_code not in (502, 503, 504):
                    if not answer.is_success:
                        raise RuntimeError(f"{path} {body}: {answer.text}")
                    said: Json = answer.json()
                    return said
            await asyncio.sleep(wait)
        raise TimeoutError(path)

    async def act(self, act: str, **more: Any) -> Json:
        """Send an act until it is answered; the bot plays it once."""
        return await self.ask("act", id=str(uuid.uuid4()), act=act, **more)

    async def listen(self) -> None:
        """Read the stream, again and again, until cancelled."""
        tries = 0
        while True:
            with contextlib.suppress(httpx.TransportError, httpx.StreamError):
                async with self.client.stream("GET", "/seat/stream") as stream:
                    fields: dict[str, str] = {}
                    async for line in stream.aiter_lines():
                        name, _, value = line.partition(": ")
                        if line:
                            fields[name] = value
                            continue
                        if fields.get("event") == "ready":
                            tries = 0
                        elif fields.get("event") == "card":
                            self._take(json.loads(fields["data"]))
                        fields = {}
            self.lost += 1
            await asyncio.sleep(AGAIN[min(tries, len(AGAIN) - 1)])
            tries += 1

    def _take(self, card: Json) -> None:
        before = self.told[card["table"], card["slot"]]
        if card in before[-1:]:
            return
        before.append(card)
        if card["card"] == "lobby":
            self.cards = {slot: each for slot, each in self.cards.items() if each["table"] == card["table"]}
        self.cards[card["slot"]] = card
        self.arrived(card)
        self.changed.set()

    async def until(self, slot: str, fits: Callable[[Json], Any]) -> Json:
        """Wait until the card of a slot fits; return it."""
        async with asyncio.timeout(PATIENCE):
            while not fits(self.cards.get(slot, {})):
                self.changed.clear()
                await self.changed.wait()
        return self.cards[slot]


@dataclass(slots=True)
class Room:
    """Guests at a table, who raise twice and then doubt, game after game."""

    guests: list[Guest]
    pause: Callable[[], float]
    """Seconds before a call."""
    waits: list[float] = field(default_factory=list)
    """Milliseconds from each bid to each other's screen."""
    moves: Counter[tuple[int, str]] = field(default_factory=Counter)
    """By table, the calls that were answered as done."""
    _bid: dict[tuple[int, int], tuple[float, Guest]] = field(default_factory=dict)
    """By table and step that a bid ended, when and by whom the bid was sent."""

    async def sit_down(self) -> None:
        """Open a table, and take the seats."""
        host, *others = self.guests
        state = await host.ask("open", name=host.name, language="en")
        host.player = state["player"]
        key = (await host.ask("room", do="show"))["link"].partition("#")[2]
        for guest in others:
            entered = await guest.ask("enter", code=state["code"], key=key, name=guest.name, language="en")
            guest.player = entered["player"]
            await guest.act("join")
        for guest in self.guests:
            guest.arrived = lambda card, guest=guest: self._seen(guest, card)  # type: ignore[misc] # the loop's guest

    def _seen(self, guest: Guest, card: Json) -> None:
        if card["card"] == "round" and (
            sent := self._bid.get((card["table"], len(card["bids"]) + 100 * card["round"]))
        ):
            when, bidder = sent
            if guest is not bidder:
                self.waits.append((time.perf_counter() - when) * 1000)

    async def play(self) -> None:
        """Play until cancelled."""
        host = self.guests[0]
        await host.act("start")
        while True:
            card = await host.until("table", lambda card: card.get("card") == "round")
            await asyncio.sleep(self.pause())
            if host.cards.get("over", {}).get("table") == card["table"]:
                await host.act("again", table=card["table"])
                await host.until("table", lambda new, old=card: new["table"] > old["table"])  # type: ignore[misc]
                await host.act("start")
                continue
            card = host.cards["table"]
            if card["card"] != "round" or card["turn"] is None:
                continue
            guest = next(each for each in self.guests if each.player == card["seats"][card["turn"]]["player"])
            mine = guest.cards.get("hand", {})
            now = await guest.until("table", lambda seen, step=card["step"]: seen.get("step", -1) >= step)  # type: ignore[misc]
            if now["step"] != card["step"] or now["table"] != card["table"]:
                continue
            await self._call(guest, now, mine)

    async def _call(self, guest: Guest, card: Json, hand: Json) -> None:
        step, raises = card["step"], card["raises"]
        if hand.get("step", 0) >= step and hand.get("raises"):
            raises = hand["raises"]
        if len(card["bids"]) >= BIDS_BEFORE_DUDO or not raises:
            what, bid = "dudo", {}
        else:
            self._bid[card["table"], len(card["bids"]) + 1 + 100 * card["round"]] = time.perf_counter(), guest
            what, bid = "bid", dict(zip(("quantity", "face"), raises[0], strict=True))
        answer = await guest.act(what, table=card["table"], step=step, **bid)
        self.moves[card["table"], what] += bool(answer["done"])
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while guest.cards["table"].get("step") == step and "over" not in guest.cards:
                    guest.changed.clear()
                    await guest.changed.wait()


@contextlib.asynccontextmanager
async def listening(guests: Sequence[Guest]) -> AsyncIterator[None]:
    """Hold all streams open, for the length of a `with`."""
    tasks = [asyncio.create_task(guest.listen()) for guest in guests]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(guest.client.aclose() for guest in guests))


@contextlib.asynccontextmanager
async def playing(url: str, tables: int, pause: Callable[[], float]) -> AsyncIterator[list[Room]]:
    """Tables at which guests play, for the length of a `with`."""
    rooms = [
        Room([Guest.of(url, f"G{table}{seat}", table * SEATS + seat) for seat in range(SEATS)], pause)
        for table in range(tables)
    ]
    for room in rooms:
        await room.sit_down()
    async with listening([guest for room in rooms for guest in room.guests]):
        tasks = [asyncio.create_task(room.play()) for room in rooms]
        try:
            yield rooms
        finally:
            for task in tasks:
                if task.done():
                    task.result()
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def usual_pause() -> float:
    """Seconds before a call, at which all tables together make so many bids."""
    return random.uniform(0.5, 1.5) * TABLES / BIDS_A_SECOND


async def measured(cluster: Cluster, rooms: Sequence[Room], seconds: float) -> tuple[list[float], float]:
    """From bid to screen in milliseconds, and the workers' share of a core."""
    await asyncio.sleep(3)
    for room in rooms:
        room.waits.clear()
    begun, cpu = time.perf_counter(), cluster.cpu()
    await asyncio.sleep(seconds)
    share = (cluster.cpu() - cpu) / (time.perf_counter() - begun)
    return [wait for room in rooms for wait in room.waits], share


def p95(waits: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(waits, n=20)[-1]


async def bids(cluster: Cluster, seconds: float) -> bool:
    """From a bid to the others' screens."""
    async with playing(cluster.url, TABLES, usual_pause) as rooms:
        waits, share = await measured(cluster, rooms, seconds)
    head("bid to another's screen", "screens", "p50, ms", "p95", "p99", "workers' share of a core")
    p99 = statistics.quantiles(waits, n=100)[-1]
    say(
        f"| {TABLES} tables | {len(waits)} | {statistics.median(waits):.0f} | {p95(waits):.0f} | {p99:.0f} | "
        f"{share:.0%} |"
    )
    return p95(waits) < MOST_BID_MS


async def memory(cluster: Cluster, seconds: float) -> bool:
    """Measure the cost of open streams for each worker and for other people's taps."""
    async with playing(cluster.url, TABLES, usual_pause) as rooms:
        alone, alone_share = await measured(cluster, rooms, seconds)
        idle = [Guest.of(cluster.url, f"I{n}", 1000 + n // STREAMS_AN_ADDRESS) for n in range(STREAMS)]
        before = cluster.memory()
        for first in range(0, STREAMS, OPENED_AT_ONCE):
            opening = idle[first : first + OPENED_AT_ONCE]
            await asyncio.gather(*(each.ask("open", name=each.name, language="en") for each in opening))
        opened = cluster.memory()
        begun = time.perf_counter()
        held = [asyncio.create_task(_hold(cluster, each)) for each in idle]
        await asyncio.gather(*(each.changed.wait() for each in idle))
        say(f"\n{STREAMS} streams, asked for at once, were open after {time.perf_counter() - begun:.0f} s.")
        beside, share = await measured(cluster, rooms, seconds)
        after = cluster.memory()
        broken = sum(task.done() for task in held)
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
    head("streams", "MiB a worker before", "tables opened", "streams open", "bid p50, ms", "p95", "share of a core")
    say(f"| 0 | {_each(before)} | | | {statistics.median(alone):.0f} | {p95(alone):.0f} | {alone_share:.0%} |")
    say(
        f"| {STREAMS} | | {_each(opened)} | {_each(after)} | {statistics.median(beside):.0f} | {p95(beside):.0f} | "
        f"{share:.0%} |"
    )
    grown = max(now - then for now, then in zip(after, before, strict=True))
    return not broken and grown <= MOST_STREAMS_MIB and p95(beside) <= max(p95(alone) * SLOWER, MOST_BID_MS / 3)


async def _hold(cluster: Cluster, guest: Guest) -> None:
    """Hold a stream open without reading its cards: the measuring process has its own streams."""
    reader, writer = await asyncio.open_connection(*cluster.address, local_addr=(guest.home, 0))
    host, cookie = cluster.url.partition("//")[2], f"seat={guest.client.cookies['seat']}"
    writer.write(f"GET /seat/stream HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n".encode())
    try:
        await reader.readuntil(b"event: ready")
        guest.changed.set()
        while await reader.read(2**16):
            pass
    finally:
        writer.close()


def _each(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.0f}" for value in values)


class Outage(StrEnum):
    """How a page loses the bot."""

    OFFLINE = "the browser is offline"
    KILLED = "both workers are killed"
    LOST = "packets are lost"


async def door(cluster: Cluster) -> bool:
    """Ask for 2,000 streams from one /64 of IPv6 without the proxy, while guests play at tables."""
    port = cluster.ports[0]
    async with playing(cluster.url, TABLES, usual_pause) as rooms:
        alone, _ = await measured(cluster, rooms, SECONDS / 2)
        seats = []
        for number in range(FLOOD_SESSIONS):
            told = {"X-Forwarded-For": f"2001:db8::{number + 1:x}", "Origin": f"http://127.0.0.1:{port}"}
            async with httpx.AsyncClient(base_url=told["Origin"], headers=told, timeout=PATIENCE) as client:
                await client.post("/seat/open", json={"name": "Eve", "language": "en"})
                seats.append(client.cookies["seat"])
        held = []

        async def status(number: int) -> int:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            held.append(writer)
            told = f"Cookie: seat={seats[number % FLOOD_SESSIONS]}\r\nX-Forwarded-For: 2001:db8::1:{number:x}"
            writer.write(f"GET /seat/stream?tab={number} HTTP/1.1\r\nHost: 127.0.0.1\r\n{told}\r\n\r\n".encode())
            return int((await reader.readline()).split()[1])

        begun = time.perf_counter()
        flood = asyncio.gather(*map(status, range(FLOOD)))
        beside, _ = await measured(cluster, rooms, SECONDS / 2)
        answers = Counter(await flood)
        seconds = time.perf_counter() - begun
        for writer in held:
            writer.close()
    head("streams of one /64", "open", "refused", "honest bid p50, ms", "p95")
    say(f"| 0 | | | {statistics.median(alone):.0f} | {p95(alone):.0f} |")
    say(f"| {FLOOD} | {answers[200]} | {answers[429]} | {statistics.median(beside):.0f} | {p95(beside):.0f} |")
    say(f"\nAll were answered within {seconds:.0f} s.")
    return answers[200] <= STREAMS_A_NETWORK and p95(beside) <= max(p95(alone) * SLOWER, MOST_BID_MS / 3)


async def network(cluster: Cluster) -> bool:
    """Measure how soon a page in a browser shows the missed events, once the network is back."""
    head("what happens", "for, s", "back after, s")
    slowest = 0.0
    async with running_chromium() as browser, a_line(cluster) as line:
        page = await (await browser.new_context()).new_page()
        await page.goto(f"{line.url}/t")
        await page.get_by_label("Your name").fill("Cy")
        await page.get_by_role("button", name="Open a table").click()
        await expect(page.get_by_role("button", name="Start")).to_be_visible()
        state = await page.evaluate("fetch('/seat/me').then((answer) => answer.json())")
        other = Guest.of(cluster.url, "Dee", 5)
        link = await page.evaluate(
            "fetch('/seat/room', {method: 'POST', body: JSON.stringify({do: 'show'}),"
            " headers: {'Content-Type': 'application/json'}}).then((answer) => answer.json())"
        )
        await other.ask("enter", code=state["code"], key=link["link"].partition("#")[2], name="Dee", language="en")
        joined = False
        for what in Outage:
            for seconds in OUTAGES:
                await asyncio.sleep(STEADY_SECONDS if what is Outage.LOST else 1)
                match what:
                    case Outage.OFFLINE:
                        await page.context.set_offline(True)
                    case Outage.KILLED:
                        for worker in cluster.workers:
                            worker.kill()
                            await ended(worker)
                    case _:
                        line.cut()
                await asyncio.sleep(seconds)
                match what:
                    case Outage.OFFLINE:
                        await page.context.set_offline(False)
                    case Outage.KILLED:
                        await asyncio.gather(*(cluster.start(number) for number in range(WORKERS)))
                    case _:
                        line.mend()
                begun = time.perf_counter()
                await other.act("leave" if joined else "join")
                joined = not joined
                seats = page.get_by_text(f"At the table: {1 + joined} of 6")
                await expect(seats).to_be_visible(timeout=PATIENCE * 1000)
                took = time.perf_counter() - begun
                slowest = max(slowest, took)
                say(f"| {what} | {seconds:.0f} | {took:.2f} |")
        await other.client.aclose()
    return slowest <= MOST_BACK_SECONDS


class Line:
    """The line from the browser to Caddy. A connection that is open during a cut stays dead, without a sign of it."""

    def __init__(self, far: tuple[str, int]) -> None:
        self.far = far
        self.url = ""
        self.is_cut = False
        self._times = 0
        self._kept: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """Pass nothing on."""
        self.is_cut = True
        self._times += 1

    def mend(self) -> None:
        """Pass on new connections again."""
        self.is_cut = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on one connection of the browser's."""
        self._kept.append(writer)
        times = self._times
        if self.is_cut:
            return
        far_reader, far_writer = await asyncio.open_connection(*self.far)
        self._kept.append(far_writer)

        async def carry_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while (data := await source.read(2**16)) and times == self._times:
                target.write(data)
                await target.drain()
            if times == self._times:
                target.close()

        with contextlib.suppress(ConnectionError):
            await asyncio.gather(carry_on(reader, far_writer), carry_on(far_reader, writer))


@contextlib.asynccontextmanager
async def a_line(cluster: Cluster) -> AsyncIterator[Line]:
    """Yield a line to Caddy, for the length of a `with`."""
    line = Line(cluster.address)
    server = await asyncio.start_server(line.carry, "127.0.0.1", 0)
    line.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield line
    server.close()


async def kills(cluster: Cluster, times: int) -> bool:
    """Kill workers while guests play; then compare what each page was told with what was stored."""
    rng, did = random.Random(7), 0
    async with playing(cluster.url, TABLES_KILLED, lambda: rng.uniform(0.2, 0.6)) as rooms:
        begun = time.perf_counter()
        while did < times:
            await asyncio.sleep(rng.uniform(0.2, 0.8))
            number = rng.randrange(WORKERS)
            cluster.workers[number].kill()
            await ended(cluster.workers[number])
            await cluster.start(number)
            did += 1
        took = time.perf_counter() - begun
        for room in rooms:
            room.pause = lambda: 3600.0
        await asyncio.sleep(8)
        found = audit(rooms, cluster.database)
        reads = sum(len(told) for room in rooms for guest in room.guests for told in guest.told.values())
        moves = sum(sum(room.moves.values()) for room in rooms)
        again = sum(guest.lost for room in rooms for guest in room.guests)
    head("kills", "seconds", "calls", "cards read", "streams begun again", "lost", "doubled")
    say(f"| {did} | {took:.0f} | {moves} | {reads} | {again} | {len(found['lost'])} | {len(found['doubled'])} |")
    for kind, lines in found.items():
        for line in lines[:10]:
            say(f"- {kind}: {line}")
    return not any(found.values())


def audit(rooms: Sequence[Room], database: str) -> dict[str, list[str]]:
    """Find lost and doubled calls in the database, cards on the pages, and reveals of the played rounds."""
    address = make_url(database).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address) as connection:
        rows = connection.execute(
            "SELECT table_id, number, action FROM game_action ORDER BY table_id, number"
        ).fetchall()
    found: dict[str, list[str]] = {"lost": [], "doubled": []}
    calls = Counter((table, action["type"]) for table, _, action in rows)
    for room in rooms:
        for (table, what), count in room.moves.items():
            if calls[table, what] != count:
                kind = "lost" if calls[table, what] < count else "doubled"
                found[kind].append(f"table {table}: {count} times {what}, stored {calls[table, what]}")
        for guest in room.guests:
            _audit_page(guest, calls, found)
    return found


def _audit_page(guest: Guest, calls: Counter[tuple[int, str]], found: dict[str, list[str]]) -> None:
    for (table, slot), cards in list(guest.told.items()):
        if slot in ("end", "over"):
            contents = Counter(json.dumps(card, sort_keys=True) for card in cards)
            found["doubled"] += [f"{guest.name}: {card[:160]}" for card, times in contents.items() if times > 1]
        if table is None or slot != "table" or not any(card["card"] == "round" for card in cards):
            continue
        reveals = sum(card["card"] == "reveal" for card in guest.told[table, "end"])
        if reveals != calls[table, "dudo"]:
            kind = "lost" if reveals < calls[table, "dudo"] else "doubled"
            found[kind].append(f"{guest.name}: {reveals} reveals of {calls[table, 'dudo']} at table {table}")


@contextlib.asynccontextmanager
async def pages() -> AsyncIterator[str]:
    """Yield the address of pages without games, for the length of a `with`."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/perudo.db"
        engine = connect(url)
        schema.upgrade(engine)
        engine.dispose()
        database = Database(url)
        async with serving(WebWorld(database).app) as address:
            yield address
        database.close()


async def main(only: str | None, seconds: float, times: int) -> int:
    """Measure and print; return the number of missed goals."""
    missed = 0
    if only in (None, "weight"):
        python, javascript = page_weight()
        say(f"\nweight: {python} lines of Python (goal {MOST_PYTHON}), {javascript} of JavaScript ({MOST_JAVASCRIPT})")
        missed += python > MOST_PYTHON or javascript > MOST_JAVASCRIPT
        async with running_chromium() as browser, pages() as address:
            first, again = await received(browser, f"{address}/t/ABCDEF")
        met = first <= MOST_FIRST_KB and again <= MOST_AGAIN_KB
        say(f"A browser receives {first:.0f} kB for `/t`, and {again:.0f} kB again: {'met' if met else 'MISSED'}")
        missed += not met
    parts: dict[str, Callable[[Cluster], Awaitable[bool]]] = {
        "bids": lambda cluster: bids(cluster, seconds),
        "memory": lambda cluster: memory(cluster, seconds),
        "network": network,
        "kills": lambda cluster: kills(cluster, times),
        "door": door,
    }
    if only == "weight":
        return missed
    with running_postgres() as server:
        durable(server)
        for name, part in parts.items():
            if only in (None, name):
                with server.fresh() as url:
                    async with behind_caddy(url) as cluster:
                        met = await part(cluster)
                say(f"\n{name}: {'met' if met else 'MISSED'}")
                missed += not met
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("weight", "bids", "memory", "network", "kills", "door")
    parser.add_argument("--only", choices=parts, help="one part alone")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long bids are measured")
    parser.add_argument("--kills", type=int, default=KILLS, help="how many workers are killed")
    arguments = parser.parse_args()
    install(FEATURES)
    sys.exit(1 if asyncio.run(main(arguments.only, arguments.seconds, arguments.kills)) else 0)
