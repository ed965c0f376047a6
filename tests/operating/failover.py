"""Twenty tables go on while each part of an installation of several machines fails: `.ci/run test-failover`, as root.

Three PostgreSQLs under Patroni (config/deploy/patroni.yml), each in a network namespace of its own, two processes
behind Caddy (config/deploy/Caddyfile), of which one plays, and people who tap through all of it
(test_support/interrupted_game.py).
Prints the table of benchmarks/README.md, under Failover.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import psycopg

from telegram_bot.sandbox_launcher import free_port
from test_support.bot_process import ended
from test_support.interrupted_game import InterruptedGame
from test_support.person import Person
from test_support.worker_cluster import TwoWorkers
from test_support.world import opened
from tests.test_deployment import caddy

PATRONI: Final = Path(__file__).parents[2] / "config/deploy/patroni.yml"
NETWORK: Final = "10.77.26."
BRIDGE: Final = "perudobr"
PASSWORD: Final = "only-here"
TABLES: Final = 20
HEALTHY_SECONDS: Final = 90.0
CALM_SECONDS: Final = 5.0
FOLLOWERS: Final = "SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync') FROM pg_stat_replication"
FROZEN_SECONDS: Final = 30.0
PLAY_SECONDS: Final = 300.0
"""Longer than all kills take. New tables are opened until then."""
MOST_GAP_SECONDS: Final = 15.0


def run(*command: str, check: bool = True) -> str:
    return subprocess.run(command, check=check, capture_output=True, encoding="utf-8").stdout  # noqa: S603


@dataclass(slots=True)
class Patroni:
    """Three PostgreSQLs under Patroni, and etcd."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    url: str = f"postgresql+psycopg://perudo:{PASSWORD}@/perudo?host=" + ",".join(f"{NETWORK}{n}" for n in (1, 2, 3))

    def start(self) -> None:
        """Start all servers, and create the bot's database."""
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{NETWORK}254/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        etcd = f"http://{NETWORK}254:2379"
        urls = ("--listen-client-urls", etcd, "--advertise-client-urls", etcd)
        self._spawn("etcd", "--data-dir", f"{self.folder}/etcd", *urls)
        for number in (1, 2, 3):
            name, address = f"perudo{number}", f"{NETWORK}{number}"
            run("ip", "netns", "add", name)
            run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", name, "master", BRIDGE, "up")
            for words in (f"address add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
                run("ip", "-n", name, *words.split())
            text = PATRONI.read_text(encoding="utf-8").replace("db1:2379,db2:2379,db3:2379", f"{NETWORK}254:2379")
            text = text.replace("db1:", f"{address}:").replace("name: db1", f"name: db{number}")
            text = text.replace("/var/lib/postgresql/15/perudo", str(self._data(number))).replace("PASSWORD", PASSWORD)
            text = re.sub(r"/usr/lib/postgresql/15/", f"{max(Path('/usr/lib/postgresql').iterdir())}/", text)
            own = self.folder / str(number)
            own.mkdir()
            shutil.chown(own, "postgres", "postgres")
            text += f"  pgpass: {own}/pgpass\n  parameters: {{unix_socket_directories: {own}}}\n"
            (self.folder / f"{number}.yml").write_text(text)
            in_namespace = ("ip", "netns", "exec", name)
            as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")
            self._spawn(*in_namespace, *as_postgres, "patroni", f"{self.folder}/{number}.yml")
            if number == 1:
                self.wait_until_healthy(standbys=0)
        self.wait_until_healthy()
        with psycopg.connect(self._superuser(), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE perudo LOGIN PASSWORD '{PASSWORD}'".encode())
            connection.execute(b"CREATE DATABASE perudo OWNER perudo")

    def stop(self) -> None:
        """Stop all servers, and delete their files."""
        for process in reversed(self.processes):
            process.terminate()
        for number in (1, 2, 3):
            with suppress(OSError, ValueError, IndexError):
                self.kill(number)
        for process in self.processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
        for number in (1, 2, 3):
            run("ip", "netns", "delete", f"perudo{number}", check=False)
        run("ip", "link", "delete", BRIDGE, check=False)

    def _spawn(self, *command: str) -> None:
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log))  # noqa: S603

    def _data(self, number: int) -> Path:
        return self.folder / f"data{number}"

    def _superuser(self) -> str:
        hosts = ",".join(f"{NETWORK}{n}" for n in (1, 2, 3))
        options = "target_session_attrs=read-write&connect_timeout=2"
        return f"postgresql://postgres:{PASSWORD}@/postgres?host={hosts}&{options}"

    def role(self, number: int) -> str:
        """`primary`, `sync` (the synchronous standby), or nothing."""
        for role in ("primary", "sync"):
            with suppress(URLError, OSError), urlopen(f"http://{NETWORK}{number}:8008/{role}", timeout=1):
                return role
        return ""

    def having(self, role: str) -> int:
        return next(number for number in (1, 2, 3) if self.role(number) == role)

    def wait_until_healthy(self, standbys: int = 2) -> None:
        """Wait until there is a primary, and all standbys follow it."""
        until = time.monotonic() + HEALTHY_SECONDS
        while time.monotonic() < until:
            with suppress(psycopg.Error), psycopg.connect(self._superuser()) as connection:
                found = connection.execute(FOLLOWERS).fetchone()
                if found is not None and found[0] >= standbys and found[1] == min(standbys, 1):
                    return
            time.sleep(0.5)
        raise TimeoutError(
            "the servers do not come to agree: "
            + "\n".join(log.read_text()[-1500:] for log in sorted(self.folder.glob("*.log")))
        )

    def kill(self, number: int) -> None:
        """Kill one server's PostgreSQL; its Patroni keeps running."""
        os.kill(int((self._data(number) / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def cut(self, number: int, *, cut: bool) -> None:
        """Drop all packets to and from one server, or stop dropping them."""
        run("ip", "link", "set", f"perudo{number}", "down" if cut else "up")


class BehindCaddy(TwoWorkers):
    """Two processes behind Caddy; one that has ended is started again, as systemd does."""

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self._caddy: AsyncExitStack | None = None
        self._port = free_port()
        self._supervisors: list[asyncio.Task[None]] = []

    async def restart(self) -> None:
        """Start Caddy, then the workers."""
        await self.start_caddy()
        await super().restart()

    async def start_caddy(self) -> None:
        """Start Caddy, to which the sandbox delivers updates."""
        self._caddy = AsyncExitStack()
        folder = Path(self._caddy.enter_context(tempfile.TemporaryDirectory()))
        await self._caddy.enter_async_context(caddy(folder, self.ports, self._port))

    def address(self, number: int) -> str:
        del number
        return f"http://127.0.0.1:{self._port}"

    async def stop_caddy(self) -> None:
        if self._caddy is not None:
            await self._caddy.aclose()

    def supervise(self) -> None:
        """From now on start each worker again that ends."""
        self._supervisors = [asyncio.create_task(self._supervise(number)) for number in range(self.size)]

    async def _supervise(self, number: int) -> None:
        while True:
            await ended(self.bots[number])
            await asyncio.sleep(1)
            self.bots[number] = self.spawn(number)

    async def stop_bot(self) -> int:
        await self._stop_supervising()
        return await super().stop_bot()

    async def destroy_bot(self) -> None:
        await self._stop_supervising()
        await super().destroy_bot()
        await self.stop_caddy()

    async def _stop_supervising(self) -> None:
        for task in self._supervisors:
            task.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)


GAPS: Final[dict[str, float]] = {}
"""For how long players saw no message, by the part that was killed."""


@dataclass(slots=True)
class Killer:
    """Kills each part of the installation once."""

    workers: BehindCaddy
    servers: Patroni

    async def kill_each(self) -> None:
        """Kill one part after another, each once the installation is well again."""
        servers, workers = self.servers, self.workers

        async def cut_the_primary() -> None:
            number = servers.having("primary")
            servers.cut(number, cut=True)
            await asyncio.sleep(25)
            servers.cut(number, cut=False)

        async def stop_cleanly() -> None:
            workers.bots[await workers.playing()].terminate()

        async def freeze() -> None:
            worker = psutil.Process(workers.bots[await workers.playing()].pid)
            worker.suspend()
            await asyncio.sleep(FROZEN_SECONDS)
            worker.resume()

        async def restart_caddy() -> None:
            await workers.stop_caddy()
            await asyncio.sleep(2)
            await workers.start_caddy()

        async def kill_servers(*numbers: int) -> None:
            for number in numbers:
                await asyncio.to_thread(servers.kill, number)

        kills: dict[str, Callable[[], Awaitable[None]]] = {
            "nothing": lambda: asyncio.sleep(0),
            "the primary's process": lambda: kill_servers(servers.having("primary")),
            "the primary's network": cut_the_primary,
            "the process that plays": workers.kill,
            "the process that plays, frozen": freeze,
            "the process that plays, stopped cleanly": stop_cleanly,
            "the standby": lambda: kill_servers(servers.having("sync")),
            "Caddy": restart_caddy,
            "all PostgreSQLs": lambda: kill_servers(1, 2, 3),
        }
        for name, kill in kills.items():
            await asyncio.sleep(CALM_SECONDS)
            watching = asyncio.create_task(self._watch(name))
            await kill()
            await asyncio.sleep(CALM_SECONDS)
            await asyncio.to_thread(servers.wait_until_healthy)
            await asyncio.sleep(CALM_SECONDS)
            watching.cancel()
            sys.stdout.write(f"{name}: {GAPS[name]:.1f} s\n")
            sys.stdout.flush()

    async def _watch(self, name: str) -> None:
        recorder, since = self.workers.recorder, time.monotonic()
        seen = len(recorder.versions)
        while True:
            new, now = recorder.versions[seen:], time.monotonic()
            GAPS[name] = max(GAPS.get(name, 0.0), now - since)
            seen += len(new)
            if new:
                since = now
            await asyncio.sleep(0.05)


@dataclass(slots=True)
class Tables:
    """The games of all tables."""

    world: BehindCaddy
    games: list[InterruptedGame] = field(default_factory=list)

    async def keep_playing(self, people: list[Person], number: int, until: float) -> None:
        """Play one game after the other at a table."""
        while time.monotonic() < until:
            group = self.world.sandbox.add_group(f"Table {number}.{len(self.games)}", [each.user for each in people])
            game = InterruptedGame(self.world, group, people, Random(number))
            with suppress(AssertionError):  # the part that was killed may open no lobby for a while
                await game.seat()
                self.games.append(game)
                await game.play()

    def wrong(self) -> list[str]:
        """Return what is wrong in the games."""
        return [f"table {game.table}: {words}" for game in self.games for words in game.wrong()]


def told(tables: Tables, wrong: list[str]) -> str:
    """The result as Markdown."""
    rows = "".join(f"| {name} | {gap:.1f} s |\n" for name, gap in GAPS.items())
    moves = sum(len(game.told) for game in tables.games)
    sums = f"{moves:,} moves in {len(tables.games)} games; {len(wrong)} findings."
    return "\n".join((f"| killed | longest gap |\n|---|---|\n{rows}", sums, *wrong))


async def play(folder: Path, url: str, servers: Patroni) -> tuple[Tables, list[str]]:
    """Play at all tables while the parts are killed; return the games, and what is wrong in them."""
    names = [[f"P{number}{letter}" for letter in "abc"] for number in range(TABLES)]
    async with opened(
        folder,
        BehindCaddy,
        people=tuple(name for each in names for name in each),
        plan={"clock": {"seconds": 0}, "rules": {"starting_dice": 2}},
        variables={"PERUDO_QUOTAS__TABLES_PER_HOST": "0"},
        database_url=url,
    ) as world:
        await asyncio.gather(*(person.say("/start") for person in world.people.values()))
        world.supervise()
        tables, until = Tables(world), time.monotonic() + PLAY_SECONDS
        playing = (tables.keep_playing(world.some(*each), number, until) for number, each in enumerate(names))
        await asyncio.gather(Killer(world, servers).kill_each(), *playing)
        await world.settled()
        return tables, tables.wrong()


async def main() -> int:
    """Play, kill, and print the result."""
    with tempfile.TemporaryDirectory(prefix="perudo-failover-") as folder, tempfile.TemporaryDirectory() as world:
        servers = Patroni(Path(folder))
        try:
            servers.start()
            url = f"{servers.url}&target_session_attrs=read-write"
            tables, wrong = await play(Path(world), url, servers)
        finally:
            servers.stop()
    sys.stdout.write(told(tables, wrong) + "\n")
    return 0 if not wrong and max(GAPS.values()) <= MOST_GAP_SECONDS else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing stays behind
    sys.exit(asyncio.run(main()))
