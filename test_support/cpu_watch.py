"""Log long computations for which every player waits: in a callback of the event loop, or in a transaction."""

import asyncio
import logging
import time
from asyncio import Handle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from sqlmodel import Session

from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.storage.database import Database

CALLBACK_SECONDS: Final = 0.1
TRANSACTION_SECONDS: Final = 0.25
"""CPU time of the thread, without its waiting; on a virtual machine it has the time that the host gives to others. A
transaction runs outside the event loop, so it may take longer; the first of its kind also compiles its statements."""
LONG: Final = r"computed for \d{3,} ms: (\S+)"

T = TypeVar("T")
log = logging.getLogger("asyncio")


def watch_cpu() -> None:
    """Log the functions that compute for long as errors, from the moment at which this process accepts updates."""
    listen, call, run = InboxWorker.run, Handle._run, Database.run

    async def watched(inbox: InboxWorker) -> None:
        change(Handle, "_run", timed_call)
        change(Database, "run", timed_run)
        await listen(inbox)

    def timed_call(handle: Handle) -> None:
        callback = handle._callback  # type: ignore[attr-defined]
        task = getattr(callback, "__self__", None)
        with _timed(CALLBACK_SECONDS, task.get_coro() if isinstance(task, asyncio.Task) else callback):
            call(handle)

    async def timed_run(database: Database, work: Callable[[Session], T]) -> T:
        def measured(session: Session) -> T:
            with _timed(TRANSACTION_SECONDS, work):
                return work(session)

        return await run(database, measured)

    change = setattr  # not for mypy
    change(InboxWorker, "run", watched)


@contextmanager
def _timed(most: float, what: object) -> Iterator[None]:
    """Log a computation of this thread that took too long."""
    began = time.thread_time()
    try:
        yield
    finally:
        if (seconds := time.thread_time() - began) > most:
            name = getattr(getattr(what, "func", what), "__qualname__", type(what).__name__)
            log.error("computed for %.0f ms: %s", seconds * 1000, name)
