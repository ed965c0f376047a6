"""Run several workers on one PostgreSQL statement by statement, in an order that a test chooses."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Condition
from typing import Any, TypeVar

from sqlalchemy import Connection, event, text
from sqlalchemy.engine import ExceptionContext

from telegram_bot.storage.database import Database

T = TypeVar("T")

POLL_SECONDS = 0.01
TIMEOUT_SECONDS = 120.0


class Worker:
    """One worker's database. During an interleaving each statement and each commit waits until `step` is called."""

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.pid: int | None = None
        self.frees = False
        """Whether the next step ends a transaction and so releases its locks."""
        self.errors: list[str] = []
        """The codes of the database's errors."""
        self._changed = Condition()
        self._bound = False
        self._waiting = False
        self._may_go = False
        engine = self.database.engine

        @event.listens_for(engine, "before_cursor_execute")
        def on_statement(connection: Connection, *_: Any) -> None:
            self.frees = False
            self._arrive(connection)

        @event.listens_for(engine, "commit")
        @event.listens_for(engine, "rollback")
        def on_end(connection: Connection) -> None:
            self.frees = True
            self._arrive(connection)

        @event.listens_for(engine, "handle_error")
        def on_error(context: ExceptionContext) -> None:
            self.errors.append(str(getattr(context.original_exception, "sqlstate", None)))

    def _arrive(self, connection: Connection) -> None:
        with self._changed:
            if not self._bound:
                return
            self.pid = connection.connection.dbapi_connection.info.backend_pid  # type: ignore[union-attr]
            self._waiting = True
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._may_go, TIMEOUT_SECONDS), "never let on"
            self._may_go = self._waiting = False

    def bind(self, *, bound: bool) -> None:
        """Let each statement wait for `step`, or stop doing so."""
        self._bound = bound

    def step(self) -> None:
        """Execute one statement."""
        with self._changed:
            self._may_go = True
            self._waiting = False
            self._changed.notify_all()

    def waits(self, seconds: float) -> bool:
        """Whether the next statement waits, now or within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting and not self._may_go, seconds)

    def close(self) -> None:
        self.database.close()


def interleaved(workers: Sequence[Worker], acts: Sequence[Callable[[], Awaitable[T]]], order: Sequence[int]) -> list[T]:
    """Run the acts concurrently, one per worker; `order` chooses the next among the workers that are not blocked."""
    monitor = workers[-1].database.engine if len(workers) > len(acts) else None
    assert monitor is not None, "one worker more than acts: it watches"
    choices = iter(order)
    busy = list(workers[: len(acts)])
    for worker in busy:
        worker.bind(bound=True)
    try:
        with ThreadPoolExecutor(len(acts)) as threads, monitor.connect() as watching:
            futures: list[Future[T]] = [threads.submit(asyncio.run, _awaited(act)) for act in acts]
            running = dict(zip(busy, futures, strict=True))
            blocked: set[Worker] = set()
            deadline = time.monotonic() + TIMEOUT_SECONDS
            while running := {worker: future for worker, future in running.items() if not future.done()}:
                ready = [w for w, future in running.items() if w not in blocked and _settled(w, future, watching)]
                blocked = running.keys() - ready
                if not ready:
                    blocked = set()
                    continue
                chosen = ready[next(choices, 0) % len(ready)]
                if chosen.frees:
                    blocked = set()
                chosen.step()
                assert time.monotonic() < deadline, "no one gets on"
            return [future.result() for future in futures]
    finally:
        for worker in busy:
            worker.bind(bound=False)


async def _awaited(act: Callable[[], Awaitable[T]]) -> T:
    return await act()


def _settled(worker: Worker, future: Future[Any], watching: Connection) -> bool:
    """Wait until the worker has reached its next statement (True), or is blocked or finished (False)."""
    while not future.done():
        if worker.waits(POLL_SECONDS):
            return True
        blocking = watching.execute(text("SELECT pg_blocking_pids(:pid)"), {"pid": worker.pid or 0}).scalar_one()
        watching.rollback()
        if blocking:
            return False
    return False
