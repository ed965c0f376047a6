"""Several workers behind the replaying balancer; each crashes at some point and is started again."""

from __future__ import annotations

import asyncio
import math
import re
import signal
import time
from collections import Counter
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any, Final

from test_support.chaos.replaying_balancer import ReplayingBalancer
from test_support.chaos.screens import Screens
from test_support.crash_points import POINTS
from test_support.worker_cluster import WorkerCluster

if TYPE_CHECKING:
    from telegram_sandbox import RunningSandbox

PLAN: Final[dict[str, Any]] = {
    "clock": {"seconds": 15, "on_timeout": "lose_die"},
    "timings": {"reminder_seconds": 0},
    "rules": {"starting_dice": 2},
}
CRASH_CHANCE: Final = 0.7
"""The share of worker processes that are to crash at a chosen point."""
EARLIEST_DEATH, LATEST_DEATH = 5, 150
MAX_DOWN_SECONDS: Final = 2.0
SENT_AGAIN: Final = re.compile(r"\b(?:hand|table|reveal|record) \d+ was under way when its worker died")
YOUNG_SECONDS: Final = 30.0
"""How long after its start a worker may exit because there is no database. It is then started again."""


class Workers(WorkerCluster):
    """A cluster whose workers crash and are started again."""

    points: tuple[str, ...] = POINTS

    def __init__(self, sandbox: RunningSandbox, *arguments: Any, **variables: Any) -> None:
        super().__init__(sandbox, *arguments, **variables)
        self.recorder: Screens = Screens()
        self.recorder.log = self.log
        self.rng = Random(0)
        self.replaying_balancer = ReplayingBalancer(Random(0), self.ports)
        self.crashing = False
        self.did: Counter[str] = Counter()
        self.fell: list[str] = []
        """Exits that the run did not cause."""
        self._lives = count(1)
        self._names: dict[int, str] = {}
        self._crash_point: dict[int, str | None] = {}
        self._supervisors: list[asyncio.Task[None]] = []
        self.database_away = -math.inf
        """When the database was last unreachable."""
        self._born: dict[int, float] = {}
        self._shot: set[int] = set()
        self._asked: set[int] = set()

    # Starting

    async def start_bot(self) -> None:
        """Start all workers without crash points."""
        if not self.replaying_balancer.port:
            await self.replaying_balancer.start()
            self.balancer.port = self.replaying_balancer.port
        for number in range(self.size):
            await self.start_worker(number)

    async def start_worker(self, number: int) -> None:
        """Start one worker, perhaps with a crash point."""
        self._names[number] = f"worker {number} in life {next(self._lives)}"
        plan = dict(PLAN)
        self._born[number] = time.monotonic()
        self._crash_point[number] = None
        if self.crashing and self.rng.random() < CRASH_CHANCE:
            self._crash_point[number] = self.rng.choice(self.points)
            plan["crash_at"] = [self._crash_point[number], self.rng.randint(EARLIEST_DEATH, LATEST_DEATH)]
        self.plan = plan
        await super().start_worker(number)

    def supervise(self) -> None:
        """From now on start each worker that has exited again."""
        self.crashing = True
        self._supervisors = [asyncio.create_task(self._supervise(number)) for number in range(self.size)]

    async def _supervise(self, number: int) -> None:
        while True:
            worker = self.workers[number]
            assert worker is not None
            status = await worker.wait()
            self._note_death(number, status)
            if self.crashing:
                await asyncio.sleep(self.rng.uniform(0, MAX_DOWN_SECONDS))
            await self.start_worker(number)

    def _note_death(self, number: int, status: int) -> None:
        point = self._crash_point[number]
        if status in (0, -signal.SIGTERM) and number in self._asked:
            self.did["asked to stop"] += 1
        elif status == 1 and self._was_young_without_database(number):
            self.did["not started without a database"] += 1
        elif status != -signal.SIGKILL:
            self.did["ended by itself"] += 1
            self.fell.append(f"{self._names[number]} ended with {status}")
        elif point is not None and number not in self._shot:
            self.did[f"killed {point}"] += 1
        else:
            self.did["killed at any moment"] += 1
        self._shot.discard(number)
        self._asked.discard(number)

    def _was_young_without_database(self, number: int) -> bool:
        born = self._born[number]
        return born <= self.database_away and time.monotonic() - born < YOUNG_SECONDS

    async def shoot(self, number: int) -> None:
        """Kill a worker with SIGKILL, whatever it is doing."""
        worker = self.workers[number]
        if worker is not None and worker.returncode is None:
            self._shot.add(number)
            worker.kill()

    def ask_to_stop(self, number: int) -> None:
        """Ask a worker to stop, as an operator does before an update."""
        worker = self.workers[number]
        if worker is not None and worker.returncode is None:
            self._asked.add(number)
            worker.send_signal(signal.SIGTERM)

    async def calm_down(self) -> None:
        """Restart the workers that have a crash point without one."""
        self.crashing = False
        for number in range(self.size):
            if self._crash_point[number] is not None:
                await self.shoot(number)

    async def stop_bot(self) -> int:
        """Ask all workers to stop."""
        await self._stop_supervising()
        return await super().stop_bot()

    async def destroy_bot(self) -> None:
        """Kill all workers and stop the balancer."""
        await self._stop_supervising()
        await super().destroy_bot()
        await self.replaying_balancer.stop()

    async def _stop_supervising(self) -> None:
        for task in self._supervisors:
            task.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)
        self._supervisors = []

    # Looking inside

    def sent_again(self) -> int:
        """How many sends were repeated because a worker or the database died in mid-send."""
        return len(SENT_AGAIN.findall(self.log.read_text()))

    def thought_of_nothing(self) -> int:
        """How often no call was found for a computer player in time."""
        return self.log.read_text().count("no call was thought of in time")
