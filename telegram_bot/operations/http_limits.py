"""Limits on what a client may make the web server keep: bytes of a request's head, seconds for it, connections.

uvicorn has an option for the first alone. Its `limit_concurrency` answers 503 to whoever comes last, which would help
those who hold connections open for nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from telegram_bot.observability.log_throttle import LogThrottle

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

HEAD_BYTES: Final = 32768
"""The longest head of a request, and the longest line of a chunked body."""
HEAD_SECONDS: Final = 10.0
"""How long a connection may take from its start, or from the last answer, until it has sent the head of a request."""
MOST_CONNECTIONS: Final = 512
"""Connections at the same time; a proxy in front of the bot holds some dozens."""


def connection_limit() -> int:
    """How many connections there may be, so that half of the process's files are left for the rest of the bot."""
    if resource is None:
        return MOST_CONNECTIONS
    most_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if most_files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, most_files // 2)


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol on one connection, within those limits.

    Where there are too many connections, the one goes that has kept the bot waiting longest. A request that has arrived
    in full is always answered.
    """

    waits_since = math.inf
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it."""
        super().connection_made(transport)
        self.waits_since = self.loop.time()
        self._watch_head()
        if len(self.connections) > connection_limit():
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Read, and stop the clock when a head is complete."""
        super().data_received(data)
        self._watch_head()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self.waits_since = self.loop.time()
        super().on_response_complete()
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _waits_for_head(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn to send."""
        return self._waits_for_head or self.cycle.more_body

    def _watch_head(self) -> None:
        if not self._waits_for_head:
            self._stop_timer()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_at(self.waits_since + HEAD_SECONDS, self._give_up)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self._head_timer = None
        self.transport.abort()

    def _make_room(self) -> None:
        others = [each for each in self.connections if isinstance(each, LimitedProtocol) and each.waits]
        longest = min(others, key=lambda each: each.waits_since, default=self)
        self.connections.discard(longest)
        longest.transport.abort()


class ThrottledWarnings(logging.Filter):
    """Lets each warning of uvicorn's through once a minute: strangers cause them."""

    def __init__(self) -> None:
        super().__init__()
        self._throttle = LogThrottle()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this record is written, with the number of those left out since the last."""
        if record.levelno != logging.WARNING:
            return True
        line = self._throttle.line_for(record.getMessage())
        record.msg, record.args = line, ()
        return line is not None
