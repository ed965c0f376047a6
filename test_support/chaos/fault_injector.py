"""Inject faults: one after the other and several at once."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from test_support.chaos.workers import Workers
    from test_support.postgres import PostgresServer

READ_TIMEOUT_SECONDS: Final = 5.0
FAULTS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("429", {"kind": "refuse", "code": 429, "retry_after": 2}),
    ("500", {"kind": "refuse", "code": 500}),
    ("502", {"kind": "refuse", "code": 502}),
    ("connection reset before it was done", {"kind": "reset_before"}),
    ("connection reset after it was done", {"kind": "reset_after"}),
    ("time-out before it was done", {"kind": "stall_before", "seconds": READ_TIMEOUT_SECONDS + 2}),
    ("time-out after it was done", {"kind": "stall_after", "seconds": READ_TIMEOUT_SECONDS + 2}),
    ("slow answer", {"kind": "stall_after", "seconds": 1.5}),
)
METHODS: Final = ("sendMessage", "sendPhoto", "editMessageText", "editMessageMedia", "answerCallbackQuery", "*")
LONG: Final = 0.2
LONG_AWAY_SECONDS: Final = 14.0
"""Longer than a worker tries to store the result of a send."""
OUTAGES: Final = ("refuse", "reset", "silent")


@dataclass(slots=True)
class FaultInjector:
    """Injects faults, with `pause` seconds on average between two."""

    workers: Workers
    postgresql: PostgresServer
    rng: Random
    pause: float
    did: Counter[str] = field(default_factory=Counter)
    all_seen: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether each kind of fault was injected."""

    async def inject(self) -> None:
        """Inject all kinds of faults in random order, until cancelled."""
        await self.workers.act("POST", "/delivery", delay_seconds=0.4, repeat=0.05, seed=self.rng.randrange(10**6))
        troubles: list[Callable[[], Awaitable[None]]] = [
            self.kill_one,
            self.faults,
            self.faults,
            self.replay,
            self.stop_the_database,
            self.outage,
            self.faults,
            self.kill_all,
            self.stop_one,
        ]
        while True:
            for trouble in self.rng.sample(troubles, len(troubles)):
                await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.pause)
                await trouble()
            self.all_seen.set()

    async def kill_one(self) -> None:
        """Kill one worker with SIGKILL."""
        await self.workers.shoot(self.rng.randrange(self.workers.size))

    async def stop_one(self) -> None:
        """Ask one worker to stop."""
        self.workers.ask_to_stop(self.rng.randrange(self.workers.size))

    async def kill_all(self) -> None:
        """Kill all workers at once."""
        self.did["all workers killed at once"] += 1
        await asyncio.gather(*(self.workers.shoot(number) for number in range(self.workers.size)))

    async def faults(self) -> None:
        """Let the server fail some calls, of one method or of all."""
        name, fault = self.rng.choice(FAULTS)
        times = self.rng.randint(1, 4)
        method = self.rng.choice(METHODS)
        self.did[f"calls to fail: {name}"] += times
        await self.workers.act("POST", "/faults", method=method, times=times, probability=0.5, **fault)

    async def replay(self) -> None:
        """Let the server deliver confirmed updates once more."""
        repeated = await self.workers.act("POST", "/delivery/repeat", last=self.rng.randint(1, 40))
        self.did["updates sent again by the server"] += len(repeated["repeated"])

    async def stop_the_database(self) -> None:
        """Stop PostgreSQL as by a power cut, and start it again."""
        self.did["PostgreSQL stopped hard"] += 1
        workers = self.workers
        workers.database_away = math.inf
        await asyncio.to_thread(self.postgresql.stop_hard)
        await asyncio.sleep(self.rng.uniform(0, 3) if self.rng.random() > LONG else LONG_AWAY_SECONDS)
        await asyncio.to_thread(self.postgresql.start)
        workers.database_away = time.monotonic()

    async def outage(self) -> None:
        """Make Telegram unreachable for a while."""
        kind = self.rng.choice(OUTAGES)
        self.did[f"outage: {kind}"] += 1
        await self.workers.act("POST", "/outage", kind=kind, seconds=self.rng.uniform(1, 6))

    async def clear_up(self) -> None:
        """End all faults."""
        await self.workers.act("DELETE", "/outage")
        await self.workers.act("DELETE", "/faults")
        await self.workers.act("POST", "/delivery")
