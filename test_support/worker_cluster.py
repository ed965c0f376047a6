"""Processes behind a load balancer to which the sandbox delivers updates: one plays, the others stand by."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
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


@asynccontextmanager
async def balanced(ports: Sequence[int], port: int) -> AsyncIterator[int]:
    """Pass each request to the next process that accepts it; yield the own port, a free one if it is 0."""
    turns = count()

    async def pass_on(request: web.Request) -> web.StreamResponse:
        """Try one process after the other until one accepts the request."""
        loop, body = asyncio.get_running_loop(), await request.read()
        reply, until = web.StreamResponse(), loop.time() + TRIES_SECONDS
        while loop.time() < until:
            address = f"http://127.0.0.1:{ports[next(turns) % len(ports)]}{request.path_qs}"
            try:
                async with session.request(request.method, address, data=body, headers=request.headers) as answer:
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

    application = web.Application(client_max_size=1_000_000)
    application.router.add_route("*", "/{path:.*}", pass_on)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)
    async with aiohttp.ClientSession(timeout=NO_TIMEOUT) as session:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield runner.addresses[0][1]
        await runner.cleanup()


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
        self.behind: Sequence[int] = self.ports
        """Where the balancer passes requests on to."""
        self._balancer, self._port = AsyncExitStack(), 0
        self.workers: list[RunningBot | None] = [None] * self.size

    async def start_bot(self) -> None:
        if not self._port:
            asked = int(self.variables.get("PERUDO_WEB__PORT", 0))
            self._port = await self._balancer.enter_async_context(balanced(self.behind, asked))
        for number, worker in enumerate(self.workers):
            if worker is None or worker.returncode is not None:
                await self.start_worker(number)

    async def start_worker(self, number: int) -> None:
        self.workers[number] = await self.spawn(
            PERUDO_WEBHOOK__URL=f"http://127.0.0.1:{self._port}{PATH}", PERUDO_WEB__PORT=str(self.ports[number])
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
        await self._balancer.aclose()


class TwoWorkers(WorkerCluster):
    """A world whose bot consists of two processes."""

    size = 2
