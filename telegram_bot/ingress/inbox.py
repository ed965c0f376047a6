"""Handle each stored update once: in order within a chat, chats concurrently; also what a dead process left open."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Protocol

from structlog.contextvars import bind_contextvars

from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.service.service import Service
from telegram_bot.storage.database import is_transient, log_failure, reason
from telegram_bot.storage.inbox_store import StoredUpdate, name_of
from telegram_bot.storage.models import LaneName

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""The pause between two queries for open updates that no task handles: their sender did not repeat them."""
RETRY_SECONDS = 1.0
TAKE_OVER_SECONDS = 3.0
"""How long a starting worker waits for the updates of its last run before it looks for more."""


class Job(Protocol):
    """One stored update as its channel parsed it."""

    @property
    def order_key(self) -> Hashable:
        """Jobs with the same key run one after the other."""

    async def act(self) -> Iterable[LaneName]:
        """Handle the update in one transaction; return the lanes with new notices."""

    async def answer(self) -> None:
        """Send the result to the person who waits for it."""


class Source(Protocol):
    """A channel's side of the inbox."""

    @property
    def name(self) -> str:
        """The channel's name, which is stored with its updates."""

    def admit(self, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Return the parts of an update to store, or None if its sender exceeded a quota and knows it.

        Raises:
            Exception: the update cannot be read; it is set aside.
        """

    def job_for(self, received: StoredUpdate) -> Job:
        """Return the job for an update.

        Raises:
            Exception: the update cannot be read; it is set aside.
        """

    async def give_up(self, received: StoredUpdate) -> None:
        """End the wait of the person to whom no result will be sent."""


@dataclass(frozen=True, slots=True)
class _UnreadableJob:
    """An update that its channel cannot read: it is set aside, and delays no other one."""

    order_key: Hashable
    error: Exception

    async def act(self) -> Iterable[LaneName]:
        """Raise the error that names its fault."""
        raise self.error

    async def answer(self) -> None:
        """Do nothing: there is no result."""


class ProcessingResult(Enum):
    """The result of one try."""

    DONE = auto()
    FAILED = auto()
    """The failure was counted; the update may be tried again."""
    SET_ASIDE = auto()
    """The update failed too often. It is kept for the operator, and later updates of the chat go on."""
    POSTPONED = auto()
    """The database does not answer at the moment."""


class InboxWorker:
    """Stores updates and handles them."""

    def __init__(
        self, service: Service, wake: Callable[[Iterable[LaneName]], None], sources: Sequence[Source] = ()
    ) -> None:
        self.inbox_store = service.inbox_store
        self.sources = {source.name: source for source in sources}
        self.wake = wake
        self._last: dict[Hashable, asyncio.Task[ProcessingResult]] = {}
        self._working: dict[tuple[str, str], asyncio.Task[ProcessingResult]] = {}
        self._held: set[int] = set()
        """The numbers of the updates in work."""
        self._answers: set[asyncio.Task[None]] = set()
        self._troubles = LogThrottle()

    # Receiving updates

    async def store(self, source: str, arrivals: list[tuple[str, dict[str, Any]]]) -> None:
        """Store updates, then begin to handle the new ones. Those that cannot be read or stored are set aside.

        Raises:
            SQLAlchemyError: the database does not answer. The updates must be delivered again.
        """
        heard = []
        for cause, payload in arrivals:
            admitted = await self._admitted(source, cause, payload)
            if admitted is not None:
                heard.append((cause, admitted))
        metrics.UPDATES_RECEIVED.labels(source).inc(len(arrivals))
        try:
            kept = await self.inbox_store.store_all(source, heard) if heard else []
        except Exception as error:
            if is_transient(error):
                raise
            for cause, payload in heard:  # one of them cannot be stored
                await self._store_alone(source, cause, payload)
            return
        metrics.UPDATES.labels(source, "duplicate").inc(len(heard) - len(kept))
        for received in kept:
            self._begin(received)

    async def take(self, source: str, cause: str, payload: dict[str, Any]) -> asyncio.Future[ProcessingResult] | None:
        """Store one update; the future gets its result.

        Returns:
            None if the update was handled before, is ignored, or was set aside because it cannot be read or stored.

        Raises:
            SQLAlchemyError: the database does not answer. The update must be delivered again.
        """
        metrics.UPDATES_RECEIVED.labels(source).inc()
        admitted = await self._admitted(source, cause, payload)
        if admitted is None:
            return None
        running = self._working.get((source, cause)) or await self._store_alone(source, cause, admitted, again=True)
        return None if running is None else asyncio.shield(running)

    async def _admitted(self, source: str, cause: str, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Return the parts of an update to store, or None if it is ignored or set aside."""
        try:
            admitted = self.sources[source].admit(payload)
        except Exception as error:  # noqa: BLE001 - no update, whatever it contains, may hold up the next one
            await self._set_aside(source, cause, payload, error)
            return None
        if admitted is None:
            metrics.UPDATES.labels(source, "ignored").inc()
        return admitted

    async def _store_alone(
        self, source: str, cause: str, payload: dict[str, Any], *, again: bool = False
    ) -> asyncio.Task[ProcessingResult] | None:
        """Store one update and begin to handle it.

        `again`: its sender repeats it until it is confirmed, so it is begun although it is stored, and tried once.
        """
        try:
            if again:
                received = await self.inbox_store.store(source, cause, payload)
            else:
                received = next(iter(await self.inbox_store.store_all(source, [(cause, payload)])), None)
        except Exception as error:
            if is_transient(error):
                raise
            await self._set_aside(source, cause, None, error)
            return None
        if received is None:
            metrics.UPDATES.labels(source, "duplicate").inc()
            return None
        return self._begin(received, tries_once=again)

    async def _set_aside(self, source: str, cause: str, payload: dict[str, Any] | None, error: Exception) -> None:
        """Store an update that cannot be read or stored for the operator, without its content if that is the reason.

        Raises:
            SQLAlchemyError: the database does not answer.
        """
        try:
            received = await self.inbox_store.set_aside(source, cause, payload, error)
        except Exception as trouble:
            if payload is None or is_transient(trouble):
                raise
            received = await self.inbox_store.set_aside(source, cause, None, error)
        self._note_set_aside(received, error)

    def _note_set_aside(self, received: StoredUpdate, error: Exception) -> None:
        """Count and log an update that was set aside, and end the wait of its sender."""
        metrics.UPDATES.labels(received.source, "dead").inc()
        log.error("update %s is set aside: %s", received.cause, name_of(error))
        self._in_background(self.sources[received.source].give_up(received))

    async def take_over(self) -> None:
        """Handle every open update that no task handles, and wait for them a while."""
        while await self._begin_left():
            with suppress(TimeoutError):  # slow work, such as a game's analysis, delays no other update
                async with asyncio.timeout(TAKE_OVER_SECONDS):
                    await self.idle()

    async def _begin_left(self) -> bool:
        """Begin to handle open updates that no task handles; return False without any."""
        found = await self.inbox_store.left_open(self.sources, list(self._held))
        for received in found:
            log.info("update %s was left open", received.cause)
            self._begin(received)
        return bool(found)

    async def run(self) -> None:
        """Handle the updates that no task handles, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._begin_left()
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking for what was left open failed", throttle=self._troubles)

    async def idle(self) -> None:
        """Wait until every update that was begun is finished."""
        while busy := [*self._working.values(), *self._answers]:
            await asyncio.wait(busy)

    async def stop(self, grace: float) -> None:
        """Finish the current updates within a time limit, and leave the others open."""
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self.idle()
        late = [*self._working.values(), *self._answers]
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    # Handling one update

    def _begin(self, received: StoredUpdate, *, tries_once: bool = False) -> asyncio.Task[ProcessingResult]:
        """Handle one stored update as soon as the earlier ones with the same key are done.

        `tries_once`: the sender repeats an update that was not confirmed.
        """
        name = (received.source, received.cause)
        if name in self._working:
            return self._working[name]
        job: Job
        try:
            job = self.sources[received.source].job_for(received)
            hash(job.order_key)
        except Exception as error:  # noqa: BLE001 - no update, whatever it contains, may hold up another one
            job = _UnreadableJob(name, error)
        key = (received.source, job.order_key)
        work = self._act(received, job, self._last.get(key), tries_once=tries_once)
        task = asyncio.create_task(work, name=f"update {received.cause}")
        self._last[key] = self._working[name] = task
        self._held.add(received.id)
        task.add_done_callback(partial(self._finished, key, name, received.id))
        return task

    def _finished(
        self, key: Hashable, name: tuple[str, str], number: int, task: asyncio.Task[ProcessingResult]
    ) -> None:
        if self._last.get(key) is task:
            del self._last[key]
        del self._working[name]
        self._held.discard(number)
        if not task.cancelled() and task.exception() is not None:
            log.error("an update's task ended badly", exc_info=task.exception())

    async def _act(
        self,
        received: StoredUpdate,
        job: Job,
        earlier: asyncio.Task[ProcessingResult] | None,
        *,
        tries_once: bool,
    ) -> ProcessingResult:
        bind_contextvars(update=received.cause)
        if earlier is not None:
            await asyncio.wait([earlier])
        while True:
            try:
                lanes = await job.act()
            except Exception as error:
                if is_transient(error):
                    log.warning("update %s has to wait: %s", received.cause, reason(error))
                elif not isinstance(job, _UnreadableJob):
                    log.exception("update %s failed", received.cause)
                result, pause = await self._failed(received, error, again=not isinstance(job, _UnreadableJob))
                if tries_once or result is ProcessingResult.SET_ASIDE:
                    return result
                await asyncio.sleep(pause)
            else:
                self.wake(lanes)
                self._in_background(job.answer())
                return ProcessingResult.DONE

    def _in_background(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer in a separate task: the chat's next update and the confirmation do not wait for the answer."""
        task = asyncio.create_task(answer)
        self._answers.add(task)
        task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answers.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("an answer failed: %s", type(task.exception()).__name__)

    async def _failed(self, received: StoredUpdate, error: Exception, *, again: bool) -> tuple[ProcessingResult, float]:
        """Count a failed try. `again`: another try may succeed."""
        metrics.UPDATES.labels(received.source, "failed").inc()
        try:
            decision = await self.inbox_store.record_failure(received, error, again=again)
        except Exception as trouble:  # noqa: BLE001 - without a database nothing can be counted
            log.warning("a failure could not be counted: %s", reason(trouble))
            return ProcessingResult.POSTPONED, RETRY_SECONDS
        if not decision.set_aside:
            return ProcessingResult.POSTPONED if is_transient(error) else ProcessingResult.FAILED, decision.again_after
        self._note_set_aside(received, error)
        return ProcessingResult.SET_ASIDE, 0
