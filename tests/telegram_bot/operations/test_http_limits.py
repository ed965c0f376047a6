"""What strangers send to the bot's web server to fill its memory, its files and its log: over real sockets."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import AsyncIterator, Iterator

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from telegram_bot.operations import http_limits
from telegram_bot.operations.http_limits import HEAD_BYTES, LimitedProtocol, connection_limit
from telegram_bot.operations.web_server import WebServer

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HALF = b"POST /telegram HTTP/1.1\r\nHost: x\r\n"
ALIVE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
opened: list[asyncio.StreamWriter] = []
"""What the tests have opened, to be closed after each."""
CHUNKED = b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
SLOW = b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"


class Slow:
    """A request that is answered when the test says so."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def answer(self, _request: Request) -> Response:
        self.begun.set()
        await self.go_on.wait()
        return Response("done")


@pytest.fixture
async def slow() -> Slow:
    return Slow()


@pytest.fixture
async def server(slow: Slow) -> AsyncIterator[WebServer]:
    server = WebServer("127.0.0.1", 0, [Route("/slow", slow.answer)], {})
    await server.start()
    yield server
    slow.go_on.set()
    for writer in opened:
        writer.transport.abort()
    opened.clear()
    await server.stop()


@pytest.fixture
def many_files() -> Iterator[None]:
    """Room for both ends of a thousand connections in this one process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def connect(server: WebServer, first: bytes = b"") -> Connection:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    opened.append(writer)
    writer.write(first)
    return reader, writer


async def answer(connection: Connection, request: bytes = b"") -> bytes:
    """The first line that comes back; nothing if the connection ends without one."""
    reader, writer = connection
    try:
        writer.write(request)
        return await asyncio.wait_for(reader.readline(), 10)
    except ConnectionError:
        return b""


async def taken(connection: Connection, piece: bytes, most: int) -> int:
    """How many bytes of an endless stream can be sent before the server hangs up."""
    _, writer = connection
    sent = 0
    try:
        while sent < most:
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
            await asyncio.sleep(0)
    except ConnectionError:
        pass
    return sent


def connections(server: WebServer) -> list[LimitedProtocol]:
    return [each for each in server._server.server_state.connections if isinstance(each, LimitedProtocol)]


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"X-Filler: " + b"a" * 1000 + b"\r\n"),
        (b"GET /healthz HTTP/1.1\r\nX-Filler: ", b"a" * 1000),
        (b"GET /", b"a" * 1000),
        (
            b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            b"T: " + b"a" * 1000 + b"\r\n",
        ),
        (CHUNKED + b"1;", b"a" * 1000),
    ],
    ids=["many headers", "one header", "an address", "trailers", "a chunk's extension"],
)
async def test_an_endless_head_is_cut_off(server: WebServer, head: bytes, piece: bytes) -> None:
    assert await taken(await connect(server, head), piece, 64_000_000) < 8_000_000, "what the kernels hold in between"
    assert b" 200 " in await answer(await connect(server), ALIVE)


async def test_a_head_may_be_as_long_as_real_ones(server: WebServer) -> None:
    filler = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 900) for number in range(HEAD_BYTES // 1000))
    assert b" 200 " in await answer(await connect(server), ALIVE[:-2] + filler + b"\r\n")


@pytest.mark.usefixtures("many_files")
async def test_a_thousand_half_requests_keep_nobody_out(server: WebServer) -> None:
    for _ in range(1010):
        await connect(server, HALF)
    for _ in range(20):
        assert b" 200 " in await answer(await connect(server), ALIVE)
    assert len(connections(server)) <= connection_limit()


async def test_who_has_waited_longest_makes_room_and_a_whole_request_never(
    server: WebServer, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "MOST_CONNECTIONS", 4)
    busy = await connect(server, SLOW)
    await slow.begun.wait()
    first = await connect(server, HALF)
    body = await connect(server, HALF + b"Content-Length: 5\r\n\r\n")
    await asyncio.sleep(0.1)
    newest = [await connect(server, HALF) for _ in range(3)]
    assert await answer(first) == b""
    assert b" 404 " in await answer(body), "it was answered, and is closed as its body does not come"
    slow.go_on.set()
    assert b" 200 " in await answer(busy)
    assert b" 400 " in await answer(newest[-1], b"\r\rnonsense\r\n\r\n")


async def test_where_every_connection_is_busy_the_next_is_refused(
    server: WebServer, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "MOST_CONNECTIONS", 2)
    busy = [await connect(server, SLOW) for _ in range(2)]
    while sum(not each.waits for each in connections(server)) < 2:  # noqa: ASYNC110 - the sockets have no event
        await asyncio.sleep(0.01)
    assert await answer(await connect(server), ALIVE) == b""
    slow.go_on.set()
    assert [b" 200 " in await answer(each) for each in busy] == [True, True]


@pytest.mark.parametrize(
    "before", [b"", HALF, ALIVE + HALF, b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"]
)
async def test_a_head_has_a_time_limit_however_it_trickles(
    server: WebServer, before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "HEAD_SECONDS", 0.5)
    connection = await connect(server, before)
    began = asyncio.get_running_loop().time()
    await taken((connection[0], _Slowly(connection[1])), b"X", 100)  # type: ignore[arg-type]
    assert 0.4 < asyncio.get_running_loop().time() - began < 3


class _Slowly:
    """A writer that rests after every byte."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, piece: bytes) -> None:
        self._writer.write(piece)

    async def drain(self) -> None:
        await asyncio.sleep(0.05)
        await self._writer.drain()


async def test_a_slow_answer_has_no_time_limit(server: WebServer, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "HEAD_SECONDS", 0.2)
    busy = await connect(server, SLOW)
    await slow.begun.wait()
    await asyncio.sleep(0.5)
    slow.go_on.set()
    assert b" 200 " in await answer(busy)


async def test_nonsense_is_told_once_a_minute(server: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "uvicorn.error"):
        for _ in range(5):
            assert b" 400 " in await answer(await connect(server), b"nonsense\r\n\r\n")
    assert len([line for line in caplog.messages if line and "Invalid HTTP request" in line]) <= 1
