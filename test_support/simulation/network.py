"""Requests between the programs of one event loop: ASGI applications without a socket."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest import mock
from urllib.parse import unquote, urlsplit

import httpx
from starlette.types import ASGIApp, Message

from telegram_sandbox.outage import CONNECTION
from telegram_sandbox.virtual_time import Process

LEAST_SECONDS, USUAL_SECONDS, MOST_SECONDS = 0.01, 0.06, 0.8
"""How long a request, and its answer, are on their way: one in twenty takes longer than usual."""


@dataclass(frozen=True)
class Server:
    """An application that answers, in a process of its own or outside all processes."""

    app: ASGIApp
    process: Process | None = None


class Exchange(asyncio.Transport):
    """One request, and its answer piece by piece. To the sandbox it is the connection that a fault can reset."""

    def __init__(
        self, server: Server, method: str, url: str, *, headers: Mapping[str, str], body: bytes, outside: Context
    ) -> None:
        super().__init__()
        loop = asyncio.get_running_loop()
        self.process = server.process
        self.head: asyncio.Future[tuple[int, httpx.Headers]] = loop.create_future()
        self.pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.broken = False
        self._body: bytes | None = body
        self._client_left = asyncio.Event()
        parts = urlsplit(url)
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": parts.scheme,
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
            "server": (parts.hostname, parts.port),
            "client": ("127.0.0.1", 1),
            CONNECTION: self,
        }
        work = self._serve(server.app, scope)
        if server.process is None:
            self.task = loop.create_task(work, name=f"{method} {parts.path}", context=outside.copy())
        else:
            self.task = server.process.run(work, name=f"{method} {parts.path}")

    async def _serve(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            if not self.head.done():
                self.abort()
            self.pieces.put_nowait(None)

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._client_left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if self._client_left.is_set():
            return
        if message["type"] == "http.response.start":
            if not self.head.done():
                headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
                self.head.set_result((message["status"], httpx.Headers(headers)))
        elif message.get("body"):
            self.pieces.put_nowait(message["body"])

    def abort(self) -> None:
        """Break the connection: the client gets an error in place of what has not arrived."""
        self.broken = True
        if not self.head.done():
            self.head.set_exception(httpx.ReadError("the connection was reset"))
            self.head.exception()  # a client that has left does not ask
        self.pieces.put_nowait(None)

    def leave(self) -> None:
        self._client_left.set()

    async def content(self) -> bytes:
        found = b""
        while (piece := await self.pieces.get()) is not None:
            found += piece
        if self.broken:
            raise httpx.ReadError("the connection was reset")
        return found


class Network:
    """The servers by their ports on 127.0.0.1, and the requests that are on their way."""

    def __init__(self, chance: Random, ended: Callable[[asyncio.Task[None]], None], *, healthy: bool) -> None:
        self.chance = chance
        self.healthy = healthy
        self.ended = ended
        """Called when a server has done its work for a request."""
        self.servers: dict[int, Callable[[], Server | None]] = {}
        self.observers: list[Callable[[str], None]] = []
        """Called with the path of each request of a bot, before it arrives and after it has had its effect."""
        self.outside = Context()
        """A context outside all processes."""
        self._open: list[Exchange] = []

    def delay(self) -> float:
        most = MOST_SECONDS if not self.healthy and self.chance.random() < 0.05 else USUAL_SECONDS
        return self.chance.uniform(LEAST_SECONDS, most)

    def begin(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Exchange:
        """Begin a request, which has arrived.

        Raises:
            httpx.ConnectError: no server listens.
        """
        find = self.servers.get(urlsplit(url).port or 0)
        server = None if find is None else find()
        if server is None:
            raise httpx.ConnectError("connection refused")
        self._open = [each for each in self._open if not each.task.done()]
        exchange = Exchange(server, method, url, headers=headers, body=body, outside=self.outside)
        exchange.task.add_done_callback(self.ended)
        self._open.append(exchange)
        return exchange

    def reset(self, process: Process) -> None:
        """Break the connections to a process that has died."""
        for exchange in self._open:
            if exchange.process is process:
                exchange.abort()

    async def request(self, request: httpx.Request) -> httpx.Response:
        """Take a request to its server, and its answer back."""
        body = await request.aread()
        limit = request.extensions.get("timeout", {}).get("read")
        await asyncio.sleep(self.delay())
        for observe in self.observers:
            observe(request.url.path)
        exchange = self.begin(request.method, str(request.url), request.headers, body)
        try:
            async with asyncio.timeout(limit):
                status, headers = await exchange.head
                content = await exchange.content()
        except TimeoutError:
            raise httpx.ReadTimeout("no answer in time") from None
        finally:
            exchange.leave()
        for observe in self.observers:
            observe(request.url.path)
        await asyncio.sleep(self.delay())
        return httpx.Response(status, headers=headers, content=content, request=request)

    @contextmanager
    def carries_httpx(self) -> Iterator[None]:
        """Carry the requests of every httpx client of this program for the length of a `with`."""

        async def handle(_transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
            return await self.request(request)

        with mock.patch.object(httpx.AsyncHTTPTransport, "handle_async_request", handle):
            yield
