"""Log long computations for which every player waits: in a callback of the event loop, or in a transaction."""

import asyncio
import logging
import time
from asyncio import Handle
from collections.abc import Callable
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
    listen = InboxWorker.run

    async def watched(inbox: InboxWorker) -> None:
        _watch_callbacks()
        _watch_transactions()
        await listen(inbox)

    setattr(InboxWorker, "run", watched)  # noqa: B010


def _watch_callbacks() -> None:
    run = Handle._run

    def timed(handle: Handle) -> None:
        began, callback = time.thread_time(), handle._callback  # type: ignore[attr-defined]
        task = getattr(callback, "__self__", None)
        run(handle)
        _complain(began, CALLBACK_SECONDS, task.get_coro() if isinstance(task, asyncio.Task) else callback)

    setattr(Handle, "_run", timed)  # noqa: B010 - not for mypy


def _watch_transactions() -> None:
    run = Database.run

    async def timed(database: Database, work: Callable[[Session], T]) -> T:
        def measured(session: Session) -> T:
            began = time.thread_time()
            try:
                return work(session)
            finally:
                _complain(began, TRANSACTION_SECONDS, work)

        return await run(database, measured)

    setattr(Database, "run", timed)  # noqa: B010


def _complain(began: float, most: float, what: object) -> None:
    """Log a computation of this thread that took too long."""
    if (seconds := time.thread_time() - began) > most:
        name = getattr(getattr(what, "func", what), "__qualname__", type(what).__name__)
        log.error("computed for %.0f ms: %s", seconds * 1000, name)
