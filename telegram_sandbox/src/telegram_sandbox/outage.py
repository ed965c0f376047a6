"""Outages: the bot cannot reach the server, its connections are reset, or its calls get no answer."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from typing import Literal

from starlette.types import ASGIApp, Receive, Scope, Send

from telegram_sandbox.clock import Clock

OutageKind = Literal["refuse", "reset", "silent"]
CONNECTION = "sandbox.connection"
"""The key of the connection in a request's scope."""
LINGER_ZERO = struct.pack("ii", 1, 0)


class Outage:
    """Whether the server can be reached now.

    `refuse` closes the bot's port and every connection to it, `reset` cuts each call as it comes, `silent` answers
    none. People can still act meanwhile, and the control API still answers.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.kind: OutageKind | None = None
        self.holds_updates = False
        self._over = asyncio.Event()
        self._over.set()
        self._end: asyncio.Task[None] | None = None
        self.calls: set[asyncio.BaseTransport] = set()
        """The connections on which the bot waits for an answer."""
        self.close_bot_port: Callable[[], None] | None = None
        self.open_bot_port: Callable[[], None] | None = None
        """Functions that close and open the bot's own port, or None if the bot has no port of its own."""

    def begin(self, kind: OutageKind, seconds: float | None, *, holds_updates: bool) -> None:
        """Begin an outage, for so many seconds or until `end`; with `holds_updates` pushed updates wait as well."""
        self.end()
        self.kind = kind
        self.holds_updates = holds_updates
        self._over.clear()
        if kind != "silent":
            for connection in self.calls:
                reset_connection(connection)
        if kind == "refuse" and self.close_bot_port is not None:
            self.close_bot_port()
        if seconds is not None:
            self._end = asyncio.create_task(self._end_after(seconds))

    def end(self) -> None:
        """End the outage."""
        if self._end is not None and self._end is not asyncio.current_task():
            self._end.cancel()
        self._end = None
        if self.kind == "refuse" and self.open_bot_port is not None:
            self.open_bot_port()
        self.kind = None
        self.holds_updates = False
        self._over.set()

    async def _end_after(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self.end()

    async def wait_if_updates_held(self) -> None:
        """Wait until updates get through to the bot."""
        if self.holds_updates:
            await self._over.wait()

    async def wait_until_over(self) -> None:
        """Wait until the outage is over."""
        await self._over.wait()

    def close(self) -> None:
        """End every wait: the server stops."""
        if self._end is not None:
            self._end.cancel()
        self._over.set()


def with_connection(app: ASGIApp) -> ASGIApp:
    """Return the application, with the connection of each request in its scope."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        # uvicorn passes a method of the object that has the connection.
        scope[CONNECTION] = getattr(getattr(send, "__self__", None), "transport", None)
        await app(scope, receive, send)

    return run


def reset_connection(transport: asyncio.BaseTransport | None) -> None:
    """Reset a connection: the other side reads an error, not an end."""
    if transport is None:
        raise RuntimeError("this server does not say which connection a request came on")
    stream = transport.get_extra_info("socket")
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)
    if isinstance(transport, asyncio.Transport):
        transport.abort()
