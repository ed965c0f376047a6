"""Processes behind a load balancer to which the sandbox delivers updates: one plays, the others stand by."""

import asyncio
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import aiohttp
import httpx
from aiohttp import web
from multidict import CIMultiDict

from telegram_bot.sandbox_launcher import free_port
from test_support.bot_process import RunningBot
from test_support.screen_recorder import PATIENCE
from test_support.world import World

PATH: Final = "/telegram"
TRIES_SECONDS: Final = 2.0
NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None)
"""A page's stream of events has no end."""
OF_THE_CONNECTION: Final = ("Transfer-Encoding", "Content-Encoding", "Content-Length", "Connection")
LATER: Final = {"Retry-After": "1"}


@dataclass(slots=True)
class Balancer:
    """Passes each request to the next process that accepts it; it knows nothing of chats."""

    workers: list[int]
    asked_port: int = 0
    """Where it listens; 0 for any free port."""
    port: int = 0
    _turn: "count[int]" = field(default_factory=count)
    _session: aiohttp.ClientSession | None = None
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        if self.port:
            return
        application = web.Application(client_max_size=1_000_000)
        application.router.add_route("*", "/{path:.*}", self._pass_on)
        self._session = aiohttp.ClientSession(timeout=NO_TIMEOUT)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.asked_port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        """Try one worker after the other until one accepts the request."""
        assert self._session is not None
        loop, body = asyncio.get_running_loop(), await request.read()
        reply, until = web.StreamResponse(), loop.time() + TRIES_SECONDS
        while loop.time() < until:
            address = f"http://127.0.0.1:{self.workers[next(self._turn) % len(self.workers)]}{request.path_qs}"
            try:
                async with self._session.request(request.method, address, data=body, headers=request.headers) as answer:
                    if answer.status != web.HTTPServiceUnavailable.status_code:
                        reply = web.StreamResponse(status=answer.status, headers=_own_headers(answer))
                        await reply.prepare(request)
                        async for part in answer.content.iter_any():
                            await reply.write(part)
                        return reply
            except aiohttp.ClientConnectorError:
                pass
            except (aiohttp.ClientError, ConnectionError):
                return reply if reply.prepared else web.Response(status=web.HTTPBadGateway.status_code, headers=LATER)
            await asyncio.sleep(0.05)
        return web.Response(status=web.HTTPServiceUnavailable.status_code, headers=LATER)


def _own_headers(answer: aiohttp.ClientResponse) -> CIMultiDict[str]:
    """Return the headers that belong to the answer and not to the connection."""
    headers = CIMultiDict(answer.headers)
    for name in OF_THE_CONNECTION:
        headers.popall(name, None)
    return headers


class WorkerCluster(World):
    """A world whose bot consists of `size` processes, of which one plays."""

    size = 1

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self.ports = [free_port() for _ in range(self.size)]
        self.balancer = Balancer(self.ports, int(self.variables.get("PERUDO_WEB__PORT", 0)))
        self.workers: list[RunningBot | None] = [None] * self.size

    async def start_bot(self) -> None:
        await self.balancer.start()
        for number in range(self.size):
            if self._is_down(number):
                await self.start_worker(number)

    def _is_down(self, number: int) -> bool:
        worker = self.workers[number]
        return worker is None or worker.returncode is not None

    async def start_worker(self, number: int) -> None:
        self.workers[number] = await self.spawn(
            PERUDO_WEBHOOK__URL=f"http://127.0.0.1:{self.balancer.port}{PATH}", PERUDO_WEB__PORT=str(self.ports[number])
        )

    async def bot_listens(self, since: int = 0) -> None:
        """Wait until one of the processes plays."""
        del since
        await self.playing()

    async def playing(self) -> int:
        """Wait until one of the processes says that it is ready; return its number."""
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient(timeout=60) as client:
            while True:
                for number, port in enumerate(self.ports):
                    with suppress(httpx.TransportError):
                        if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                            return number
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """Kill the process that plays with SIGKILL."""
        worker = self.workers[await self.playing()]
        assert worker is not None
        worker.kill()
        await worker.wait()

    async def stop_bot(self) -> int:
        """Ask all workers to stop; return the largest exit code."""
        running = [worker for worker in self.workers if worker is not None]
        for worker in running:
            if worker.returncode is None:
                worker.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return max([abs(await worker.wait()) for worker in running])

    async def destroy_bot(self) -> None:
        for worker in self.workers:
            if worker is not None and worker.returncode is None:
                worker.kill()
                await worker.wait()
        await self.balancer.stop()


class TwoWorkers(WorkerCluster):
    """A world whose bot consists of two processes."""

    size = 2
