"""Send the lanes' notices: in order within a chat, chats concurrently, as fast as the limits allow."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlmodel import Session
from structlog.contextvars import bind_contextvars, clear_contextvars

from telegram_bot.delivery import lanes, outbox, step_notices
from telegram_bot.delivery.limits import Priority
from telegram_bot.delivery.results import DeliveryResult, ResultHandler
from telegram_bot.delivery.sender import Sender, SendResult, UnknownFateError
from telegram_bot.delivery.sent_marks import SendConfirmations
from telegram_bot.observability import metrics
from telegram_bot.service.notices import Envelope
from telegram_bot.service.service import Service
from telegram_bot.service.step_delivery import WrittenNotice
from telegram_bot.storage.database import log_failure

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
AFTER_FAILURE_SECONDS = 1.0
MAX_REST_SECONDS = 5.0
"""How long a worker waits at most before it extends its lease on a lane."""
GROUP_REST_SECONDS = 1.0
"""The same for a group, where another worker's step may bring a notice that comes first."""
MAX_OUTBOX_TRIES = 10
MAX_SERVICE_TRIES = 5
"""How often storing the result of a send is tried, and how often together with its consequences for the game."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """A notice that was taken within a step, and when, by this process's clock."""

    item: outbox.OutboxItem
    began: float


