"""Several workers behind a load balancer to which the sandbox delivers updates."""

import asyncio
import random
import signal
import socket
from asyncio import StreamReader, StreamWriter
from contextlib import closing, suppress
from itertools import count
from typing import Any, Final

import httpx

from test_support.bot_process import RunningBot
from test_support.screen_recorder import PATIENCE
from test_support.world import World

PATH: Final = "/telegram"


def free_port() -> int:
    """A port on which nobody listens, below those that the system gives to connections: it is still free later."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_768)
        with suppress(OSError), closing(socket.create_server(("127.0.0.1", port))):
            return port


class Balancer:
    """Passes each connection to the next worker that accepts it; it knows nothing of chats."""

    def __init__(self) -> None:
        self.workers: list[int] = []
        self.port = 0
        self._turn = count()
        self._server: asyncio.Server | None = None
        self._lines: set[StreamWriter] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    def cut(self) -> list[int]:
        """Close every connection and accept no more; return the ports of the workers that are cut off."""
        workers, self.workers = self.workers, []
        for line in self._lines:
            line.close()
        return workers

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        for _ in self.workers:
            port = self.workers[next(self._turn) % len(self.workers)]
            with suppress(OSError):
                there, back = await asyncio.open_connection("127.0.0.1", port)
                self._lines |= {back, writer}
                await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))
                self._lines -= {back, writer}
                return
        writer.close()


async def _pass_on(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    writer.close()


class WorkerCluster(World):
    """A world whose bot consists of `size` processes."""

    size = 1

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self.balancer = Balancer()
        self.ports = [free_port() for _ in range(self.size)]
        self.workers: list[RunningBot | None] = [None] * self.size
        self._next = count()
        self._last = 0

    async def start_bot(self) -> None:
        if not self.balancer.port:
            await self.balancer.start()
            self.balancer.workers = self.ports
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
        """Wait until every worker says that it is ready."""
        del since
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient() as client:
            for number, port in enumerate(self.ports):
                while True:
                    worker = self.workers[number]
                    assert worker is not None
                    assert worker.returncode is None, self.log.read_text()
                    with suppress(httpx.TransportError):
                        if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                            break
                    await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """Kill the next worker in turn with SIGKILL."""
        worker = self.workers[next(self._next) % self.size]
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
