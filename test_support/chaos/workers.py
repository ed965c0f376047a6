"""Several workers behind the load balancer; each crashes at some point and is started again."""

import asyncio
import math
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count
from random import Random
from typing import Any, Final

from telegram_sandbox import RunningSandbox
from test_support.chaos.evidence import Shown
from test_support.crash_points import POINTS
from test_support.screen_recorder import Answer, Json, Message, ScreenRecorder
from test_support.worker_cluster import WorkerCluster

NOT_COUNTED: Final = ("getUpdates",)
TITLE: Final = re.compile(r"🎲 (.+) · round \d+")

Hear = Callable[[Message], None]


class Screens(ScreenRecorder):
    """The stream of events of hundreds of games; each game gets only its own events."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Shown] = []
        self.bot_calls = 0
        self.errors: Counter[str] = Counter()
        self.against_schema: list[str] = []
        self.by_chat: dict[int, Hear] = {}
        self.by_title: dict[str, Hear] = {}
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    def record(self, event: Json) -> None:
        """Record one event of the stream."""
        match event["kind"]:
            case "message" | "edited":
                self.cursor = event["cursor"]
                self._see(event["message"], fresh=event["kind"] == "message")
            case "call":
                self.cursor = event["cursor"]
                self._count(event["call"])
            case "alert" | "answered":
                super().record(event)
                waiting = self._waiting.pop(event["query_id"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(self.answers[event["query_id"]])
            case _:
                super().record(event)

    def _see(self, shown: Json, *, fresh: bool) -> None:
        if shown["from"]["id"] != self.bot:
            return
        message = self._message(shown)
        self.messages[message.key] = message
        person = message.to or (message.chat if message.chat > 0 else None)
        self.shown.append(Shown(self.cursor, message.chat, person, message.key, message.text, fresh))
        hear = self.by_chat.get(message.chat)
        if hear is None and (title := TITLE.match(message.text)):
            hear = self.by_title.get(title[1])
        if hear is not None:
            hear(message)

    def _count(self, call: Json) -> None:
        if call["method"] in NOT_COUNTED:
            return
        self.bot_calls += 1
        if call["error"]:
            self.errors[f"{call['method']}: {re.sub(r'[0-9]+', 'N', call['error'])}"] += 1
        if not call["schema_ok"]:
            self.against_schema.append(f"{call['method']} {call['params']}: {call['schema_error']}")

    async def answers_to(self, queries: Iterable[str], within: float) -> list[Answer | None]:
        """Return the answers to some taps within a time, or None for a tap without an answer."""
        waiting = [self._answer(query) for query in queries]
        await asyncio.wait(waiting, timeout=within)
        return [each.result() if each.done() else None for each in waiting]

    def _answer(self, query: str) -> asyncio.Future[Answer]:
        known = self.answers.get(query)
        found: asyncio.Future[Answer] = self._waiting.setdefault(query, asyncio.get_running_loop().create_future())
        if known is not None and not found.done():
            found.set_result(known)
            del self._waiting[query]
        return found


PLAN: Final[dict[str, Any]] = {
    "clock": {"seconds": 15, "on_timeout": "lose_die"},
    "timings": {"reminder_seconds": 0},
    "rules": {"starting_dice": 2},
}
CRASH_CHANCE: Final = 0.7
"""The share of worker processes that are to crash at a chosen point."""
EARLIEST_DEATH, LATEST_DEATH = 5, 150
MAX_DOWN_SECONDS: Final = 2.0
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
        """From now on restart each worker that exits."""
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

    async def _stop_supervising(self) -> None:
        for task in self._supervisors:
            task.cancel()
        await asyncio.gather(*self._supervisors, return_exceptions=True)
        self._supervisors = []

    # Looking inside

    def thought_of_nothing(self) -> int:
        """Return how often no call was found for a computer player in time."""
        return self.log.read_text().count("no call was thought of in time")