class DeliveryWorker:
    """Sends the outbox's notices through these channels, which are given by name."""

    def __init__(
        self, service: Service, channels: Mapping[str, Sender], *, now: Callable[[], float] | None = None
    ) -> None:
        self.service = service
        self.database = service.database
        self.channels = channels
        self.now = now or service.now
        self.holder = uuid.uuid4().hex
        self._result_handlers = {name: ResultHandler(channel, self.now) for name, channel in channels.items()}
        self._marks = {
            name: SendConfirmations(service, channel, self.now, self.holder) for name, channel in channels.items()
        }
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._woken: set[str] = set()
        self._resting: dict[str, asyncio.Event] = {}
        """For each lane that waits for its limits, what ends the wait: a new notice may come first."""
        self._budgets = {(name, priority): asyncio.Lock() for name in channels for priority in Priority}
        self._stopping = asyncio.Event()

    def wake(self, names: Iterable[str]) -> None:
        """Drain these lanes now instead of at the next query for work."""
        for name in names:
            if name.partition(":")[0] not in self.channels or self._stopping.is_set():
                continue
            if name in self._lanes:
                self._woken.add(name)
                if name in self._resting:
                    self._resting[name].set()
                self._marks[name.partition(":")[0]].flush()
            else:
                self._begin(name, self._drain(name))

    def take_first(self, session: Session, notices: Sequence[WrittenNotice[Envelope]]) -> Sequence[_Taken]:
        """See `StepDelivery`."""
        began, now = time.monotonic(), self.now()
        taken: list[_Taken] = []
        for name, channel in self.channels.items():
            if self._stopping.is_set() or self._queues(channel, Priority.TURN):
                continue
            own = [notice for notice in notices if notice.envelope.channel == name]
            if own:
                items = step_notices.take_first(session, channel, own, self.holder, now)
                taken += [_Taken(item, began) for item in items]
        return taken

    def send_taken(self, taken: Sequence[_Taken]) -> set[str]:
        """See `StepDelivery`."""
        for each in taken:
            name = each.item.lane.name
            # A task that is still there has given its lane back, and is about to end.
            self._begin(name, self._drain(name, each, self._lanes.get(name)))
        return {each.item.lane.name for each in taken}

    def _begin(self, name: str, drain: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(drain, name=f"lane {name}")
        self._lanes[name] = task
        task.add_done_callback(partial(self._finished, name))

    def _finished(self, name: str, task: asyncio.Task[None]) -> None:
        if self._lanes.get(name) is task:
            del self._lanes[name]
            self._woken.discard(name)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_failure(log, error, "a lane stopped")

    async def run(self) -> None:
        """Query for lanes with work until `stop`."""
        while not self._stopping.is_set():
            pause = POLL_SECONDS
            try:
                self.wake(
                    await self.database.run(lambda session: lanes.lanes_with_work(session, self.channels, self.now()))
                )
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking for lanes failed")
                pause = AFTER_FAILURE_SECONDS
            await self._rest(pause)

    async def take_over(self) -> None:
        """End the leases of this process's last run, so that their lanes are drained at once."""
        if self.database.is_sqlite:
            await self.database.run(lanes.release_all)

    async def stop(self, grace: float = 3.0) -> None:
        """Finish the current sends and leave the other notices in the outbox."""
        self._stopping.set()
        for resting in self._resting.values():
            resting.set()
        tasks = list(self._lanes.values())
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _rest(self, seconds: float) -> None:
        """Sleep, but no longer than until `stop`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _rest_lane(self, name: str, channel: Sender, seconds: float) -> None:
        """Wait for a lane's limits, but no longer than until `stop` or until its next notice may be another one."""
        longest = GROUP_REST_SECONDS if channel.is_group(int(name.partition(":")[2])) else MAX_REST_SECONDS
        if self._stopping.is_set() or name in self._woken:
            return
        self._resting[name] = asyncio.Event()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._resting[name].wait(), min(seconds, longest))
        finally:
            del self._resting[name]

    async def _drain(self, name: str, taken: _Taken | None = None, earlier: asyncio.Task[None] | None = None) -> None:
        """Send a lane's notices, beginning with one that was taken before, after an earlier task for the lane."""
        clear_contextvars()  # the context variables of the caller that woke the lane
        bind_contextvars(lane=name)
        try:
            if earlier is not None:
                await asyncio.wait([earlier])
            await self._send_all(name, taken)
        except BaseException:
            await self.database.run(lambda session: lanes.release_unchanged(session, name, self.holder))
            raise

    async def _send_all(self, name: str, taken: _Taken | None) -> None:
        """Send a lane's notices. One transaction between two sends stores the last result and takes the next notice."""
        channel = self.channels[name.partition(":")[0]]
        result = None if taken is None else await self._send(channel, taken.item, taken.began)
        while True:
            if result is not None and result.ends_lane is not None and name not in self._woken:
                given_back = await self._mark_with_others(channel, result, *result.ends_lane)
                if given_back and (name not in self._woken or self._stopping.is_set()):
                    return
                if given_back is not None:
                    result = None
            self._woken.discard(name)
            began = time.monotonic()
            found = await self._next(name, channel, result)
            result = None
            if isinstance(found, outbox.Wait) and found.budget is not None:
                began, found = await self._queue(name, channel, found, found.budget)
            if isinstance(found, outbox.OutboxItem):
                result = await self._send(channel, found, began)
            elif isinstance(found, outbox.Wait):
                await self._rest_lane(name, channel, found.seconds)
            elif name not in self._woken or self._stopping.is_set():
                return

    async def _mark_with_others(
        self, channel: Sender, result: DeliveryResult, item: outbox.OutboxItem, sent: SendResult
    ) -> bool | None:
        """Mark a sent notice in a transaction with others; whether the lane was given back, None if that failed."""
        try:
            return await self._marks[channel.name].mark(item, sent, result.intents, at_once=self._stopping.is_set())
        except Exception as error:  # noqa: BLE001 - the lane tries again by itself
            log_failure(log, error, "marking messages as sent failed")
            return None

    async def _queue(
        self, name: str, channel: Sender, wait: outbox.Wait, priority: Priority
    ) -> tuple[float, outbox.OutboxItem | outbox.Wait | None]:
        """Queue for the budget that all lanes share, so that waiting lanes do not all query the database for it."""
        async with self._budgets[channel.name, priority]:
            while True:
                await self._rest(wait.seconds)
                began = time.monotonic()
                found = await self._next(name, channel, None, in_turn=priority)
                if not isinstance(found, outbox.Wait) or found.budget is not priority:
                    return began, found
                wait = found

    async def _next(
        self,
        name: str,
        channel: Sender,
        result: DeliveryResult | None,
        *,
        in_turn: Priority | None = None,
    ) -> outbox.OutboxItem | outbox.Wait | None:
        """Store the last notice's result and take the next notice; None if nothing is left for this worker here."""
        step = partial(self._step, name=name, channel=channel, result=result, in_turn=in_turn)
        # A sent message must not be sent again, so storing its result is tried often.
        for attempt in range(MAX_OUTBOX_TRIES):
            try:
                found, learnt = await self.database.run(partial(step, lesson=attempt < MAX_SERVICE_TRIES))
            except Exception as error:
                if result is None or attempt == MAX_OUTBOX_TRIES - 1:
                    raise
                log_failure(log, error, "marking a message as sent failed")
                await asyncio.sleep(min(2.0**attempt * 0.05, 2))
            else:
                self.wake(learnt)
                return found
        raise AssertionError("never reached")  # pragma: no cover

    def _step(
        self,
        session: Session,
        *,
        name: str,
        channel: Sender,
        result: DeliveryResult | None,
        in_turn: Priority | None,
        lesson: bool,
    ) -> tuple[outbox.OutboxItem | outbox.Wait | None, set[str]]:
        """One transaction: store the result, pass it to the service, take the next notice."""
        now = self.now()
        learnt: set[str] = set()
        if result is not None:
            result.update_outbox(session)
            for intent in result.intents if lesson else ():
                learnt |= self.service.handle_within(session, intent).lanes
            session.flush()
            if result.sent_item is not None and result.sent_item.last:
                # Usually nothing else has arrived meanwhile, and the lease can end here.
                channel.limits.delay_from_arrival(result.sent_item.lane, now)
                lanes.release(session, result.sent_item.lane)
                if self._stopping.is_set() or outbox.is_empty(session, name):
                    return None, learnt
        lane = lanes.acquire(session, name, self.holder, now)
        if lane is None:
            return None, learnt
        landed = result is not None and result.sent_item is not None and channel.limits.delay_from_arrival(lane, now)
        found: outbox.OutboxItem | outbox.Wait | None = None
        if not self._stopping.is_set():
            group = channel.is_group(int(name.partition(":")[2]))
            full = {priority for priority in Priority if priority is not in_turn and self._queues(channel, priority)}
            found = outbox.take_next(session, lane, channel.limits, now, group=group, full=full)
        if found is None:
            lanes.release(session, lane)
        elif landed and isinstance(found, outbox.Wait):
            lanes.save_limits(session, lane)
        return found, learnt

    def _queues(self, channel: Sender, priority: Priority) -> bool:
        """Whether lanes queue for this part of the budget."""
        return self._budgets[channel.name, priority].locked()

    async def _send(self, channel: Sender, item: outbox.OutboxItem, began: float) -> DeliveryResult:
        if time.monotonic() - began > lanes.LEASE_SECONDS - lanes.SEND_SECONDS:
            # This process was frozen after it took the notice: another worker may have leased the lane meanwhile.
            return DeliveryResult(lambda session: outbox.retry(session, item))
        bind_contextvars(notice=item.id, table=item.table_id)
        handler = self._result_handlers[channel.name]
        try:
            with metrics.timed(metrics.SEND_SECONDS.labels(channel.name)):
                async with asyncio.timeout(lanes.SEND_SECONDS):
                    sent = await channel.send(item.envelope, item.target)
        except TimeoutError:
            return handler.failed(item, UnknownFateError("no answer in time"))
        except Exception as error:  # noqa: BLE001 - the result handler distinguishes them
            return handler.failed(item, error)
        return handler.sent(item, sent)
