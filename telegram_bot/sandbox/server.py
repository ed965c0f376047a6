"""Run a sandbox on a port, inside the process that asks."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass

import uvicorn

from telegram_bot.sandbox.app import create_app
from telegram_bot.sandbox.settings import SandboxSettings
from telegram_bot.sandbox.world import World

PORTS_TO_TRY = 50
LISTEN_BACKLOG = 128
STOP_SECONDS = 3


class PortTakenError(RuntimeError):
    """Somebody else listens there."""


@dataclass(frozen=True, slots=True)
class RunningSandbox:
    """A sandbox that answers: where, under which token, and its state for tests that look inside."""

    url: str
    token: str
    world: World

    @property
    def bot_base_url(self) -> str:
        """What a Bot API client puts before the token."""
        return f"{self.url}/bot"

    @property
    def file_base_url(self) -> str:
        """What a Bot API client puts before the token to download."""
        return f"{self.url}/file/bot"

    @property
    def group_id(self) -> int:
        """The group in which everybody is."""
        return self.world.default_group_id

    @property
    def people(self) -> dict[str, int]:
        """Everybody's id by name."""
        return {person.name: person.id for person in self.world.living()}


class Server(uvicorn.Server):
    """uvicorn that leaves signals to whoever started it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


@contextlib.asynccontextmanager
async def running_sandbox(settings: SandboxSettings | None = None) -> AsyncIterator[RunningSandbox]:
    """Serve a sandbox for the length of a `with`; port 0 takes any free one.

    Raises:
        PortTakenError: when the port was demanded, or none near it is free.
    """
    settings = settings or SandboxSettings(port=0)
    listener = listen(settings)
    world = World(settings)
    config = uvicorn.Config(
        create_app(settings, world),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            if serving.done():
                serving.result()
                raise RuntimeError("the sandbox did not start")
            await asyncio.sleep(0.01)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        yield RunningSandbox(f"http://{shown}:{port}", settings.token, world)
    finally:
        world.close()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        listener.close()


def listen(settings: SandboxSettings) -> socket.socket:
    """A listening socket on the chosen port, or on the next free one.

    Raises:
        PortTakenError: when the port was demanded, or none near it is free.
    """
    tries = 1 if settings.demand_port or settings.port == 0 else PORTS_TO_TRY
    for port in range(settings.port, min(settings.port + tries, 65536)):
        with contextlib.suppress(OSError):
            return _listen_on(settings.host, port)
    raise PortTakenError(f"port {settings.port} on {settings.host} is taken")


def _listen_on(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(LISTEN_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener
