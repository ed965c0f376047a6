"""Caddyfile and nginx.conf: what they say, and what the real Caddy and nginx do by them when a worker is killed."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import yaml
from pydantic import SecretStr

from telegram_bot.channels.telegram.webhook import SECRET_HEADER
from telegram_bot.settings import WEB_PORT, Settings
from test_support.proxies import DEPLOY, Opener, Proxy, caddy, debians_caddy, nginx
from test_support.worker_cluster import PATH, TwoWorkers
from test_support.world import Setting, opened

FIRST = 1_000_000
POSTS = 120
AT_ONCE = 6


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def test_caddy_balances_the_workers_and_lets_webhooks_through_alone() -> None:
    text = re.sub(r"(?m)^\s*#.*\n", "", read("Caddyfile"))
    (upstreams,) = re.findall(r"reverse_proxy (.*) \{", text)
    workers = [name for name in yaml.safe_load(read("compose.yaml"))["services"] if name.startswith("worker-")]
    assert upstreams.split() == [f"{worker}:{WEB_PORT}" for worker in workers]
    assert re.findall(r"path (.*)", text) == ["/telegram /sms/*"]
    assert "health_uri /readyz" in text
    assert re.search(r"handle \{\s*respond 404\s*\}", text)


def test_nginx_balances_the_workers_of_the_units_and_lets_webhooks_through_alone() -> None:
    text = read("nginx.conf")
    ports = re.findall(r"(?m)^    server 127\.0\.0\.1:(\d+) ", text)
    assert ports == re.findall(r"perudo@(\d+)", read("perudo@.service").split("\n\n")[0])
    assert [f"perudo@{port}" in text for port in ports] == [True, True]
    assert re.findall(r"location (\S.*) \{", text) == ["~ ^/(telegram$|sms/)", "/"]
    (host,) = re.findall(r"server_name (\S+);", text)
    assert f"PERUDO_WEBHOOK__URL=https://{host}/telegram" in text
    assert f"#PERUDO_WEBHOOK__URL=https://{host}/telegram\n" in read("perudo.env.example")


async def burst(world: TwoWorkers, proxy: Proxy, numbers: Iterator[int], third: asyncio.Event) -> Counter[int]:
    """Post updates to the webhook as Telegram does: what is refused is brought again. Return the answers by status."""
    secret = Settings(token=SecretStr(world.sandbox.token)).webhook_secret()
    answers: Counter[int] = Counter()

    async def post(client: httpx.AsyncClient) -> None:
        while number := next(numbers, None):
            status = None
            while status != 200:
                status = (
                    await client.post(PATH, json={"update_id": number}, headers={SECRET_HEADER: secret})
                ).status_code
                answers[status] += 1
            if answers[200] >= POSTS // 3:
                third.set()

    async with httpx.AsyncClient(base_url=proxy.url, verify=proxy.trusted, timeout=30) as client:
        for hidden in ("/metrics", "/readyz", "/healthz", "/"):
            assert (await client.get(hidden)).status_code == 404, hidden
        assert (await client.get(PATH)).status_code in (403, 404), "a webhook is posted to"
        assert (await client.post(PATH, json={"update_id": 1})).status_code == 403, "the bot itself refuses this"
        await asyncio.gather(*(post(client) for _ in range(AT_ONCE)))
    return answers


async def test_a_killed_worker_costs_no_update_behind_any_proxy(tmp_path: Path, postgresql_url: str) -> None:
    """One worker of two is killed under a burst through each. Debian's Caddy refuses some, and each comes again."""
    proxies: dict[str, Opener] = {"caddy": caddy, "debians-caddy": debians_caddy, "nginx": nginx}
    thirds = [asyncio.Event() for _ in proxies]
    async with opened(tmp_path, Setting(database_url=postgresql_url), TwoWorkers) as world, AsyncExitStack() as running:
        assert isinstance(world, TwoWorkers)
        bursts = []
        for place, (name, opener) in enumerate(proxies.items()):
            (tmp_path / name).mkdir()
            proxy = await running.enter_async_context(opener(tmp_path / name, world.ports))
            numbers = iter(range(FIRST + place * POSTS, FIRST + (place + 1) * POSTS))
            bursts.append(burst(world, proxy, numbers, thirds[place]))

        async def kill() -> None:
            for third in thirds:
                await third.wait()
            await world.kill()

        killing = asyncio.create_task(kill())
        told = await asyncio.gather(*bursts)
        await killing
        answers = dict(zip(proxies, told, strict=True))
        assert answers["caddy"] == answers["nginx"] == {200: POSTS}, answers
        refusals = answers["debians-caddy"] - Counter({200: POSTS})
        assert set(refusals) <= {502, 503}, f"Telegram brings these again: {answers}"
