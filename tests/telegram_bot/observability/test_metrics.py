"""`/metrics` for Prometheus and for strangers."""

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from itertools import product

import httpx
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
from prometheus_client.registry import Collector
from starlette.applications import Starlette

from telegram_bot.observability import metrics

TOKEN = "let-prometheus-in"


class SharedNumbers(Collector):
    """Numbers of another component, read at each request."""

    def __init__(self) -> None:
        self.asked = 0

    async def refresh(self) -> None:
        self.asked += 1

    def collect(self) -> Iterable[Metric]:
        yield GaugeMetricFamily("asked", "How often", value=self.asked)


@asynccontextmanager
async def serving(token: str = TOKEN) -> AsyncIterator[httpx.AsyncClient]:
    house = SharedNumbers()
    app = Starlette(routes=[metrics.route(token, house, house.refresh)])
    shown = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=shown
    ) as client:
        yield client


async def test_prometheus_reads_every_number_from_the_start() -> None:
    async with serving() as client:
        answer = await client.get("/metrics")
        again = await client.get("/metrics")
    numbers = [re.findall(r"(?m)^asked (.*)$", each.text) for each in (answer, again)]
    assert numbers == [["1.0"], ["2.0"]], "the shared numbers are asked for each time"
    assert answer.headers["content-type"].startswith("text/plain")
    families = {family.name: family for family in prometheus(answer.text)}
    for name in ("perudo_updates", "perudo_step_seconds", "perudo_tap_to_answer_seconds", "perudo_slow_downs"):
        assert families[name].samples, f"{name} is there before anything happens"
    assert all(family.documentation for family in families.values())
    (build,) = families["perudo_build_info"].samples
    assert set(build.labels) == {"version", "python"}


async def test_newer_prometheus_asks_for_openmetrics() -> None:
    async with serving() as client:
        answer = await client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert "perudo_updates" in {family.name for family in openmetrics(answer.text)}  # type: ignore[no-untyped-call]


async def test_where_no_token_is_set_nobody_is_answered() -> None:
    """A plain proxy on this machine (nginx with proxy_pass alone) asks in this machine's name for any client."""
    hosts = ("127.0.0.1:8443", "localhost", "[::1]:8443", "bot.example.org")
    async with serving("") as client:
        for host, authorization in product(hosts, ("", "Bearer", f"Bearer {TOKEN}")):
            answer = await client.get("/metrics", headers={"Host": host, "Authorization": authorization})
            assert answer.status_code == 403
            assert "metrics.token" in answer.text
            assert "perudo_updates" not in answer.text


async def test_with_a_token_only_who_knows_it_is_let_in() -> None:
    async with serving() as client:
        assert (await client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})).status_code == 200
        del client.headers["authorization"]
        for given in (None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            refused = await client.get("/metrics", headers={} if given is None else {"Authorization": given})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer"), given
            assert "perudo_updates" not in refused.text
