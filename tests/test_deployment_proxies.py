"""Caddyfile and nginx.conf: their contents, and the real Caddy and nginx with them when one process hands over."""

import asyncio
import os
import re
import shutil
import signal
import ssl
import subprocess
import sysconfig
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import httpx
import pytest
import yaml
from pydantic import SecretStr

from telegram_bot.channels.telegram.webhook import SECRET_HEADER
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import WEB_PORT, Settings
from test_support.child_processes import run
from test_support.documents import ROOT
from test_support.worker_cluster import PATH, TwoWorkers
from test_support.world import Setting, opened

DEPLOY: Final = ROOT / "config/deploy"
WHEELS_CADDY: Final = str(Path(sysconfig.get_path("scripts"), "caddy"))
DEBIANS_CADDY: Final = "/usr/bin/caddy"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its address, and how to trust its certificate."""

    url: str
    trusted: ssl.SSLContext


Opener: TypeAlias = Callable[[Path, Sequence[int]], AbstractAsyncContextManager[Proxy]]


@asynccontextmanager
async def caddy(folder: Path, ports: Sequence[int]) -> AsyncIterator[Proxy]:
    """The Caddy that compose.yaml would fetch, by the Caddyfile, changed as its first lines say."""
    text = replaced(read("Caddyfile"), "\n{\n", "\n{\n\tadmin off\n")
    here = " ".join(f"127.0.0.1:{each}" for each in ports)
    text = replaced(text, "reverse_proxy worker-1:8443 worker-2:8443", f"reverse_proxy {here}", times=2)
    async with _caddy(WHEELS_CADDY, text, folder) as proxy:
        yield proxy


@asynccontextmanager
async def debians_caddy(folder: Path, ports: Sequence[int]) -> AsyncIterator[Proxy]:
    """Debian's Caddy in front of the last process alone, which takes over, by one-bot.Caddyfile."""
    text = replaced(read("one-bot.Caddyfile"), "127.0.0.1:8441", f"127.0.0.1:{ports[-1]}")
    text = replaced(text, "bot.example.org {\n", "{$PUBLIC_HOST} {\n")
    async with _caddy(DEBIANS_CADDY, replaced(text, "\n{\n", "\n{\n\tadmin off\n"), folder) as proxy:
        yield proxy


@asynccontextmanager
async def _caddy(program: str, text: str, folder: Path) -> AsyncIterator[Proxy]:
    port = free_port()
    (folder / "Caddyfile").write_text(text)
    own = {"PUBLIC_HOST": f"http://127.0.0.1:{port}", "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = (program, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile"))
    async with _running(command, port, folder / "caddy.log", own):
        yield Proxy(f"http://127.0.0.1:{port}", ssl.create_default_context())


@asynccontextmanager
async def nginx(folder: Path, ports: Sequence[int]) -> AsyncIterator[Proxy]:
    """nginx, with nginx.conf as a site of its own, another port, and a certificate of the test's."""
    port = free_port()
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    make = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1")
    named = ("-subj", "/CN=bot.example.org", "-addext", "subjectAltName=DNS:bot.example.org,IP:127.0.0.1")
    made = ("-keyout", str(key), "-out", str(certificate))
    making = await asyncio.create_subprocess_exec(found("openssl"), *make, *named, *made, stderr=subprocess.DEVNULL)
    assert await making.wait() == 0
    text = read("nginx.conf")
    for there, here in zip((8441, 8442), ports, strict=True):
        text = replaced(text, f"server 127.0.0.1:{there} ", f"server 127.0.0.1:{here} ")
    text = replaced(text, "listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    text = replaced(text, "    listen [::]:443 ssl;\n", "")
    text = replaced(text, "/etc/letsencrypt/live/bot.example.org/", f"{folder}/", times=2)
    (folder / "site").write_text(text)
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; {'user root; ' if os.geteuid() == 0 else ''}events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; {temporary} include {folder}/site; }}\n"
    )
    command = (found("nginx"), "-e", str(folder / "nginx.log"), "-p", str(folder), "-c", str(folder / "nginx.conf"))
    async with _running(command, port, folder / "nginx.out"):
        yield Proxy(f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=str(certificate)))


def found(program: str) -> str:
    """The program; Debian keeps servers in folders that only root's shell searches."""
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, f"{program} is not installed: make test installs it with apt-get"
    return path


def replaced(text: str, there: str, here: str, times: int = 1) -> str:
    """Replace a text, which must occur so many times."""
    assert text.count(there) == times, (there, text)
    return text.replace(there, here)


@asynccontextmanager
async def _running(
    command: Sequence[str], port: int, log: Path, variables: dict[str, str] | None = None
) -> AsyncIterator[None]:
    with log.open("ab") as said:
        process = await asyncio.create_subprocess_exec(
            *command, env=os.environ | (variables or {}), stdin=asyncio.subprocess.DEVNULL, stdout=said, stderr=said
        )
    try:
        async with asyncio.timeout(60):
            while True:
                assert process.returncode is None, f"it ended: see {log}"
                with suppress(OSError):
                    _, line = await asyncio.open_connection("127.0.0.1", port)
                    line.close()
                    break
                await asyncio.sleep(0.05)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


