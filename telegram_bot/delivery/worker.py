"""Send the lanes' notices: in order within a chat, chats concurrently, as fast as the limits allow.

One transaction stores the results of sends and takes the next notices of all lanes that are ready. While it runs,
further lanes become ready for the next transaction.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from math import inf
from typing import Any, Protocol

from sqlmodel import Session
from structlog.contextvars import bind_contextvars, clear_contextvars

from telegram_bot.delivery import outbox
from telegram_bot.delivery.limits import MINUTE, Budget, LaneUsage, Queue, SendPace
from telegram_bot.delivery.message import Message
from telegram_bot.delivery.reconcile import Reconciler
from telegram_bot.delivery.results import DeliveryResult, ResultHandler
from telegram_bot.delivery.sender import Sender, UnknownOutcomeError
from telegram_bot.intents.intents import DELIVERY, PrivateRoutesWork, TurnDeliveryUnknown
from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.service.service import Service
from telegram_bot.storage.database import log_failure
from telegram_bot.storage.models import LaneName

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
AFTER_FAILURE_SECONDS = 1.0
MOST_LANES = 100
"""So many lanes are read in one transaction at most: after a start all chats of tables are compared."""
GATHER_SECONDS = 0.05
"""How long a result waits for the results of other running sends: one transaction stores them together."""
LEAST_WAIT_SECONDS = 0.001
"""The shortest wait for a limit: a wait of a rounding error ends before the limit does, and is asked for again."""
MAX_THROTTLE_SECONDS = 5.0
"""After so many seconds at most a lane that waits for a limit is read again."""
SEND_SECONDS = 10.0
"""How long one send may take before its result counts as unknown."""
MAX_OUTBOX_TRIES = 10
MAX_SERVICE_TRIES = 5
"""How often storing the result of a send is tried, and how often together with its consequences for the game."""

Found = Mapping[LaneName, Message | outbox.Wait]


class Timer(Protocol):
    """A timer that will call a function."""

    def cancel(self) -> None:
        """Do not call it."""


def _call_later(seconds: float, call: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(seconds, call)


def _elapsed() -> float:
    return time.monotonic()


class _Never:
    """The timer of nothing."""

    def cancel(self) -> None:
        """Do nothing."""


_never = _Never()


class DeliveryWorker:
    """Sends the outbox's notices through the channels, which it finds by name."""

    def __init__(
        self,
        service: Service,
        channels: Mapping[str, Sender],
        *,
        now: Callable[[], float] | None = None,
        later: Callable[[float, Callable[[], None]], Timer] = _call_later,
        elapsed: Callable[[], float] = _elapsed,
        pages: Callable[[Collection[LaneName]], None] = lambda _: None,
    ) -> None:
        """`pages` gets the chats that have news: pages read them."""
        self.service = service
        self.database = service.database
        self.channels = channels
        self.now = now or service.now
        self.later = later
        self.pages = pages
        self.elapsed = elapsed
        """The clock of limits and pauses: unlike the database's it is never set."""
        self.usage: dict[LaneName, LaneUsage] = {}
        """The limits of the chats that were written to lately."""
        self._budgets = {name: Budget() for name in channels}
        self._result_handlers = {name: ResultHandler(channel, service.given_up) for name, channel in channels.items()}
        self._paces = {name: SendPace() for name in channels}
        self._ready: dict[LaneName, None] = {}
        """The lanes for the next transaction, in order."""
        self._results: list[DeliveryResult] = []
        """The results that the next transaction stores."""
        self._under_way = 0
        """The number of running sends."""
        self._gathering: Timer | None = None
        """The timer that begins the next transaction while sends are running."""
        self._busy: dict[LaneName, Message] = {}
        """The message of each lane whose send is running or whose result is not stored yet."""
        self._throttled: dict[LaneName, Timer] = {}
        """The lanes that wait for their own limits."""
        self._queues: dict[tuple[str, Queue], deque[LaneName]] = {
            (name, queue): deque() for name in channels for queue in Queue
        }
        """The lanes that wait for the shared budget. Only the first of each queue asks the database for it."""
        self._asking: dict[tuple[str, Queue], Timer] = {}
        """The timers after which the first lane of each queue asks again."""
        self._has_begun = False
        """Whether all tables were marked, and all sends that were left are settled: after a start nothing is known."""
        self._again: dict[int, float] = {}
        """The tables whose comparison was undone."""
        self._change: tuple[float, Timer] = inf, _never
        """When a table becomes dirty next without a step, if that is soon, and the timer for it."""
        self._rests = False
        """Whether the last transaction failed: the next look begins another one."""
        self._transaction: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._troubles = LogThrottle()

    # Choosing lanes

    def wake(self, names: Iterable[LaneName]) -> None:
        """Check these lanes now instead of at the next query for work."""
        # The order of a set differs from run to run.
        names = sorted(names) if isinstance(names, AbstractSet) else list(names)
        self.pages(names)
        for name in names:
            if name.channel in self.channels:
                if name in self._throttled:
                    self._throttled.pop(name).cancel()
                self._ready[name] = None
        self._next_transaction()

    async def run(self) -> None:
        """Query for lanes with work until `stop`."""
        while not self._stopping.is_set():
            pause = POLL_SECONDS
            try:
                if not self._has_begun:
                    self._has_begun = True
                    self.wake(await self.database.run(self._recover))
                self.wake(await self.database.run(self.look))
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking for lanes failed", throttle=self._troubles)
                self._has_begun = False
                pause = AFTER_FAILURE_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

    def _recover(self, session: Session) -> set[LaneName]:
        """Have all tables compared, settle what an earlier process was sending, and count its last minute's sends."""
        now, elapsed = self.now(), self.elapsed()
        uow, woken = self.service.unit_of_work(session, DELIVERY), set[LaneName]()
        uow.tables.load(session, now)
        under_way = [each.row.id for each in self._busy.values() if each.row is not None]
        for row in outbox.settle_left(session, lambda channel: uow.traits(channel).paid, under_way, now):
            if row.table_id is not None and row.turn is not None:
                woken |= self.service.handle_within(session, TurnDeliveryUnknown(row.table_id, row.turn)).lanes
        used = set(self.usage)
        for lane, at, urgency in outbox.sends_between(session, now - MINUTE, now):
            if lane.channel in self.channels and lane not in used:
                channel, usage = self.channels[lane.channel], self.usage.setdefault(lane, LaneUsage())
                channel.limits.spend(usage, elapsed - now + at, group=channel.is_group(lane.chat), urgency=urgency)
        return woken

    def look(self, session: Session) -> list[LaneName]:
        """Return the lanes with work that wait for no limit."""
        now, elapsed = self.now(), self.elapsed()
        for name in [name for name, usage in self.usage.items() if usage.rests(elapsed)]:
            del self.usage[name]
        waiting = {*self._busy, *self._throttled, *(name for queue in self._queues.values() for name in queue)}
        paused = {name for name, usage in self.usage.items() if usage.paused_until > elapsed}
        metrics.LANES_PAUSED.set(len(paused))
        waiting |= paused
        tables, self._rests = self.service.tables, False
        again, self._again = self._again, {}
        for table, since in again.items():
            tables.mark(table, since)
        times = [*tables.due(now).values(), *(each.since for of in tables.missing.values() for each in of.values())]
        metrics.READERS_OLDEST.set(max((now - each for each in times), default=0))
        lanes = dict.fromkeys([*outbox.lanes_with_notices(session, now), *tables.missing])
        return [name for name in lanes if name.channel in self.channels and name not in waiting]

    def is_free(self, lane: LaneName) -> bool:
        """Return True if no send to a lane is running."""
        return lane not in self._busy

    async def stop(self, grace: float = 3.0) -> None:
        """Give the current sends `grace` seconds to finish, and leave the other notices in the outbox."""
        self._stopping.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self.idle()
        late = list(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for timer in (*self._throttled.values(), *self._asking.values(), self._change[1]):
            timer.cancel()

    async def idle(self) -> None:
        """Wait until no send is running and every result is stored; lanes may still wait for their limits."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    # Transactions

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task is self._transaction:
            self._transaction = None
            self._next_transaction()
        if not task.cancelled() and task.exception() is not None:
            log_failure(log, task.exception() or ValueError(), "delivery failed")

    def _next_transaction(self) -> None:
        """Begin the next transaction, unless one is running or there is no work."""
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        if self._transaction is not None:
            return
        names = [name for name in self._ready if name not in self._busy]
        if self._stopping.is_set():
            names = []
        results, self._results = self._results, []
        self._ready = dict.fromkeys(names[MOST_LANES:])
        names = names[:MOST_LANES]
        is_due = bool(self.service.tables.since) or self._change[0] <= self.now()
        if names or results or (is_due and not self._rests and not self._stopping.is_set()):
            self._transaction = self._begin(self._store_and_take(results, names), "delivery-transaction")

    async def _store_and_take(self, results: Sequence[DeliveryResult], names: Sequence[LaneName]) -> None:
        """Store these results and take the next notices of these lanes."""
        clear_contextvars()  # the context variables of the caller that woke the lanes
        try:
            await self._commit(results, names)
        except Exception as error:  # noqa: BLE001 - each result is tried again by itself, lanes with work are looked for
            what = "marking messages as sent failed" if results else "looking at lanes failed"
            log_failure(log, error, what, throttle=self._troubles)
            self._rests = True
            for result in results:
                self._begin(self._store_alone(result), f"lane:{result.item.lane}")

    async def _store_alone(self, result: DeliveryResult) -> None:
        """Store one result. Many tries, because a sent message must not be sent again."""
        for attempt in range(MAX_OUTBOX_TRIES):
            try:
                return await self._commit([result], (), with_intents=attempt < MAX_SERVICE_TRIES)
            except Exception as error:
                if attempt == MAX_OUTBOX_TRIES - 1:
                    del self._busy[result.item.lane]
                    self._has_begun = False  # nothing is known of this send
                    raise
                log_failure(log, error, "marking a message as sent failed", throttle=self._troubles)
                await asyncio.sleep(min(2.0**attempt * 0.05, 2))
        return None

    async def _commit(
        self, results: Sequence[DeliveryResult], names: Sequence[LaneName], *, with_intents: bool = True
    ) -> None:
        """Run one transaction, and continue with its decisions."""
        first = {key: queue[0] for key, queue in self._queues.items() if queue}
        compared: dict[int, float] = {}
        work = partial(self._step, results=results, names=names, first=first, with_intents=with_intents)
        try:
            found, looked_at, woken, change = await self.database.run(partial(work, compared=compared))
        except BaseException:
            self._again |= compared
            raise
        for name in looked_at:
            if name in self._throttled:
                self._throttled.pop(name).cancel()
            self._go_on(name, found.get(name))
        self._await_change(change)
        self.wake(woken)

    def _await_change(self, at: float) -> None:
        """Compare tables at a time, if that is soon: the next look finds a later one."""
        at = at if at <= self.now() + outbox.SOON_SECONDS else inf
        if at != self._change[0]:
            self._change[1].cancel()
            later = (
                _never if at == inf else self.later(max(at - self.now(), LEAST_WAIT_SECONDS), self._next_transaction)
            )
            self._change = at, later

    def _step(
        self,
        session: Session,
        *,
        results: Sequence[DeliveryResult],
        names: Sequence[LaneName],
        first: Mapping[tuple[str, Queue], LaneName],
        with_intents: bool,
        compared: dict[int, float],
    ) -> tuple[Found, Collection[LaneName], set[LaneName], float]:
        """Store the results, pass them to the service and take the next notices, in one transaction.

        `first`: the lane that gets the shared budget first, if lanes queue for it. `compared` gets the dirty tables.
        Also returns the lanes that were looked at, those to look at next, and when a table becomes dirty by itself.
        """
        elapsed, woken = self.elapsed(), set[LaneName]()
        uow = self.service.unit_of_work(session, DELIVERY)
        reconciler = Reconciler(uow)
        sent = [(result.item, result.sent) for result in results if result.sent is not None]
        outbox.mark_sent(uow, sent)
        private = [result.item.envelope for result in results if result.is_private and with_intents]
        for name in {envelope.channel for envelope in private}:
            reached = frozenset(envelope.chat for envelope in private if envelope.channel == name)
            woken |= self.service.handle_within(session, PrivateRoutesWork(name, reached)).lanes
        for result in results:
            if result.store is not None:
                result.store(uow)
            for intent in result.intents if with_intents else ():
                woken |= self.service.handle_within(session, intent).lanes
        stored = {result.item.lane: result for result in results}
        found: dict[LaneName, Message | outbox.Wait] = {}
        looked_at = dict.fromkeys([*names, *stored])
        reconciler.compare(looked_at)
        compared |= reconciler.compared
        looked_at |= dict.fromkeys(lane for lane in reconciler.missing if self.is_free(lane))
        for name, channel in self.channels.items():
            own = {lane for lane in looked_at if lane.channel == name}
            usages = {lane: self.usage.setdefault(lane, LaneUsage()) for lane in sorted(own)}
            for lane in stored.keys() & own:
                result, usage = stored[lane], usages[lane]
                if result.pause:
                    usage.paused_until = max(usage.paused_until, elapsed + result.pause)
                if result.sent is not None and result.item.is_counted:
                    for _ in range(result.sent.extra_sends):
                        channel.limits.spend(usage, elapsed, group=channel.is_group(lane.chat))
                    channel.limits.arrived(usage, elapsed)
            free = {lane: usage for lane, usage in usages.items() if usage.paused_until <= elapsed}
            if free and not self._stopping.is_set():
                queues = [(queue, first[name, queue]) for queue in Queue if (name, queue) in first]
                taking = outbox.Taking(reconciler, channel, self._budgets[name], free, elapsed)
                found |= outbox.take_next(taking, queues=queues)
        return found, list(looked_at), woken | uow.finish(), min(uow.tables.changes.values(), default=inf)

    # After a transaction

    def _go_on(self, name: LaneName, found: Message | outbox.Wait | None) -> None:
        """Send the lane's next notice, or wait for the limit that delays it."""
        self._busy.pop(name, None)
        channel = name.channel
        wait = found if isinstance(found, outbox.Wait) else None
        for queue in Queue:
            lanes = self._queues[channel, queue]
            if name in lanes and (wait is None or wait.queue is not queue):
                was_first = lanes[0] == name
                lanes.remove(name)
                if was_first and lanes:
                    self.wake([lanes[0]])
        if isinstance(found, Message):
            self._busy[name] = found
            self._begin(self._deliver(found), f"lane:{name}")
        elif wait is not None and wait.queue is not None:
            lanes = self._queues[channel, wait.queue]
            if name not in lanes:
                lanes.append(name)
            if lanes[0] == name:
                self._ask_later((channel, wait.queue), wait.seconds, name)
        if wait is not None:
            seconds = (
                wait.next_due if wait.queue is not None else min(wait.seconds, wait.next_due, MAX_THROTTLE_SECONDS)
            )
            if seconds < inf:
                self._throttled[name] = self._wake_later(name, seconds)

    def _ask_later(self, queue: tuple[str, Queue], seconds: float, first: LaneName) -> None:
        """Let the first lane of a queue ask for the budget in some seconds."""
        if queue in self._asking:
            self._asking[queue].cancel()
        self._asking[queue] = self._wake_later(first, seconds)

    def _wake_later(self, name: LaneName, seconds: float) -> Timer:
        return self.later(max(seconds, LEAST_WAIT_SECONDS), partial(self.wake, [name]))

    async def _deliver(self, item: Message) -> None:
        """Send a notice and store the result."""
        clear_contextvars()
        bind_contextvars(lane=str(item.lane), notice=item.name, table=item.table_id)
        self._under_way += 1
        try:
            result = await self._send(self.channels[item.envelope.channel], item)
        finally:
            self._under_way -= 1
        if not result.may_share:
            await self._store_alone(result)
            return
        self._results.append(result)
        if not self._under_way:
            self._next_transaction()
        elif self._gathering is None:
            self._gathering = _call_later(GATHER_SECONDS, self._next_transaction)

    async def _send(self, channel: Sender, item: Message) -> DeliveryResult:
        await asyncio.sleep(self._paces[channel.name].wait(channel.limits, time.monotonic()))
        handler = self._result_handlers[channel.name]
        try:
            with metrics.SEND_SECONDS.labels(channel.name).time():
                async with asyncio.timeout(SEND_SECONDS):
                    sent = await channel.send(item.envelope, item.target)
        except TimeoutError:
            return handler.failed(item, UnknownOutcomeError("no answer in time"))
        except Exception as error:  # noqa: BLE001 - the result handler distinguishes them
            return handler.failed(item, error)
        return handler.sent(item, sent)
