"""Processes behind a load balancer to which the sandbox delivers updates: one plays, the others stand by."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from typing import Any, Final

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from telegram_bot.sandbox_launcher import free_port
from test_support.bot_process import BotProcess
from test_support.page_weight import serving
from test_support.screen_recorder import PATIENCE
from test_support.world import World

PATH: Final = "/telegram"
TRIES_SECONDS: Final = 2.0
LATER: Final = {"Retry-After": "1"}


@asynccontextmanager
async def balanced(ports: Sequence[int]) -> AsyncIterator[str]:
    """Pass each update to the next process that accepts it; yield the balancer's address."""
    turns = count()

    async def pass_on(request: Request) -> Response:
        """Try one process after the other until one accepts the request."""
        loop, body = asyncio.get_running_loop(), await request.body()
        until = loop.time() + TRIES_SECONDS
        while loop.time() < until:
            address = f"http://127.0.0.1:{ports[next(turns) % len(ports)]}{PATH}"
            try:
                answer = await client.post(address, content=body, headers=request.headers.raw)
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))
            except httpx.ConnectError:
                pass
            except httpx.TransportError:
                return Response(status_code=httpx.codes.BAD_GATEWAY, headers=LATER)
            await asyncio.sleep(0.05)
        return Response(status_code=httpx.codes.SERVICE_UNAVAILABLE, headers=LATER)

    application = Starlette(routes=[Route(PATH, pass_on, methods=["POST"])])
    async with httpx.AsyncClient(timeout=None) as client, serving(application) as address:  # noqa: S113 - as long as it takes
        yield address


class WorkerCluster(World):
    """A world whose bot consists of `size` processes, of which one plays."""

    size = 1

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self.ports = [free_port() for _ in range(self.size)]
        self.behind: Sequence[int] = self.ports
        """Where the balancer passes requests on to."""
        self._balancer, self._address = AsyncExitStack(), ""
        self.workers: dict[int, BotProcess] = {}

    async def start_bot(self) -> None:
        self._address = self._address or await self._balancer.enter_async_context(balanced(self.behind))
        for number in range(self.size):
            if number not in self.workers or self.workers[number].returncode is not None:
                self.start_worker(number)

    def start_worker(self, number: int) -> None:
        address = {"PERUDO_WEBHOOK__URL": f"{self._address}{PATH}", "PERUDO_WEB__PORT": str(self.ports[number])}
        self.workers[number] = self.spawn(**address)

    async def bot_listens(self) -> None:
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
        worker.kill()
        await worker.wait()

    async def stop_bot(self) -> int:
        """Ask all workers to stop; return the largest exit code."""
        for worker in self.workers.values():
            worker.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return max([abs(await worker.wait()) for worker in self.workers.values()])

    async def destroy_bot(self) -> None:
        for worker in self.workers.values():
            worker.kill()
            await worker.wait()
        await self._balancer.aclose()


class TwoWorkers(WorkerCluster):
    """A world whose bot consists of two processes."""

    size = 2
