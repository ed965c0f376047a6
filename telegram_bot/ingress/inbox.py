"""What was written down -> acted on once. Chats side by side, each in order; what a dead worker left is taken over."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import Any, Protocol

from structlog.contextvars import bind_contextvars

from telegram_bot.observability import metrics
from telegram_bot.service.service import Service
from telegram_bot.storage.database import is_passing
from telegram_bot.storage.inbox_store import CLAIM_SECONDS, Received

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""Between two looks for what nobody acts on."""
RETRY_SECONDS = 1.0
HOLD_AFTER_SECONDS = CLAIM_SECONDS / 3


class Job(Protocol):
    """One arrival as its channel reads it."""

    @property
    def order_key(self) -> Hashable:
        """Jobs with the same key are done one after the other."""

    async def act(self) -> Iterable[str]:
        """Do it, in one transaction; returns the lanes that now hold notices."""

    async def answer(self) -> None:
        """Tell whoever waits what came of it."""

    async def give_up(self) -> None:
        """Tell whoever waits for an answer that there will be none."""


class Source(Protocol):
    """A channel's side of the inbox."""

    @property
    def name(self) -> str:
        """The channel's name, under which its arrivals are kept."""

    def ignores(self, payload: dict[str, Any]) -> bool:
        """Whether it comes from somebody who asks for too much and was told so: it is not even written down."""

    def read(self, received: Received) -> Job:
        """What an arrival asks for; a job for anything, however strange."""


class Fate(Enum):
    """What became of an arrival for now."""

    DONE = auto()
    FAILED = auto()
    """Counted; it may be tried again."""
    SET_ASIDE = auto()
    """It failed too often. It is kept for the operator and stands in nobody's way."""
    POSTPONED = auto()
    """The database does not work at the moment."""


