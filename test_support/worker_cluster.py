"""Several workers behind a load balancer to which the sandbox delivers updates."""

import asyncio
import re
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, Final

import aiohttp
import httpx
from aiohttp import web
from multidict import CIMultiDict

from telegram_bot.storage.models import NoticeStatus
from test_support.bot_process import RunningBot, free_port
from test_support.screen_recorder import PATIENCE
from test_support.world import World

PATH: Final = "/telegram"
TRIES_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 30.0
LATEST_REPLAY_SECONDS: Final = 10.0
NO_TIMEOUT: Final = aiohttp.ClientTimeout(total=None)
"""A page's stream of events has no end."""
OF_THE_CONNECTION: Final = ("Transfer-Encoding", "Content-Encoding", "Content-Length", "Connection")
SENT_AGAIN: Final = re.compile(r"\b(?:hand|table|reveal|record) (\d+) was under way, and its worker")
PASSED_ON: Final = ("Content-Type", "X-Telegram-Bot-Api-Secret-Token")


@dataclass(slots=True)
class Balancer:
    """Passes each request to the next worker that accepts it; it knows nothing of chats."""

    workers: list[int]
    asked_port: int = 0
    """Where it listens; 0 for any free port."""
    rng: Random = field(default_factory=lambda: Random(0))
    twice: float = 0.0
    """The share of updates delivered to two workers at once."""
    again: float = 0.0
    """The share of updates delivered again some seconds after their confirmation."""
    port: int = 0
    moves: dict[str, str] = field(default_factory=dict)
    """The tap or message of each update, by the update's id."""
    did: Counter[str] = field(default_factory=Counter)
    _turn: "count[int]" = field(default_factory=count)
    _later: set[asyncio.Task[None]] = field(default_factory=set)
    _session: aiohttp.ClientSession | None = None
    _runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen, unless it does already."""
        if self.port:
            return
        application = web.Application(client_max_size=1_000_000)
        application.router.add_post(PATH, self._take)
        application.router.add_route("*", "/{path:.*}", self._pass_on)
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS))
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.asked_port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Stop listening."""
        for task in self._later:
            task.cancel()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._session is not None:
            await self._session.close()

    async def come_to_rest(self) -> None:
        """Stop repeating updates, and wait until all repetitions are delivered."""
        self.twice = self.again = 0
        if self._later:
            await asyncio.wait(self._later)

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        update = await request.json()
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        self.note(update)
        if self.rng.random() < self.twice:
            self.did["brought to two workers at once"] += 1
            first, second = await asyncio.gather(self._bring(body, headers), self._bring(body, headers))
            status = first if first == web.HTTPOk.status_code else second
        else:
            status = await self._bring(body, headers)
        if status == web.HTTPOk.status_code and self.rng.random() < self.again:
            task = asyncio.create_task(self._bring_later(body, headers))
            self._later.add(task)
            task.add_done_callback(self._later.discard)
        if status == web.HTTPOk.status_code:
            return web.Response()
        self.did["not confirmed"] += 1
        return web.Response(status=status, headers={"Retry-After": "1"})

    def note(self, update: dict[str, object]) -> None:
        """Record the tap or message of an update."""
        match update:
            case {"update_id": number, "callback_query": {"id": query}}:
                self.moves[str(number)] = str(query)
            case {"update_id": number, "message": {"message_id": message, "chat": {"id": chat}}}:
                self.moves[str(number)] = f"{chat}/{message}"
            case _:
                pass

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        """Pass on a request of a page, or of a gateway for texts."""
        assert self._session is not None
        body, reply = await request.read(), None
        with suppress(aiohttp.ClientError, ConnectionError):
            for _ in self.workers:
                port = self.workers[next(self._turn) % len(self.workers)]
                address = f"http://127.0.0.1:{port}{request.path_qs}"
                with suppress(aiohttp.ClientConnectorError):
                    async with self._session.request(
                        request.method, address, data=body, headers=request.headers, timeout=NO_TIMEOUT
                    ) as answer:
                        reply = web.StreamResponse(status=answer.status, headers=_own_headers(answer))
                        await reply.prepare(request)
                        async for part in answer.content.iter_any():
                            await reply.write(part)
                        return reply
        return reply or web.Response(status=web.HTTPBadGateway.status_code)

    async def _bring_later(self, body: bytes, headers: dict[str, str]) -> None:
        await asyncio.sleep(self.rng.uniform(0, LATEST_REPLAY_SECONDS))
        self.did["brought again after it was confirmed"] += 1
        await self._bring(body, headers)

    async def _bring(self, body: bytes, headers: dict[str, str]) -> int:
        """Try one worker after the other until one accepts the request; return the status, 502 or 503 without one."""
        assert self._session is not None
        until = asyncio.get_running_loop().time() + TRIES_SECONDS
        while asyncio.get_running_loop().time() < until:
            port = self.workers[next(self._turn) % len(self.workers)]
            try:
                address = f"http://127.0.0.1:{port}{PATH}"
                async with self._session.post(address, data=body, headers=headers) as answer:
                    await answer.read()
                    return answer.status
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.05)
            except (aiohttp.ClientError, TimeoutError):
                self.did["cut off while a worker had it"] += 1
                return web.HTTPBadGateway.status_code
        return web.HTTPServiceUnavailable.status_code


def _own_headers(answer: aiohttp.ClientResponse) -> CIMultiDict[str]:
    """Return the headers that belong to the answer and not to the connection."""
    headers = CIMultiDict(answer.headers)
    for name in OF_THE_CONNECTION:
        headers.popall(name, None)
    return headers


class WorkerCluster(World):
    """A world whose bot consists of `size` processes."""

    size = 1

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self.ports = [free_port() for _ in range(self.size)]
        self.balancer = Balancer(self.ports, int(self.variables.get("PERUDO_WEB__PORT", 0)))
        self.workers: list[RunningBot | None] = [None] * self.size
        self._next = count()

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

    def repeated_sends(self) -> list[tuple[int, int]]:
        """Table and chat of each send that may have arrived twice.

        A worker or the database died in mid-send and another worker sent it again, or no answer came and the turn was
        announced once more.
        """
        places = {
            number: (status, (table, int(lane.partition(":")[2])))
            for number, table, lane, status in self.rows(
                "SELECT id, table_id, lane, status FROM outbox WHERE table_id IS NOT NULL"
            )
        }
        again = [places[int(number)][1] for number in SENT_AGAIN.findall(self.log.read_text()) if int(number) in places]
        return again + [place for status, place in places.values() if status == NoticeStatus.UNKNOWN]


class TwoWorkers(WorkerCluster):
    """A world whose bot consists of two processes."""

    size = 2
