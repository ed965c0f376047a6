"""Runs a sandbox on a port, inside the calling process: the Bot API, the control API, the page."""

import asyncio
import contextlib
import errno
import socket
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from telegram_sandbox import user_actions
from telegram_sandbox.bot_api.endpoint import BotApi
from telegram_sandbox.control_api.endpoints import Control
from telegram_sandbox.errors import NOT_FOUND, ApiError, StartError
from telegram_sandbox.outage import reset_connection, with_connection
from telegram_sandbox.request_guard import RequestGuard
from telegram_sandbox.sandbox_acts import SandboxActs
from telegram_sandbox.settings import SandboxSettings
from telegram_sandbox.users import User
from telegram_sandbox.world import World

STATIC = Path(__file__).parent / "static"
PAGE_HEADERS = {"Cache-Control": "no-cache", "Content-Security-Policy": "frame-ancestors 'none'"}
PORTS_TO_TRY = 50
LISTEN_BACKLOG = 128
STOP_SECONDS = 3
ANSWER_SECONDS = 0.3
"""How long answers may take when the sandbox ends; then their connections are reset."""
TURNS_OF_AN_ACCEPT = 4
"""The turns of the event loop in which it accepts a connection."""
IDLE_SECONDS = 300
"""How long Telegram's server keeps a connection without a request open."""
PATIENCE_SECONDS = 10.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what someone may ask for


class PortTakenError(StartError):
    """The sandbox cannot listen on the port: another program does, or the system refuses it."""


def create_app(world: World) -> Starlette:
    """Return the application over one world."""
    bot_api = BotApi(world)
    settings = world.settings
    app = Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/bot{token}/{method:path}", bot_api.call, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", bot_api.file, methods=["GET"]),
            *Control(world).routes(),
            *(route for one in world.extensions for route in one.routes()),
            *(Mount(f"/extensions/{one.name}", StaticFiles(directory=one.folder)) for one in world.extensions),
            Route("/icon.svg", icon, methods=["GET"]),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/{rest:path}", nothing, methods=["GET", "POST"]),
        ],
        middleware=[Middleware(RequestGuard, settings.host, settings.allowed_hosts)],
    )
    app.state.world = world
    return app


async def page(_request: Request) -> Response:
    """Return the web page."""
    return FileResponse(STATIC / "index.html", headers=PAGE_HEADERS)


async def icon(request: Request) -> Response:
    """Return the page's icon, which is the bot's picture as well."""
    world: World = request.app.state.world
    return Response(world.settings.page.icon, media_type="image/svg+xml")


async def nothing(_request: Request) -> Response:
    """Telegram's answer to an unknown address."""
    return JSONResponse(ApiError(NOT_FOUND, "Not Found").body(), NOT_FOUND)


@dataclass(frozen=True, slots=True)
class RunningSandbox(SandboxActs):
    """A sandbox that answers: where, under which token, and its `world` for tests that look inside.

    `bot_url` is a second address of the same server, which an outage can close while the first one stays.
    """

    url: str
    bot_url: str
    token: str

    @property
    def bot_base_url(self) -> str:
        """The part of a method's address before the token."""
        return f"{self.bot_url}/bot"

    @property
    def file_base_url(self) -> str:
        """The part of a file's address before the token."""
        return f"{self.bot_url}/file/bot"

    @property
    def group_id(self) -> int:
        """The id of the first group, with all people of the settings in it."""
        return self.world.default_group_id

    @property
    def people(self) -> dict[str, int]:
        """The id of each person by name."""
        return {person.name: person.id for person in self.world.active_people()}

    def user(self, name: str) -> User:
        """Return the person with this name.

        Raises:
            KeyError: no person has this name, or several have it.
        """
        found = [person.id for person in self.world.active_people() if person.name == name]
        if len(found) != 1:
            raise KeyError(f"{len(found)} people are called {name}")
        return User(self.world, found[0])

    async def bot_is_ready(self, within: float = PATIENCE_SECONDS) -> None:
        """Wait until the bot asks for updates, or has set a webhook: it then misses nothing that people do.

        Raises:
            AssertionError: it has done neither in time; the error lists its calls.
        """
        if self.world.loop is None:
            raise RuntimeError("the sandbox is not running")
        ready = self.world.until_bot_reads(within)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(ready, self.world.loop))

    async def advance(self, seconds: float) -> None:
        """Let time pass without waiting, for the sandbox, for this test's event loop, and for a bot that runs in it.

        `time.time`, `time.monotonic` and `datetime.now` move along, and timers fire one after the other, each at its
        own time, until the sandbox ends. For a bot outside this loop, only the sandbox's time passes. Earlier
        messages are no news for `sees` and `hears_nothing`.
        """
        world = self.world
        if world.loop is None:
            raise RuntimeError("the sandbox is not running")
        await world.moved_time.advance(0, world.loop, world.updates, world.calls)  # the bot does what it was asked for
        world.changes_before_moved_time = world.changes
        await world.moved_time.advance(seconds, world.loop, world.updates, world.calls)

    def wait_for_bot(self, within: float = PATIENCE_SECONDS) -> None:
        """Wait like `bot_is_ready`, in a thread without an event loop."""
        self.world.wait_for(lambda: self.world.until_bot_reads(within))


