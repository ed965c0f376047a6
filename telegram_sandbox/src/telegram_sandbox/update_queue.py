"""The queue of updates for the bot: kept until confirmed, one reader at a time.

Telegram delivers at least once and keeps no order between queues: messages wait by chat, taps by person, changes of
membership by chat for themselves. `DeliveryFaults` causes repetitions and disorder on demand.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import conflict
from telegram_sandbox.model import Json

FIRST_UPDATE_ID = 730_000_001
MOST_UPDATES = 100
LONGEST_POLL_SECONDS = 50
REMEMBERED = 2000
NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})

TERMINATED = "terminated by other getUpdates request; make sure that only one bot instance is running"
TERMINATED_BY_WEBHOOK = "terminated by setWebhook request"
WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


@dataclass(slots=True)
class Pending:
    """One update, its queue, and when it expires."""

    update: Json
    queue: str
    expires: float
    again: bool = False
    """Confirmed once before."""
    done: bool = False

    @property
    def id(self) -> int:
        """Telegram's number for it."""
        number: int = self.update["update_id"]
        return number


@dataclass(slots=True)
class DeliveryFaults:
    """Delays and lost confirmations.

    `delay_seconds` is the longest delay of an update. Delays reorder the queues among each other, but not the updates
    of one queue. `repeat` is the probability that a confirmation gets lost, so that the update is sent again.
    """

    delay_seconds: float = 0.0
    repeat: float = 0.0
    rng: Random = field(default_factory=Random)

    def loses_confirmation(self) -> bool:
        """Return whether this confirmation is lost."""
        return self.repeat > 0 and self.rng.random() < self.repeat


