"""The bot's own web server: what it serves and refuses, its report of health, `/metrics`, and what systemd hears."""

import asyncio
import json
import logging
import re
import socket
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import product
from pathlib import Path

import httpx
import pytest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from telegram_bot.errors import OperatorError
from telegram_bot.ingress.http_body import DEEPEST, read_json_object
from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import THROTTLE_SECONDS, LogThrottle
from telegram_bot.operations.until_stopped import tell_systemd
from telegram_bot.operations.web_server import HEAD_BYTES, Check, WebServer

MOST = 1000
trouble: dict[str, str | None] = {}


async def echo(request: Request) -> Response:
    return JSONResponse(await read_json_object(request, MOST))


async def one() -> str | None:
    return trouble.get("one")


async def two() -> str | None:
    if trouble.get("two") == "raise":
        raise ConnectionError("postgresql://perudo:password@host")
    return trouble.get("two")


@asynccontextmanager
async def serving(
    *routes: Route, checks: Mapping[str, Check] | None = None, proxies: tuple[str, ...] = ()
) -> AsyncIterator[WebServer]:
    server = WebServer("127.0.0.1", 0, routes, checks or {}, proxies=proxies)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    trouble.clear()
    async with serving(Route("/echo", echo, methods=["POST"]), checks={"one": one, "two": two}) as server:
        yield server


@pytest.fixture
async def client(server: WebServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        yield client


WHOLE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = b"GET /healthz HTTP/1.1\r\nX-Half:"
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(server: WebServer, sent: bytes = b"", address: str = "127.0.0.1") -> Connection:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0))
    writer.write(sent)
    await writer.drain()
    return reader, writer


async def raw(server: WebServer, request: bytes) -> bytes:
    reader, writer = await connected(server, request)
    answer = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    return answer


JSON = {"content-type": "application/json"}


async def test_an_object_arrives(client: httpx.AsyncClient) -> None:
    brackets = {"text": '{["\\' * 100, "more": "[[[" * 60}
    for sent in ({"a": [1, "ü"]}, brackets):
        assert (await client.post("/echo", json=sent)).json() == sent
    kind = {"content-type": "Application/JSON; charset=utf-8"}
    assert (await client.post("/echo", content=b"{}", headers=kind)).status_code == 200


async def test_what_is_no_json_object_is_refused(client: httpx.AsyncClient) -> None:
    deep = b'{"a":' * (DEEPEST + 1) + b"1" + b"}" * (DEEPEST + 1)
    for body in (b"", b"{", b"[]", b"7", b'"x"', b'{"a": NaN}', b"\xff\xfe", b"\x00", deep, b"[" * 900):
        assert (await client.post("/echo", content=body, headers=JSON)).status_code == 400, body


async def test_other_kinds_and_methods_are_refused(client: httpx.AsyncClient) -> None:
    assert (await client.post("/echo", content=b"{}", headers={"content-type": "text/plain"})).status_code == 415
    assert (await client.post("/echo", content=b"{}")).status_code == 415
    for method in ("GET", "PUT", "DELETE", "PATCH"):
        assert (await client.request(method, "/echo")).status_code == 405
    assert (await client.post("/echo/", json={})).status_code == 404
    assert (await client.get("/")).status_code == 404


async def test_a_body_is_read_only_as_far_as_it_may_go(server: WebServer, client: httpx.AsyncClient) -> None:
    fits = {"a": "x" * (MOST - len('{"a":""}'))}
    assert len(json.dumps(fits, separators=(",", ":"))) == MOST
    assert (await client.post("/echo", json=fits)).status_code == 200
    assert (await client.post("/echo", json={"a": "x" * MOST})).status_code == 413

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b" " * 100

    assert (await client.post("/echo", content=endless(), headers=JSON)).status_code == 413
    told = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n"
    assert b" 413 " in await raw(server, told), "before a byte of it was sent"


async def test_who_stops_in_mid_sentence_keeps_nobody_waiting(
    server: WebServer, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_bot.ingress.http_body.BODY_SECONDS", 0.2)
    head = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
    assert b" 408 " in await raw(server, head)
    monkeypatch.undo()
    assert b" 400 " in await raw(server, b"nonsense\r\n\r\n")
    assert (await client.post("/echo", json={})).status_code == 200


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"X-Filler: " + b"a" * 1000 + b"\r\n"),
        (b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 1000),
    ],
    ids=["headers", "a chunk's extension"],
)
async def test_no_head_is_endless(server: WebServer, client: httpx.AsyncClient, head: bytes, piece: bytes) -> None:
    _, writer = await connected(server, head)
    with pytest.raises(ConnectionError):  # noqa: PT012 - after some bytes, which the kernels hold in between
        for _ in range(64_000):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
    writer.close()
    assert (await client.get("/healthz", headers={"x-long": "a" * (HEAD_BYTES - 1000)})).status_code == 200