class Server(uvicorn.Server):
    """A uvicorn server that does not handle signals, and wakes up for requests only.

    uvicorn's own wakes up ten times a second, and an hour that a test skips would have 36,000 steps.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.stop = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until `stop` is set."""
        await self.on_tick(0)
        await self.stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop as uvicorn does, which would cancel late requests and print a traceback for each."""
        late = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self.reset_connections)
        await super().shutdown(sockets)
        late.cancel()

    def reset_connections(self, address: tuple[str, int] | None = None) -> None:
        """Reset all connections, or those to one address of this server."""
        for connection in list(self.server_state.connections):
            transport = connection.transport
            if transport is not None and address in (None, transport.get_extra_info("sockname")[:2]):
                reset_connection(transport)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave all signals alone."""
        yield


def with_date(app: ASGIApp) -> ASGIApp:
    """Return the application, whose answers say what time it is, as those of Telegram do."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(usegmt=True).encode()
                message = {**message, "headers": [*message.get("headers", ()), (b"date", date)]}
            await send(message)

        await app(scope, receive, dated)

    return run


class BotPort:
    """The bot's own port, which can be closed and opened again.

    Raises:
        PortTakenError: the sandbox cannot listen there.
    """

    def __init__(self, server: Server, settings: SandboxSettings) -> None:
        self._server = server
        try:
            self._listener = _listen_on(settings.host, settings.bot_port)
        except OSError as error:
            raise _port_taken(settings.host, settings.bot_port, error) from None
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self._opening: asyncio.Task[asyncio.Server] | None = None

    def open(self) -> None:
        """Let the bot connect: its connections wait in the listener until the event loop turns to them."""
        if self._opening is not None:
            return
        if self._listener.fileno() < 0:
            self._listener = _listen_on(*self.address)
        loop = asyncio.get_running_loop()
        self._opening = loop.create_task(loop.create_server(self._protocol, sock=self._listener))

    def close(self) -> None:
        """Refuse new connections, reset those that there are."""
        self.refuse()
        self._server.reset_connections(self.address)

    def refuse(self) -> None:
        """Refuse new connections."""
        if self._opening is None:
            self._listener.close()
        elif self._opening.done():
            self._opening.result().close()
        else:
            self._opening.add_done_callback(lambda opened: opened.result().close())
        self._opening = None

    def _protocol(self) -> asyncio.Protocol:
        return self._server.config.http_protocol_class(  # type: ignore[call-arg]
            config=self._server.config,
            server_state=self._server.server_state,
            app_state=self._server.lifespan.state,
        )


@contextlib.asynccontextmanager
async def running_sandbox(settings: SandboxSettings | None = None) -> AsyncIterator[RunningSandbox]:
    """Serve a sandbox for the length of a `with`; port 0 takes any free one.

    Raises:
        PortTakenError: when the port was demanded, or none near it is free.
    """
    settings = settings or SandboxSettings(port=0)
    world = World(settings)
    listener = listen(settings)
    world.loop = asyncio.get_running_loop()
    user_actions.start(world, *world.active_people())
    config = uvicorn.Config(
        with_connection(with_date(create_app(world))),
        log_config=None,
        access_log=False,
        date_header=False,  # uvicorn sets it when it wakes up: see `with_date`
        lifespan="off",
        ws="none",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    bot_port: BotPort | None = None
    try:
        while not server.started:
            if serving.done():
                serving.result()
                raise RuntimeError("the sandbox did not start")
            await asyncio.sleep(0.01)
        bot_port = BotPort(server, settings)
        bot_port.open()
        world.outage.close_bot_port, world.outage.open_bot_port = bot_port.close, bot_port.open
        yield RunningSandbox(world, _url(*listener.getsockname()[:2]), _url(*bot_port.address), settings.token)
    finally:
        world.loop = None
        await world.close()
        for _ in range(TURNS_OF_AN_ACCEPT):  # asyncio would never close a connection that a closed server accepts
            await asyncio.sleep(0)
        if bot_port is not None:
            bot_port.refuse()
        server.stop.set()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        listener.close()
        world.moved_time.end()


@contextlib.contextmanager
def sandbox_in_thread(settings: SandboxSettings | None = None) -> Iterator[RunningSandbox]:
    """Serve a sandbox in a thread of its own, for tests with or without `async`, in any event loop.

    Raises:
        PortTakenError: when the port was demanded, or none near it is free.
    """
    served: Future[tuple[RunningSandbox, Callable[[], object]]] = Future()

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with running_sandbox(settings) as sandbox:
            served.set_result((sandbox, lambda: loop.call_soon_threadsafe(stop.set)))
            await stop.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if served.done():
                raise
            served.set_exception(error)

    thread = threading.Thread(target=run, name="telegram-sandbox", daemon=True)
    thread.start()
    sandbox, stop = served.result()
    try:
        yield sandbox
    finally:
        stop()
        thread.join()


def _url(host: str, port: int) -> str:
    """Where this machine finds a server that listens on `host`, which may mean every address."""
    host = EVERYWHERE.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def listen(settings: SandboxSettings) -> socket.socket:
    """Return a listening socket on the chosen port, or on the next free one.

    Raises:
        PortTakenError: when the port was demanded, or none near it is free.
    """
    tries = 1 if settings.demand_port or settings.port == 0 else PORTS_TO_TRY
    refusals: list[OSError] = []
    for port in range(settings.port, min(settings.port + tries, 65536)):
        try:
            return _listen_on(settings.host, port)
        except OSError as error:
            refusals.append(error)
    raise _port_taken(settings.host, settings.port, refusals[0])


def _port_taken(host: str, port: int, error: OSError) -> PortTakenError:
    reason = "is taken, choose another one" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
    return PortTakenError(f"port {port} on {host} {reason}")


def _listen_on(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, because asyncio sends small answers immediately only where the protocol is TCP by name.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(LISTEN_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener
