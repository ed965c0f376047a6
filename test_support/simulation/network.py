"""Requests between the programs of one event loop: ASGI applications without a socket."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from contextvars import Context
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest import mock

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


class Exchange(asyncio.Transport, httpx.AsyncByteStream):
    """One request, and its answer piece by piece. To the sandbox it is the connection that a fault can reset."""

    def __init__(self, server: Server, request: httpx.Request, outside: Context) -> None:
        super().__init__()
        loop, url = asyncio.get_running_loop(), request.url
        self.process = server.process
        self.head: asyncio.Future[tuple[int, httpx.Headers]] = loop.create_future()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._broken = False
        self._told: asyncio.Queue[Message] = asyncio.Queue()
        self._told.put_nowait({"type": "http.request", "body": request.content})
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": url.scheme,
            "path": url.path,
            "raw_path": url.raw_path.partition(b"?")[0],
            "query_string": url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "server": (url.host, url.port),
            "client": ("127.0.0.1", 1),
            CONNECTION: self,
        }
        work, name = self._serve(server.app, scope), f"{request.method} {url.path}"
        if server.process is None:
            self.task = loop.create_task(work, name=name, context=outside.copy())
        else:
            self.task = server.process.run(work, name=name)

    async def _serve(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._told.get, self._send)
        finally:
            if not self.head.done():
                self.abort()
            self._pieces.put_nowait(None)

    async def _send(self, message: Message) -> None:
        if message["type"] != "http.response.start":
            self._pieces.put_nowait(message.get("body", b""))
        elif not self.head.done():
            self.head.set_result((message["status"], httpx.Headers(message["headers"])))

    def abort(self) -> None:
        """Break the connection: the client gets an error in place of what has not arrived."""
        self._broken = True
        if not self.head.done():
            self.head.set_exception(httpx.ReadError("the connection was reset"))
            self.head.exception()  # a client that has left does not ask
        self._pieces.put_nowait(None)

    async def aclose(self) -> None:
        """Leave, as a client does."""
        self._told.put_nowait({"type": "http.disconnect"})

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            yield piece
        if self._broken:
            raise httpx.ReadError("the connection was reset")


class Network:
    """The servers by their ports on 127.0.0.1, and the requests that are on their way."""

    def __init__(self, chance: Random, ended: Callable[[asyncio.Task[None]], None], *, healthy: bool) -> None:
        self.chance = chance
        self.healthy = healthy
        self.ended = ended
        """Called when a server has done its work for a request."""
        self.servers: dict[int, Callable[[], Server | None]] = {}
        self.observe: Callable[[str], None] = lambda _: None
        """Called with the path of each request of a bot, before it arrives and after it has had its effect."""
        self.outside = Context()
        """A context outside all processes."""
        self._open: list[Exchange] = []

    def delay(self) -> float:
        most = MOST_SECONDS if not self.healthy and self.chance.random() < 0.05 else USUAL_SECONDS
        return self.chance.uniform(LEAST_SECONDS, most)

    def reset(self, process: Process) -> None:
        """Break the connections to a process that has died."""
        for exchange in self._open:
            if exchange.process is process:
                exchange.abort()

    async def request(self, request: httpx.Request) -> httpx.Response:
        """Take a request to its server, and its answer back as far as it has come."""
        await request.aread()
        await asyncio.sleep(self.delay())
        self.observe(request.url.path)
        server = self.servers.get(request.url.port or 0, lambda: None)()
        if server is None:
            raise httpx.ConnectError("connection refused")
        exchange = Exchange(server, request, self.outside)
        exchange.task.add_done_callback(self.ended)
        self._open = [*(each for each in self._open if not each.task.done()), exchange]
        try:
            async with asyncio.timeout(request.extensions["timeout"]["read"]):
                status, headers = await exchange.head
            self.observe(request.url.path)
            await asyncio.sleep(self.delay())
        except BaseException as error:
            await exchange.aclose()
            if isinstance(error, TimeoutError):
                raise httpx.ReadTimeout("no answer in time") from None
            raise
        return httpx.Response(status, headers=headers, stream=exchange, request=request)

    def carries_httpx(self) -> AbstractContextManager[object]:
        """Carry the requests of every httpx client of this program for the length of a `with`."""
        handle = lambda _, request: self.request(request)  # noqa: E731
        return mock.patch.object(httpx.AsyncHTTPTransport, "handle_async_request", handle)