async def test_more_requests_than_it_can_hold_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.operations.web_server.MOST_REQUESTS", 2)
    async with serving() as server:
        _, held = await connected(server)
        assert b" 503 " in await raw(server, WHOLE)
        held.close()


async def test_a_late_head_ends_its_connection(
    server: WebServer, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_bot.operations.web_server.HEAD_SECONDS", 0.05)
    for sent in (b"", HALF, WHOLE + b"GET /he"):
        reader, writer = await connected(server, sent)
        with suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), 60)
        writer.close()
    monkeypatch.undo()
    assert (await client.get("/healthz")).status_code == 200


async def test_the_rest_of_a_body_that_has_its_answer_ends(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.operations.web_server.HEAD_SECONDS", 0.05)
    reader, writer = await connected(server, b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n")
    reading = asyncio.create_task(reader.read())
    with suppress(ConnectionError):
        async with asyncio.timeout(60):
            while not reading.done():
                writer.write(b"x")
                await asyncio.sleep(0.01)
        await reading
    writer.close()


@pytest.mark.parametrize("proxies", [("127.0.0.1",), ()])
async def test_one_network_cannot_take_every_place(monkeypatch: pytest.MonkeyPatch, proxies: tuple[str, ...]) -> None:
    monkeypatch.setattr("telegram_bot.operations.web_server.MOST_CONNECTIONS", 3)
    async with serving(proxies=proxies) as server:
        held = [await connected(server) for _ in range(3)]

        async def answer(address: str) -> bytes:
            with suppress(ConnectionError):
                held.append(await connected(server, WHOLE, address))
                return await asyncio.wait_for(held[-1][0].readline(), 60)
            return b""

        assert (b" 200 " in await answer("127.0.0.1")) is bool(proxies)
        assert b" 200 " in await answer("127.0.0.2")
        for _, writer in held:
            writer.close()


@pytest.mark.parametrize("sent", [b"", HALF, WHOLE], ids=["nothing", "half a head", "a request"])
async def test_idle_connections_of_many_networks_take_no_place(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    for name, most in (("MOST_CONNECTIONS", 3), ("MOST_WAITING", 8), ("MOST_REQUESTS", 10)):
        monkeypatch.setattr(f"telegram_bot.operations.web_server.{name}", most)
    async with serving() as server:
        early = await connected(server, address="127.0.0.99")
        held = [early]
        for network in (f"127.0.0.{number}" for number in range(2, 7) for _ in range(3)):
            held.append(await connected(server, sent, network))
            if sent == WHOLE:
                await asyncio.wait_for(held[-1][0].readline(), 60)
        late = await connected(server, WHOLE, "127.0.0.98")
        early[1].write(WHOLE)
        for reader, _ in (late, early):
            assert b" 200 " in await asyncio.wait_for(reader.readline(), 60), "one connection of a network stays"
        for _, writer in (*held, late):
            writer.close()


async def test_nonsense_is_told_once_a_minute(server: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "uvicorn.error"):
        for _ in range(5):
            assert b" 400 " in await raw(server, b"nonsense\r\n\r\n")
    assert len([line for line in caplog.messages if line and "Invalid HTTP request" in line]) <= 1


async def test_it_says_whether_it_is_well_and_what_is_not(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).text == "ok\n"
    ready = await client.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "wrong": {}})
    trouble.update(one="is asleep", two="raise")
    ready = await client.get("/readyz")
    wrong = {"one": "is asleep", "two": "does not work (ConnectionError)"}
    assert (ready.status_code, ready.json()) == (503, {"ready": False, "wrong": wrong})
    assert (await client.get("/healthz")).status_code == 200, "restarting it would not help"


async def test_a_check_that_hangs_is_something_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.operations.web_server.CHECK_SECONDS", 0.1)

    async def hangs() -> str | None:
        await asyncio.sleep(60)
        return None

    async with serving(checks={"slow": hangs}) as server, httpx.AsyncClient(timeout=60) as other:
        ready = await other.get(f"http://127.0.0.1:{server.port}/readyz")
    assert ready.json()["wrong"] == {"slow": "does not answer"}


async def test_a_port_that_is_anothers_is_told(server: WebServer) -> None:
    second = WebServer("127.0.0.1", server.port, [], {})
    with pytest.raises(OperatorError, match=rf"cannot listen on 127\.0\.0\.1, port {server.port} .*web\.port"):
        await second.start()
    with pytest.raises(OperatorError, match=r"cannot listen on no\.such\.host"):
        await WebServer("no.such.host.invalid", 0, [], {}).start()


async def test_what_is_under_way_is_finished_before_it_stops() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> Response:
        begun.set()
        await go_on.wait()
        return Response("done")

    async with serving(Route("/slow", slow)) as server, httpx.AsyncClient(timeout=60) as client:
        asking = asyncio.create_task(client.get(f"http://127.0.0.1:{server.port}/slow"))
        await begun.wait()
        stopping = asyncio.create_task(server.stop())
        with suppress(ConnectionError):
            while True:
                (await connected(server))[1].close()
                await asyncio.sleep(0.01)
        go_on.set()
        assert (await asking).text == "done"
        await stopping


async def test_who_stands_by_reads_a_request_before_refusing_it(server: WebServer, client: httpx.AsyncClient) -> None:
    """An answer that comes before the body is lost with its connection, if the process stops."""
    server.stands_by = True
    reader, writer = await connected(server, b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n")
    answer = asyncio.create_task(reader.readline())
    for _ in range(5):  # by then it has the head
        assert (await client.get("/healthz")).status_code == 200
    assert not answer.done()
    writer.write(b"{}")
    assert b" 503 " in await answer
    writer.close()


async def test_an_answers_end_does_not_wait_for_the_confirmation_of_its_beginning(server: WebServer) -> None:
    """On a kept connection TCP would delay each by 40 ms; a busy machine delays some."""
    reader, writer = await connected(server)
    took: list[float] = []
    while len(took) < 100 and min(took, default=1) >= 0.03:
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
        began = time.perf_counter()
        writer.write(WHOLE)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.partition(b"content-length: ")[2].split()[0]))
        took.append(time.perf_counter() - began)
    writer.close()
    assert min(took) < 0.03


