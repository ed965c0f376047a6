"""The bot's web server: the channels' routes, liveness and readiness."""

import asyncio
import contextlib
import logging
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Generator, Mapping, Sequence
from typing import Final, TypeAlias

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from telegram_bot.errors import OperatorError
from telegram_bot.ingress.http_body import read_body
from telegram_bot.ingress.networks import has_enough, network_of, site_of
from telegram_bot.observability.log_throttle import LogThrottle

log = logging.getLogger(__name__)

Check: TypeAlias = Callable[[], Awaitable[str | None]]
"""Returns the problem, without secrets, or None if there is none."""

CHECK_SECONDS: Final = 3.0
OF_THE_OPERATOR: Final = ("/healthz", "/readyz", "/metrics")
FINISH_SECONDS: Final = 5
GONE_SECONDS: Final = 30
BACKLOG: Final = 1024
HEAD_BYTES: Final = 32768
"""The longest head of a request, and the longest line of a chunked body."""
HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take to arrive."""
MOST_CONNECTIONS: Final = 64
"""The connections of one network, unless it is a proxy's: its streams, and some for its requests."""
MOST_WAITING: Final = 256
"""Connections that wait for the head of a request. A further one ends the oldest of the site that has the most."""
MOST_REQUESTS: Final = 512
"""Connections at the same time; a further request is answered with 503. A proxy has some dozens."""
MOST_READ: Final = 2**20
"""The bytes of a body that a process reads while it stands by."""


class _ThrottledWarnings(logging.Filter):
    """Lets each warning of uvicorn pass once a minute: strangers cause them."""

    def __init__(self) -> None:
        super().__init__()
        self._throttle = LogThrottle()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if this record is written, with the number of those left out since the last."""
        if record.levelno != logging.WARNING:
            return True
        line = self._throttle.line_for(record.getMessage())
        record.msg, record.args = line, ()
        return line is not None


_UVICORN_WARNINGS: Final = _ThrottledWarnings()


class WebServer:
    """Serves routes in the bot's event loop."""

    def __init__(
        self,
        host: str,
        port: int,
        routes: Sequence[BaseRoute],
        checks: Mapping[str, Check],
        *,
        streams: int = 0,
        proxies: Container[str] = (),
    ) -> None:
        """`streams`: the number of connections that may be open besides those of requests.

        `proxies`: the addresses of proxies, which forward the requests of many networks.
        """
        self.host = host
        self.port = port
        self.stands_by = False
        """Whether another process plays: then this one answers only its operator."""
        self._checks = checks
        self._serving: asyncio.Task[None] | None = None
        self.app = app = Starlette(
            routes=[
                *routes,
                Route("/healthz", self._is_alive, methods=["GET"]),
                Route("/readyz", self._is_ready, methods=["GET"]),
            ],
            middleware=[Middleware(_StandingBy, self)],
        )
        app.router.redirect_slashes = False
        config = _Config(
            app,
            http=_Connection,
            h11_max_incomplete_event_size=HEAD_BYTES,
            limit_concurrency=MOST_REQUESTS + streams,
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=FINISH_SECONDS,
        )
        config.proxies = proxies
        self._server = _Server(config)
        logging.getLogger("uvicorn.error").addFilter(_UVICORN_WARNINGS)

    async def start(self) -> None:
        """Listen on the port.

        Raises:
            OperatorError: another process uses the port.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server((self.host, self.port), family=family, backlog=BACKLOG)
            # Accepted connections inherit this option, which asyncio sets only if the protocol was named. Without it
            # the end of an answer waits 40 ms until its beginning is confirmed.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux: ends connections that accept no data
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_SECONDS * 1000)
        except OSError as error:
            why = error.strerror or "not an address of this machine"
            raise OperatorError(
                f"cannot listen on {self.host}, port {self.port} ({why}): set web.host and web.port, for a party --port"
            ) from error
        self.port = listener.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]), name="web server")
        while not self._server.started:
            if self._serving.done():
                self._serving.result()
                raise OperatorError("the web server did not start")
            await asyncio.sleep(0.01)
        log.info("listening on %s, port %s", self.host, self.port)

    async def stop(self) -> None:
        """Accept no more requests and finish the current ones."""
        if self._serving is None:
            return
        self._server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await self._serving

    async def _is_alive(self, _request: Request) -> Response:
        """Answer 200: the process runs and its event loop is not blocked, or there would be no answer."""
        return PlainTextResponse("ok\n")

    async def _is_ready(self, _request: Request) -> Response:
        found = await asyncio.gather(*(_checked(name, check) for name, check in self._checks.items()))
        wrong = {name: words for name, words in found if words is not None}
        return JSONResponse({"ready": not wrong, "wrong": wrong}, status_code=503 if wrong else 200)


async def _checked(name: str, check: Check) -> tuple[str, str | None]:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return name, await check()
    except TimeoutError:
        return name, "does not answer"
    except Exception as error:  # noqa: BLE001 - its words may hold addresses and passwords; its kind does not
        return name, f"does not work ({type(error).__name__})"


class _StandingBy:
    """Answers 503 while another process plays: the proxy asks that one, and a messenger asks again."""

    def __init__(self, app: ASGIApp, server: WebServer) -> None:
        self._app = app
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if self._server.stands_by and scope["path"] not in OF_THE_OPERATOR:
            with contextlib.suppress(HTTPException):
                # A body that arrives after the connection was closed resets it, and a proxy loses the answer.
                await read_body(Request(scope, receive), MOST_READ)
            app = PlainTextResponse("another process plays\n", 503, {"Retry-After": "1"})
        await app(scope, receive, send)


class _Config(uvicorn.Config):
    proxies: Container[str]


class _Connection(H11Protocol):
    """One of a limited number of connections of its network.

    It ends when the head of a request, or the rest of one with an answer, is late.
    """

    config: _Config
    network = ""
    head_timer: asyncio.TimerHandle | None = None
    """Runs while the connection waits for the head of a request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = "" if self.client is None else self.client[0]
        others = [each.network for each in self.connections if isinstance(each, _Connection) and each is not self]
        self.network = network_of(peer)
        self._time_head()
        if peer not in self.config.proxies and has_enough(self.network, others, MOST_CONNECTIONS):
            transport.abort()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._time_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_timer()
        super().connection_lost(exc)

    def _time_head(self) -> None:
        """Time the head of a request, and the rest of a body whose request has its answer."""
        is_answered = self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY
        if self.conn.their_state is not h11.IDLE and not is_answered:
            self.stop_timer()
        elif self.head_timer is None:
            self.head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
            if len(self.connections) > MOST_WAITING:
                self._make_room()

    def _make_room(self) -> None:
        """If too many connections wait, end the oldest of the site that has the most of them."""
        waiting = [
            (site_of(each.network), each.head_timer.when(), each)
            for each in self.connections
            if isinstance(each, _Connection) and each.head_timer is not None
        ]
        if len(waiting) > MOST_WAITING:
            [(fullest, _)] = Counter(site for site, *_ in waiting).most_common(1)
            oldest = min((each for each in waiting if each[0] == fullest), key=lambda each: each[1])[2]
            oldest.stop_timer()
            oldest.transport.abort()

    def stop_timer(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield
