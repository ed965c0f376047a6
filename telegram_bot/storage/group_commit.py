"""Group commit: write several waiting transactions to the disk in one commit.

A commit takes the disk several milliseconds, the work in it a fraction of one, and one process plays. Therefore the
transactions that arrive while the disk is busy run one after another, each but the first in a savepoint, within
one common transaction. Each caller learns of success only after the common commit.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.orm.session import JoinTransactionMode
from sqlmodel import Session

from telegram_bot.storage.session import TransactionSession

T = TypeVar("T")

MAX_TRANSACTIONS: Final = 64
MAX_WAIT_SECONDS: Final = 0.02
"""How long the first transaction waits for others to join."""


@dataclass(slots=True)
class _Job:
    work: Callable[[Session], Any]
    future: Future[Any]
    result: Any = None
    error: BaseException | None = None


class GroupCommit:
    """One thread that runs transactions in the order of their submission."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: SimpleQueue[_Job | None] = SimpleQueue()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="database", daemon=True)
        self._start = threading.Lock()

    def submit(self, work: Callable[[Session], T]) -> Future[T]:
        """Run `work` in a transaction. The future is done when it is committed, or rolled back by its own error."""
        if self._closing:
            raise RuntimeError("the database is closed")
        future: Future[T] = Future()
        self._waiting.put(_Job(work, future))
        with self._start:
            if self._thread.ident is None:
                self._thread.start()
        return future

    def close(self) -> None:
        """Finish the submitted transactions, then stop."""
        self._closing = True
        self._waiting.put(None)
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while (job := self._waiting.get()) is not None:
            if job.future.set_running_or_notify_cancel():
                self._together(job)

    def _together(self, first: _Job) -> None:
        jobs = [first]
        try:
            with self._engine.connect() as connection, connection.begin():
                _do(connection, first, "rollback_only")
                until = time.monotonic() + MAX_WAIT_SECONDS
                while len(jobs) < MAX_TRANSACTIONS and time.monotonic() < until:
                    job = self._next()
                    if job is None:
                        break
                    jobs.append(job)
                    try:
                        _do(connection, job, "create_savepoint")
                    except Exception as error:
                        job.error = error
                        if connection.invalidated:
                            raise
        except BaseException as error:  # noqa: BLE001 - every waiting caller gets the error
            if jobs[-1].error is error:  # it has ended the connection, and with it the transaction of the others
                jobs.pop().future.set_exception(error)
                for job in jobs:
                    self._together(job)
                return
            for job in jobs:
                job.future.set_exception(job.error or error)
            return
        for job in jobs:
            if job.error is None:
                job.future.set_result(job.result)
            else:
                job.future.set_exception(job.error)

    def _next(self) -> _Job | None:
        """Return the next waiting job, or None if there is none, or after `close`, whose mark stays in the queue."""
        with suppress(Empty):
            while True:
                job = self._waiting.get_nowait()
                if job is None:
                    self._waiting.put(None)
                    return None
                if job.future.set_running_or_notify_cancel():
                    return job
        return None


def _do(connection: Connection, job: _Job, mode: JoinTransactionMode) -> None:
    """Run one job in the common transaction. A failed job is rolled back; a failed first job ends the transaction."""
    with (
        TransactionSession(connection, expire_on_commit=False, join_transaction_mode=mode) as session,
        session.begin(),
    ):
        job.result = job.work(session)