def test_what_strangers_knock_with_is_told_once_a_minute_and_counted() -> None:
    now = 5.0
    seldom = LogThrottle(lambda: now)
    assert [seldom.line_for("no secret") for _ in range(3)] == ["no secret", None, None]
    assert seldom.line_for("no JSON") == "no JSON"
    now += THROTTLE_SECONDS
    assert [seldom.line_for("no secret") for _ in range(2)] == ["no secret (and 2 times before)", None]
    now += THROTTLE_SECONDS
    assert seldom.line_for("no JSON") == "no JSON"


async def test_systemds_watchdog_hears_from_a_running_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await tell_systemd()  # without systemd it ends at once
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "30000")
        alive = asyncio.create_task(tell_systemd())
        loop = asyncio.get_running_loop()
        assert [await loop.sock_recv(systemd, 100) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        alive.cancel()


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
async def metrics_page(token: str = TOKEN) -> AsyncIterator[httpx.AsyncClient]:
    house = SharedNumbers()
    app = Starlette(routes=[metrics.route(token, house, house.refresh)])
    shown = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", headers=shown
    ) as client:
        yield client


async def test_prometheus_reads_every_number_from_the_start() -> None:
    async with metrics_page() as client:
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
    async with metrics_page() as client:
        answer = await client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert "perudo_updates" in {family.name for family in openmetrics(answer.text)}  # type: ignore[no-untyped-call]


async def test_where_no_token_is_set_nobody_is_answered() -> None:
    """A plain proxy on this machine (nginx with proxy_pass alone) asks in this machine's name for any client."""
    hosts = ("127.0.0.1:8443", "localhost", "[::1]:8443", "bot.example.org")
    async with metrics_page("") as client:
        for host, authorization in product(hosts, ("", "Bearer", f"Bearer {TOKEN}")):
            answer = await client.get("/metrics", headers={"Host": host, "Authorization": authorization})
            assert answer.status_code == 403
            assert "metrics.token" in answer.text
            assert "perudo_updates" not in answer.text


async def test_with_a_token_only_who_knows_it_is_let_in() -> None:
    async with metrics_page() as client:
        assert (await client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})).status_code == 200
        del client.headers["authorization"]
        for given in (None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            refused = await client.get("/metrics", headers={} if given is None else {"Authorization": given})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer"), given
            assert "perudo_updates" not in refused.text