class Inbox:
    """Acts on arrivals that are safely stored."""

    def __init__(self, service: Service, wake: Callable[[Iterable[str]], None], sources: Sequence[Source] = ()) -> None:
        self.arrivals = service.arrivals
        self.sources = {source.name: source for source in sources}
        self.wake = wake
        self._last: dict[Hashable, asyncio.Task[Fate]] = {}
        self._working: dict[tuple[str, str], asyncio.Task[Fate]] = {}
        self._held: dict[int, float] = {}
        self._answers: set[asyncio.Task[None]] = set()

    # Three ways in

    async def store(self, source: str, arrivals: list[tuple[str, dict[str, Any]]]) -> None:
        """Write arrivals down, then begin to act on those that are new."""
        heard = [each for each in arrivals if not self._ignored(source, each[1])]
        kept = await self.arrivals.write_down(source, heard) if heard else []
        metrics.UPDATES_RECEIVED.labels(source).inc(len(arrivals))
        metrics.UPDATES.labels(source, "duplicate").inc(len(heard) - len(kept))
        for received in kept:
            self._begin(received, self._until_settled)

    async def take(self, source: str, cause: str, payload: dict[str, Any]) -> asyncio.Future[Fate] | None:
        """Write one arrival down; what becomes of it comes later. None: it was acted on before, or is ignored."""
        metrics.UPDATES_RECEIVED.labels(source).inc()
        if self._ignored(source, payload):
            return None
        running = self._working.get((source, cause))
        if running is None:
            received = await self.arrivals.accept(source, cause, payload)
            running = self._working.get((source, cause))
            if received is None:
                metrics.UPDATES.labels(source, "duplicate").inc()
                return None
            if running is None:
                running = self._begin(received, self._once)
        return asyncio.shield(running)

    def _ignored(self, source: str, payload: dict[str, Any]) -> bool:
        ignored = self.sources[source].ignores(payload)
        if ignored:
            metrics.UPDATES.labels(source, "ignored").inc()
        return ignored

    async def take_over(self, *, all_of_them: bool = False) -> None:
        """Act on what was stored and nobody acts on; with `all_of_them` also on what a former life had begun."""
        while True:
            found = await self.arrivals.take_over(self.sources, all_of_them=all_of_them)
            fresh = [each for each in found if (each.source, each.cause) not in self._working]
            for received in fresh:
                log.info("update %s was left by another worker", received.cause)
                self._begin(received, self._until_settled)
            if all_of_them and fresh:
                await self.idle()
            else:
                return

    async def run(self) -> None:
        """Take over what dead workers leave and keep what is under way, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                old = [number for number, since in self._held.items() if time.monotonic() - since > HOLD_AFTER_SECONDS]
                if old:
                    await self.arrivals.hold(old)
                await self.take_over()
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log.warning("looking for what other workers left failed: %s", type(error).__name__)

    async def idle(self) -> None:
        """Wait until everything begun is finished."""
        while busy := [*self._working.values(), *self._answers]:
            await asyncio.wait(busy)

    async def stop(self, grace: float) -> None:
        """Finish what is under way, within reason, and leave the rest to others."""
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self.idle()
        late = [*self._working.values(), *self._answers]
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if self._held:
            with suppress(Exception):
                await self.arrivals.hold(list(self._held), 0)

    # One arrival

    def _begin(self, received: Received, how: Callable[[Received, Job], Any]) -> asyncio.Task[Fate]:
        """Act on one stored arrival as soon as the earlier ones with its key are done."""
        name = (received.source, received.cause)
        job = self.sources[received.source].read(received)
        key = (received.source, job.order_key)
        task = asyncio.create_task(
            self._after(self._last.get(key), how, received, job), name=f"update {received.cause}"
        )
        self._last[key] = self._working[name] = task
        self._held[received.id] = time.monotonic()
        task.add_done_callback(partial(self._finished, key, name, received.id))
        return task

    def _finished(self, key: Hashable, name: tuple[str, str], number: int, task: asyncio.Task[Fate]) -> None:
        if self._last.get(key) is task:
            del self._last[key]
        del self._working[name]
        if not task.cancelled():
            self._held.pop(number, None)
            if task.exception() is not None:
                log.error("an update's task ended badly", exc_info=task.exception())

    async def _after(
        self, earlier: asyncio.Task[Fate] | None, how: Callable[[Received, Job], Any], received: Received, job: Job
    ) -> Fate:
        bind_contextvars(update=received.cause)
        if earlier is not None:
            await asyncio.wait([earlier])
        fate: Fate = await how(received, job)
        return fate

    async def _once(self, received: Received, job: Job) -> Fate:
        """One try: whoever brought it brings it again."""
        fate, _ = await self._try(received, job)
        return fate

    async def _until_settled(self, received: Received, job: Job) -> Fate:
        while True:
            fate, pause = await self._try(received, job)
            if fate in (Fate.DONE, Fate.SET_ASIDE):
                return fate
            await asyncio.sleep(pause)

    async def _try(self, received: Received, job: Job) -> tuple[Fate, float]:
        try:
            lanes = await job.act()
        except Exception as error:
            if is_passing(error):
                log.warning("update %s has to wait: %s", received.cause, type(error).__name__)
            else:
                log.exception("update %s failed", received.cause)
            return await self._failed(received, job, error)
        self.wake(lanes)
        self._aside(job.answer())
        return Fate.DONE, 0

    def _aside(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer without keeping the chat's next update, or whoever brought this one, waiting."""
        task = asyncio.create_task(answer)
        self._answers.add(task)
        task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answers.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("an answer failed: %s", type(task.exception()).__name__)

    async def _failed(self, received: Received, job: Job, error: Exception) -> tuple[Fate, float]:
        metrics.UPDATES.labels(received.source, "failed").inc()
        try:
            verdict = await self.arrivals.failed(received, error)
        except Exception as trouble:  # noqa: BLE001 - without a database nothing can be counted
            log.warning("a failure could not be counted: %s", type(trouble).__name__)
            return Fate.POSTPONED, RETRY_SECONDS
        if not verdict.set_aside:
            return Fate.POSTPONED if is_passing(error) else Fate.FAILED, verdict.again_after
        metrics.UPDATES.labels(received.source, "dead").inc()
        log.error("update %s is set aside", received.cause)
        self._aside(job.give_up())
        return Fate.SET_ASIDE, 0
