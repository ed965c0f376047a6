"""One chaos run: people play while faults are injected, then everything is compared with the replayed games."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from test_support.chaos.auditor import Audit, audit
from test_support.chaos.evidence import Evidence, stored_games
from test_support.chaos.people import Game, moves
from test_support.chaos.workers import Workers
from test_support.child_processes import orphans_of
from test_support.crash_points import POINTS, THOUGHT_FOUND
from test_support.postgres import PostgresServer
from test_support.world import Setting, opened

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
        self.did["updates sent again by the server"] += len(repeated["result"])

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


PEOPLE_AT_A_TABLE: Final = (2, 3, 3, 4)
MAX_CALM_SECONDS: Final = 240.0
"""How long the last games may take to end after the last fault: a webhook that failed often is tried once a minute."""
MAX_ALL_SEEN_SECONDS: Final = 600.0
"""How long it may take until each kind of fault was injected."""
TWICE, AGAIN = 0.1, 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a chaos run."""

    tables: int
    """How many tables are played, `at_once` at a time."""
    at_once: int
    seconds: float
    """How long at most new tables are opened and faults are injected."""
    workers: int = 2
    seed: int = 1
    pause: float = 2.0
    """The average pause between two faults."""
    computers: int = 0
    """How many computer players sit at every table."""


@dataclass(slots=True)
class Report:
    """The result of a chaos run."""

    plan: Plan
    evidence: Evidence
    audit: Audit
    chaos_seconds: float
    did: dict[str, Counter[str]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    calls: int = 0


@dataclass(slots=True)
class ChaosRun:
    """One chaos run."""

    plan: Plan
    world: Workers
    postgresql: PostgresServer
    rng: Random
    injector: type[FaultInjector] = FaultInjector
    games: list[Game] = field(default_factory=list)
    _number: int = 0

    async def run(self) -> Report:
        """Play, and collect the evidence."""
        world = self.world
        world.rng, world.balancer.rng = Random(self.rng.random()), Random(self.rng.random())
        world.balancer.twice, world.balancer.again = TWICE, AGAIN
        await asyncio.gather(*(person.start() for person in world.people.values()))
        await world.settled()
        began = time.monotonic()
        world.supervise()
        injector = self.injector(world, self.postgresql, Random(self.rng.random()), self.plan.pause)
        raging = asyncio.create_task(injector.inject())
        until = began + self.plan.seconds
        playing = [asyncio.create_task(self._keep_playing(until)) for _ in range(self.plan.at_once)]
        try:
            everything = asyncio.create_task(injector.all_seen.wait())
            await _during_faults([everything, *playing], raging, self.plan.seconds)
            await _during_faults([everything], raging, MAX_ALL_SEEN_SECONDS)
            raging.cancel()
            await asyncio.gather(raging, return_exceptions=True)
            storm_seconds = time.monotonic() - began
            await injector.clear_up()
            await world.calm_down()
            try:
                async with asyncio.timeout(MAX_CALM_SECONDS):
                    await asyncio.gather(*playing)
            except TimeoutError:
                pass  # the audit says which tables did not end
        finally:
            for task in (raging, *playing):
                task.cancel()
        await world.balancer.come_to_rest()
        undone = await self._come_to_rest()
        undone += [f"process {number} thinks for a dead worker" for number in await orphans_of("computations:choose")]
        evidence = self._evidence(undone)
        people: Counter[str] = Counter()
        for game in self.games:
            people += game.did
        did = {"people": people, "workers": world.did, "faults": injector.did, "updates": world.balancer.did}
        return Report(
            self.plan, evidence, audit(evidence), storm_seconds, did, world.recorder.errors, world.recorder.bot_calls
        )

    async def _keep_playing(self, until: float) -> None:
        """Play one table after the other."""
        while self._number < self.plan.tables and time.monotonic() < until:
            self._number += 1
            *people, stranger = self.rng.sample(
                list(self.world.people.values()), self.rng.choice(PEOPLE_AT_A_TABLE) + 1
            )
            group = await self.world.found(f"Table {self._number}", [*people, stranger])
            rng = Random(self.rng.random())
            game = Game(self.world, self.world.recorder, group, people, stranger, rng, self.plan.computers)
            self.games.append(game)
            await game.play()

    async def _come_to_rest(self) -> list[str]:
        """Wait until all updates and notices are done; return those that are left."""
        try:
            await self.world.settled(MAX_CALM_SECONDS)
        except AssertionError as error:
            return [str(error)[:2000]]
        return []

    # The evidence

    def _evidence(self, undone: list[str]) -> Evidence:
        world = self.world
        screens = world.recorder
        aside = world.rows("SELECT cause, error FROM inbox WHERE error IS NOT NULL")
        undone += [f"{cause} was set aside: {error}" for cause, error in aside]
        undone += [f"request against the schema: {call}" for call in screens.against_schema]
        undone += [f"a worker fell: {end}" for end in world.fell]
        failed = world.rows("SELECT id, error FROM outbox WHERE status = 'failed'")
        undone += [f"notice {number} was not accepted: {error}" for number, error in failed]
        (unsure,) = world.rows("SELECT count(*) FROM outbox WHERE status = 'unknown'")[0]
        return Evidence(
            games=stored_games(world),
            moves=moves(self.games, screens),
            updates=world.balancer.moves,
            shown=tuple(screens.shown),
            deleted=frozenset(key for _, key in screens.deleted),
            repeated=tuple(world.repeated_sends()),
            asked_for=sum(game.did["asked to see the table"] for game in self.games),
            unsure=unsure,
            thought_of_nothing=world.thought_of_nothing(),
            undone=tuple(undone),
        )


async def _during_faults(tasks: list[asyncio.Task[Any]], raging: asyncio.Task[None], seconds: float) -> None:
    """Wait until all tasks are done, or for so long; raise the error of a failed one."""
    until = time.monotonic() + seconds
    while not all(task.done() for task in tasks) and (left := until - time.monotonic()) > 0:
        pending = [task for task in (raging, *tasks) if not task.done()]
        done, _ = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


async def run_chaos(
    folder: Path,
    postgresql: PostgresServer,
    plan: Plan,
    *,
    workers: type[Workers] = Workers,
    injector: type[FaultInjector] = FaultInjector,
) -> Report:
    """Play and audit; stop everything at the end."""
    people = tuple(f"P{number}" for number in range(1, 2 * plan.at_once + 5))

    class ChaosWorkers(workers):  # type: ignore[misc,valid-type] # a class that the caller chooses
        size = plan.workers
        points = (*POINTS, THOUGHT_FOUND) if plan.computers else POINTS

    with postgresql.fresh() as url:
        setting = Setting(
            people=people,
            plan={},
            variables={"PERUDO_QUOTAS__TABLES_PER_HOST": "0"},
            database_url=url,
            remembered_events=20_000,
        )
        async with opened(folder, setting, ChaosWorkers) as world:
            assert isinstance(world, ChaosWorkers)
            return await ChaosRun(plan, world, postgresql, Random(plan.seed), injector).run()