class UpdateQueue:
    """Updates in the order in which they happened, all together and queue by queue."""

    def __init__(self, clock: Clock, validate: Callable[[Json], None]) -> None:
        self.delivery_faults = DeliveryFaults()
        self.listener: Callable[[str], None] | None = None
        """A function that is called with the name of a queue that has a new update."""
        self.is_read = asyncio.Event()
        """Whether the bot has asked for updates, other than to skip those that wait, or has a webhook."""
        self.asked_until = 0.0
        """When the newest request for updates runs out, by the loop's time."""
        self._clock = clock
        self._validate = validate
        self._next_id = FIRST_UPDATE_ID
        self._pending: deque[Pending] = deque()
        self._count = 0
        self._again: deque[Pending] = deque()
        self._queues: dict[str, deque[Pending]] = {}
        self._by_lifetime: dict[float, deque[Pending]] = {}
        self._confirmed: deque[Pending] = deque(maxlen=REMEMBERED)
        self._released: dict[str, float] = {}
        self._held_back = 0
        self._epoch = 0
        self._allowed: frozenset[str] | None = None
        self._changed = asyncio.Event()
        self._reader = 0
        self._interruption = TERMINATED
        self._closed = False

    def __len__(self) -> int:
        self._expire()
        return self._count + len(self._again) + self._held_back

    @property
    def allowed(self) -> list[str] | None:
        """The kinds that the bot asked for, or None if it never asked."""
        return None if self._allowed is None else sorted(self._allowed)

    def allow(self, kinds: list[str] | None) -> None:
        """Deliver only these kinds from now on; an empty list means Telegram's default."""
        if kinds is not None:
            self._allowed = frozenset(kinds) or None

    # Adding

    def add(self, kind: str, body: Json, *, lives: float, queue: str) -> None:
        """Queue one update, unless the bot does not want its kind."""
        wanted = kind in self._allowed if self._allowed is not None else kind not in NOT_BY_DEFAULT
        if not wanted:
            return
        expires = self._clock.now() + lives
        if self.delivery_faults.delay_seconds <= 0 and queue not in self._released:
            self._put(kind, body, queue, expires, lives)
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + self.delivery_faults.rng.uniform(0, self.delivery_faults.delay_seconds)
        at = max(at, self._released.get(queue, 0.0) + 1e-4)
        self._released[queue] = at
        self._held_back += 1
        loop.call_at(at, self._release, self._epoch, at, (kind, body, queue, expires, lives))

    def _release(self, epoch: int, at: float, held: tuple[str, Json, str, float, float]) -> None:
        if epoch != self._epoch:
            return
        self._held_back -= 1
        if self._released.get(held[2]) == at:
            del self._released[held[2]]
        self._put(*held)

    def _put(self, kind: str, body: Json, queue: str, expires: float, lives: float) -> None:
        update: Json = {"update_id": self._next_id, kind: body}
        self._validate(update)
        self._next_id += 1
        pending = Pending(update, queue, expires)
        self._pending.append(pending)
        self._count += 1
        self._by_lifetime.setdefault(lives, deque()).append(pending)
        self._enqueue(pending)

    def _enqueue(self, pending: Pending) -> None:
        self._queues.setdefault(pending.queue, deque()).append(pending)
        if self.listener is not None:
            self.listener(pending.queue)
        self.wake()

    def repeat(self, last: int) -> list[int]:
        """Deliver the updates that were confirmed last once more; their numbers."""
        found = list(self._confirmed)[-last:]
        for before in found:
            self._redeliver(before)
        return [before.id for before in found]

    def _redeliver(self, before: Pending) -> None:
        again = Pending(before.update, before.queue, before.expires, again=True)
        self._again.append(again)
        self._enqueue(again)

    # Confirming

    def confirm(self, offset: int) -> None:
        """Forget every update before `offset`; a negative one keeps that many of the last."""
        waiting = self._waiting()
        if offset < 0:
            kept = [pending.id for pending in waiting][offset:]
            offset = kept[0] if kept else 0
        while waiting and waiting[0].id < offset:
            arrived = waiting[0]
            self.forget(arrived)
            if self.delivery_faults.loses_confirmation():
                self._redeliver(arrived)
            waiting = self._waiting()

    def forget(self, pending: Pending) -> None:
        """Forget an update that has arrived."""
        if pending.done:
            return
        pending.done = True
        if pending.again:
            self._again.remove(pending)
        else:
            self._count -= 1
            self._confirmed.append(pending)
        self._drop_done(pending.queue)

    def clear(self) -> None:
        """Forget every update."""
        for pending in (*self._pending, *self._again):
            pending.done = True
        for kept in (self._pending, self._again, self._queues, self._by_lifetime, self._released, self._confirmed):
            kept.clear()
        self._held_back = self._count = 0
        self._epoch += 1

    def _waiting(self) -> deque[Pending]:
        """Return the unconfirmed updates; after the first, some may be done."""
        while self._pending and self._pending[0].done:
            self._pending.popleft()
        return self._pending

    def _drop_done(self, queue: str) -> None:
        waiting = self._queues.get(queue)
        while waiting and waiting[0].done:
            waiting.popleft()
        if not waiting:
            self._queues.pop(queue, None)

    def _expire(self) -> None:
        now = self._clock.now()
        for waiting in self._by_lifetime.values():
            while waiting and (waiting[0].done or waiting[0].expires <= now):
                late = waiting.popleft()
                if not late.done:
                    late.done = True
                    self._count -= 1
                    self._drop_done(late.queue)

    # Reading

    def queues(self) -> list[str]:
        """Return the queues in which something waits."""
        self._expire()
        return list(self._queues)

    def head(self, queue: str) -> Pending | None:
        """Return the oldest update of a queue, still unconfirmed."""
        self._expire()
        waiting = self._queues.get(queue)
        while waiting and waiting[0].again and waiting[0].expires <= self._clock.now():
            self.forget(waiting[0])
        return waiting[0] if waiting else None

    def oldest(self, limit: int) -> list[Json]:
        """Return the oldest updates, still unconfirmed; repeated ones are first, each once."""
        self._expire()
        repeated = list(islice(self._again, limit))
        for pending in repeated:
            self.forget(pending)
        fresh = (pending for pending in self._waiting() if not pending.done)
        return [pending.update for pending in (*repeated, *islice(fresh, limit - len(repeated)))]

    async def poll(self, offset: int, limit: int, seconds: float) -> list[Any]:
        """Wait up to `seconds` for updates from `offset` on.

        Raises:
            ApiError: 409, when another poll takes this one's place.
        """
        self.interrupt(TERMINATED)
        mine = self._reader
        self.confirm(offset)
        if offset >= 0:
            self.is_read.set()
        loop = asyncio.get_running_loop()
        self.asked_until = until = loop.time() + min(max(seconds, 0), LONGEST_POLL_SECONDS)
        while True:
            if mine != self._reader:
                raise conflict(self._interruption)
            updates = self.oldest(limit)
            if updates or until <= loop.time() or self._closed:
                return updates
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._changed.wait()

    def interrupt(self, reason: str) -> None:
        """End the poll that waits now, if there is one, with 409."""
        self._interruption = reason
        self._reader += 1
        self.wake()

    def close(self) -> None:
        """End every poll: the server stops."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """Wake the readers that wait for updates."""
        self._changed.set()
        self._changed = asyncio.Event()