FIRST = 1_000_000
POSTS = 120
PAGES_IN_CADDY = "/ /t /t/* /tv /tv/* /app /seat/*"


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def test_caddy_balances_the_workers_and_lets_webhooks_and_pages_through_alone() -> None:
    text = re.sub(r"(?m)^\s*#.*\n", "", read("Caddyfile"))
    (upstreams,) = set(re.findall(r"reverse_proxy (.*) \{", text))
    workers = [name for name in yaml.safe_load(read("compose.yaml"))["services"] if name.startswith("worker-")]
    assert upstreams.split() == [f"{worker}:{WEB_PORT}" for worker in workers]
    assert re.findall(r"path (.*)", text) == ["/telegram /sms/*", PAGES_IN_CADDY]
    assert text.count("health_uri /readyz") == 2
    assert re.search(r"handle \{\s*respond 404\s*\}", text)


@pytest.mark.parametrize("program", [WHEELS_CADDY, DEBIANS_CADDY])
def test_the_file_for_one_bot_is_valid_with_debians_caddy_too(program: str, tmp_path: Path) -> None:
    text = read("one-bot.Caddyfile")
    assert re.findall(r"path (.*)", text) == ["/telegram /sms/*", PAGES_IN_CADDY]
    command = [program, "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "one-bot.Caddyfile")]
    done = run(*command, env=os.environ | {"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr


def test_nginx_balances_the_workers_of_the_units_and_lets_webhooks_and_pages_through_alone() -> None:
    text = read("nginx.conf")
    ports = re.findall(r"(?m)^    server 127\.0\.0\.1:(\d+) ", text)
    assert ports == re.findall(r"perudo@(\d+)", read("perudo@.service").split("\n\n")[0])
    assert [f"perudo@{port}" in text for port in ports] == [True, True]
    assert re.findall(r"location (\S.*) \{", text) == ["~ ^/(telegram$|sms/)", "~ ^/($|(t|tv|app|seat)(/|$))", "/"]
    (host,) = re.findall(r"server_name (\S+);", text)
    assert f"PERUDO_WEBHOOK__URL=https://{host}/telegram" in text
    assert f"#PERUDO_WEBHOOK__URL=https://{host}/telegram\n" in read("perudo.env.example")


async def burst(world: TwoWorkers, proxy: Proxy, numbers: Iterator[int], third: asyncio.Event) -> Counter[int]:
    """Post updates to the webhook as Telegram does, again after a refusal. Return the answers by status."""
    secret = Settings(token=SecretStr(world.sandbox.token)).webhook_secret()
    answers: Counter[int] = Counter()

    async def post(client: httpx.AsyncClient) -> None:
        while number := next(numbers, None):
            status = None
            while status != 200:
                answer = await client.post(PATH, json={"update_id": number}, headers={SECRET_HEADER: secret})
                answers[status := answer.status_code] += 1
                if status != 200:
                    await asyncio.sleep(0.05)
            if answers[200] >= POSTS // 3:
                third.set()

    async with httpx.AsyncClient(base_url=proxy.url, verify=proxy.trusted, timeout=30) as client:
        await asyncio.gather(*(post(client) for _ in range(6)))
    return answers


async def lets_nothing_else_through(proxy: Proxy) -> None:
    async with httpx.AsyncClient(base_url=proxy.url, verify=proxy.trusted, timeout=30) as client:
        for hidden in ("/metrics", "/readyz", "/healthz", "/"):
            assert (await client.get(hidden)).status_code == 404, hidden
        assert (await client.get(PATH)).status_code in (403, 404), "a webhook is posted to"
        assert (await client.post(PATH, json={"update_id": 1})).status_code == 403, "the bot itself refuses this"


async def test_an_upgrade_costs_no_update_behind_any_proxy(tmp_path: Path, postgresql_url: str) -> None:
    """The process that plays is stopped under a burst through each, and the one that stands by plays."""
    proxies: dict[str, Opener] = {"caddy": caddy, "debians-caddy": debians_caddy, "nginx": nginx}
    thirds = [asyncio.Event() for _ in proxies]
    async with opened(tmp_path, Setting(database_url=postgresql_url), TwoWorkers) as world, AsyncExitStack() as running:
        assert isinstance(world, TwoWorkers)
        playing, bursts, opened_proxies = await world.playing(), [], []
        ports = [world.ports[playing], world.ports[1 - playing]]
        for place, (name, opener) in enumerate(proxies.items()):
            (tmp_path / name).mkdir()
            proxy = await running.enter_async_context(opener(tmp_path / name, ports))
            opened_proxies.append(proxy)
            numbers = iter(range(FIRST + place * POSTS, FIRST + (place + 1) * POSTS))
            bursts.append(burst(world, proxy, numbers, thirds[place]))

        async def stop() -> None:
            for name, third in zip(proxies, thirds, strict=True):
                if name != "debians-caddy":  # until then its process stands by
                    await third.wait()
            old = world.workers[playing]
            assert old is not None
            old.send_signal(signal.SIGTERM)
            assert await old.wait() == 0

        stopping = asyncio.create_task(stop())
        told = await asyncio.gather(*bursts)
        await stopping
        for name, answers in zip(proxies, told, strict=True):
            assert (name, answers.pop(200)) == (name, POSTS)
            assert answers.keys() <= {502, 503}, name
        for proxy in opened_proxies:
            await lets_nothing_else_through(proxy)
