"""Act once on each stored update: chats side by side, each in order; take over what a dead worker left."""

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
from telegram_bot.storage.database import is_transient
from telegram_bot.storage.inbox_store import CLAIM_SECONDS, StoredUpdate

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

    def job_for(self, received: StoredUpdate) -> Job:
        """What an arrival asks for; a job for anything, however strange."""


class ProcessingResult(Enum):
    """What became of an arrival for now."""

    DONE = auto()
    FAILED = auto()
    """Counted; it may be tried again."""
    SET_ASIDE = auto()
    """It failed too often. It is kept for the operator and stands in nobody's way."""
    POSTPONED = auto()
    """The database does not work at the moment."""


class InboxWorker:
    """Acts on arrivals that are safely stored."""

    def __init__(self, service: Service, wake: Callable[[Iterable[str]], None], sources: Sequence[Source] = ()) -> None:
        self.inbox_store = service.inbox_store
        self.sources = {source.name: source for source in sources}
        self.wake = wake
        self._last: dict[Hashable, asyncio.Task[ProcessingResult]] = {}
        self._working: dict[tuple[str, str], asyncio.Task[ProcessingResult]] = {}
        self._held: dict[int, float] = {}
        self._answers: set[asyncio.Task[None]] = set()

    # Three ways in

    async def store(self, source: str, arrivals: list[tuple[str, dict[str, Any]]]) -> None:
        """Write arrivals down, then begin to act on those that are new."""
        heard = [each for each in arrivals if not self._ignored(source, each[1])]
        kept = await self.inbox_store.store_all(source, heard) if heard else []
        metrics.UPDATES_RECEIVED.labels(source).inc(len(arrivals))
        metrics.UPDATES.labels(source, "duplicate").inc(len(heard) - len(kept))
        for received in kept:
            self._begin(received, self._until_settled)

    async def take(self, source: str, cause: str, payload: dict[str, Any]) -> asyncio.Future[ProcessingResult] | None:
        """Write one arrival down; what becomes of it comes later. None: it was acted on before, or is ignored."""
        metrics.UPDATES_RECEIVED.labels(source).inc()
        if self._ignored(source, payload):
            return None
        running = self._working.get((source, cause))
        if running is None:
            received = await self.inbox_store.store(source, cause, payload)
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
            found = await self.inbox_store.claim_abandoned(self.sources, all_of_them=all_of_them)
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
                    await self.inbox_store.extend_claims(old)
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
                await self.inbox_store.extend_claims(list(self._held), 0)

    # One arrival

    def _begin(self, received: StoredUpdate, how: Callable[[StoredUpdate, Job], Any]) -> asyncio.Task[ProcessingResult]:
        """Act on one stored arrival as soon as the earlier ones with its key are done."""
        name = (received.source, received.cause)
        job = self.sources[received.source].job_for(received)
        key = (received.source, job.order_key)
        task = asyncio.create_task(
            self._after(self._last.get(key), how, received, job), name=f"update {received.cause}"
        )
        self._last[key] = self._working[name] = task
        self._held[received.id] = time.monotonic()
        task.add_done_callback(partial(self._finished, key, name, received.id))
        return task

    def _finished(
        self, key: Hashable, name: tuple[str, str], number: int, task: asyncio.Task[ProcessingResult]
    ) -> None:
        if self._last.get(key) is task:
            del self._last[key]
        del self._working[name]
        if not task.cancelled():
            self._held.pop(number, None)
            if task.exception() is not None:
                log.error("an update's task ended badly", exc_info=task.exception())

    async def _after(
        self,
        earlier: asyncio.Task[ProcessingResult] | None,
        how: Callable[[StoredUpdate, Job], Any],
        received: StoredUpdate,
        job: Job,
    ) -> ProcessingResult:
        bind_contextvars(update=received.cause)
        if earlier is not None:
            await asyncio.wait([earlier])
        fate: ProcessingResult = await how(received, job)
        return fate

    async def _once(self, received: StoredUpdate, job: Job) -> ProcessingResult:
        """One try: whoever brought it brings it again."""
        fate, _ = await self._try(received, job)
        return fate

    async def _until_settled(self, received: StoredUpdate, job: Job) -> ProcessingResult:
        while True:
            fate, pause = await self._try(received, job)
            if fate in (ProcessingResult.DONE, ProcessingResult.SET_ASIDE):
                return fate
            await asyncio.sleep(pause)

    async def _try(self, received: StoredUpdate, job: Job) -> tuple[ProcessingResult, float]:
        try:
            lanes = await job.act()
        except Exception as error:
            if is_transient(error):
                log.warning("update %s has to wait: %s", received.cause, type(error).__name__)
            else:
                log.exception("update %s failed", received.cause)
            return await self._failed(received, job, error)
        self.wake(lanes)
        self._in_background(job.answer())
        return ProcessingResult.DONE, 0

    def _in_background(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer without keeping the chat's next update, or whoever brought this one, waiting."""
        task = asyncio.create_task(answer)
        self._answers.add(task)
        task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answers.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("an answer failed: %s", type(task.exception()).__name__)

    async def _failed(self, received: StoredUpdate, job: Job, error: Exception) -> tuple[ProcessingResult, float]:
        metrics.UPDATES.labels(received.source, "failed").inc()
        try:
            decision = await self.inbox_store.record_failure(received, error)
        except Exception as trouble:  # noqa: BLE001 - without a database nothing can be counted
            log.warning("a failure could not be counted: %s", type(trouble).__name__)
            return ProcessingResult.POSTPONED, RETRY_SECONDS
        if not decision.set_aside:
            return ProcessingResult.POSTPONED if is_transient(error) else ProcessingResult.FAILED, decision.again_after
        metrics.UPDATES.labels(received.source, "dead").inc()
        log.error("update %s is set aside", received.cause)
        self._in_background(job.give_up())
        return ProcessingResult.SET_ASIDE, 0
