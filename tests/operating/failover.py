"""Twenty tables go on while each part of an installation of several machines fails: `make test-failover`, as root.

Three PostgreSQLs under Patroni (config/deploy/patroni.yml), each in a network namespace of its own, two workers behind
Caddy (config/deploy/Caddyfile), and the people and the auditor of test_support/chaos.
Prints the table of benchmarks/README.md, under Failover.
"""

import asyncio
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg

from test_support.chaos.chaos_run import FaultInjector, Plan, Report, run_chaos
from test_support.chaos.evidence import DOUBLED, LOST
from test_support.chaos.workers import Workers
from tests.test_deployment_proxies import caddy

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
    """Run a program of the system."""
    return subprocess.run(command, check=check, capture_output=True, encoding="utf-8").stdout  # noqa: S603


@dataclass(slots=True)
class Patroni:
    """Three PostgreSQLs under Patroni, and etcd."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    url: str = f"postgresql+psycopg://perudo:{PASSWORD}@/perudo?host=" + ",".join(f"{NETWORK}{n}" for n in (1, 2, 3))

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """Wait for the database; return its URL."""
        yield f"{self.url}&target_session_attrs=read-write"

    def start(self) -> None:
        """Start all servers, and create the bot's database."""
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{NETWORK}254/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        etcd = f"http://{NETWORK}254:2379"
        self._spawn(
            "etcd", "--data-dir", f"{self.folder}/etcd", "--listen-client-urls", etcd, "--advertise-client-urls", etcd
        )
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
        return (
            f"postgresql://postgres:{PASSWORD}@/postgres?host={hosts}&target_session_attrs=read-write&connect_timeout=2"
        )

    def role(self, number: int) -> str:
        """`primary`, `sync` (the synchronous standby), or nothing."""
        for role in ("primary", "sync"):
            with suppress(URLError, OSError), urlopen(f"http://{NETWORK}{number}:8008/{role}", timeout=1):
                return role
        return ""

    def having(self, role: str) -> int:
        """The server that has this role."""
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


class BehindCaddy(Workers):
    """Two workers behind Caddy; none crashes by itself."""

    size = 2

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self._caddy: AsyncExitStack | None = None

    async def start_bot(self) -> None:
        """Start Caddy, then the workers."""
        await self.start_caddy()
        await super().start_bot()

    async def start_caddy(self) -> None:
        """Start Caddy, to which the sandbox delivers updates."""
        self._caddy = AsyncExitStack()
        folder = Path(self._caddy.enter_context(tempfile.TemporaryDirectory()))
        proxy = await self._caddy.enter_async_context(caddy(folder, self.ports))
        self.balancer.workers = [urlsplit(proxy.url).port or 0]

    async def stop_caddy(self) -> None:
        """Stop Caddy."""
        if self._caddy is not None:
            await self._caddy.aclose()

    async def destroy_bot(self) -> None:
        """Stop the workers and Caddy."""
        await super().destroy_bot()
        await self.stop_caddy()

    def supervise(self) -> None:
        """Start a worker again that was killed, as systemd does."""
        super().supervise()
        self.crashing = False


GAPS: Final[dict[str, float]] = {}
"""For how long players saw no message, by the part that was killed."""


class Killer(FaultInjector):
    """Kills each part of the installation once."""

    async def inject(self) -> None:
        """Kill one part after another, each once the installation is well again."""
        servers: Any = self.postgresql
        workers: Any = self.workers

        async def cut_the_primary() -> None:
            number = servers.having("primary")
            servers.cut(number, cut=True)
            await asyncio.sleep(25)
            servers.cut(number, cut=False)

        async def freeze_a_worker() -> None:
            worker = workers.workers[1]
            worker.send_signal(signal.SIGSTOP)
            await asyncio.sleep(FROZEN_SECONDS)
            worker.send_signal(signal.SIGCONT)

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
            "a worker": lambda: workers.shoot(0),
            "a worker, frozen": freeze_a_worker,
            "the standby": lambda: kill_servers(servers.having("sync")),
            "Caddy": restart_caddy,
            "all PostgreSQLs": lambda: kill_servers(1, 2, 3),
        }
        workers.database_away = math.inf
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
        workers.database_away = time.monotonic()
        self.all_seen.set()

    async def _watch(self, name: str) -> None:
        seen, since = -1, time.monotonic()
        while True:
            found, now = len(self.workers.recorder.shown), time.monotonic()
            GAPS[name] = max(GAPS.get(name, 0.0), now - since)
            if found != seen:
                seen, since = found, now
            await asyncio.sleep(0.05)


def told(report: Report) -> str:
    """The result as Markdown."""
    found = Counter(finding.kind for finding in report.audit.findings)
    rows = "".join(f"| {name} | {gap:.1f} s |\n" for name, gap in GAPS.items())
    moves = sum(move.accepted for move in report.evidence.moves)
    sums = (
        f"{moves:,} moves: {found[LOST]} lost, {found[DOUBLED]} doubled; messages doubled: {len(report.audit.twice)}; "
        f"tables {len(report.evidence.games)}."
    )
    return "\n".join((f"| killed | longest gap |\n|---|---|\n{rows}", sums, *map(str, report.audit.findings)))


async def main() -> int:
    """Play, kill, and print the result."""
    with tempfile.TemporaryDirectory(prefix="perudo-failover-") as folder, tempfile.TemporaryDirectory() as world:
        servers = Patroni(Path(folder))
        try:
            servers.start()
            stand_in: Any = servers
            plan = Plan(tables=100_000, at_once=TABLES, seconds=PLAY_SECONDS)
            report = await run_chaos(Path(world), stand_in, plan, workers=BehindCaddy, injector=Killer)
        finally:
            servers.stop()
    sys.stdout.write(told(report) + "\n")
    well = not any(finding.kind in (LOST, DOUBLED) for finding in report.audit.findings)
    return 0 if well and max(GAPS.values()) <= MOST_GAP_SECONDS else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # nothing stays behind
    sys.exit(asyncio.run(main()))
