"""Log what computes for long where everybody waits for it: in a callback of the event loop, or in a transaction."""

import asyncio
import logging
import time
from asyncio import Handle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from sqlmodel import Session

from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.storage.database import Database

MOST_SECONDS: Final = 0.1
"""CPU time of the thread that runs it, so that it is as long on a busy machine."""

T = TypeVar("T")
log = logging.getLogger("asyncio")


def watch_cpu() -> None:
    """Log them as errors in this process, from when the bot listens to its players."""
    listen = InboxWorker.run

    async def watched(inbox: InboxWorker) -> None:
        _watch_callbacks()
        _watch_transactions()
        await listen(inbox)

    setattr(InboxWorker, "run", watched)  # noqa: B010


def _watch_callbacks() -> None:
    run = Handle._run

    def timed(handle: Handle) -> None:
        callback = handle._callback  # type: ignore[attr-defined]
        task = getattr(callback, "__self__", None)
        with _limited(lambda: task.get_coro() if isinstance(task, asyncio.Task) else callback):
            run(handle)

    setattr(Handle, "_run", timed)  # noqa: B010 - not for mypy


def _watch_transactions() -> None:
    run = Database.run

    async def timed(database: Database, work: Callable[[Session], T]) -> T:
        def measured(session: Session) -> T:
            with _limited(lambda: work):
                return work(session)

        return await run(database, measured)

    setattr(Database, "run", timed)  # noqa: B010


@contextmanager
def _limited(what: Callable[[], Any]) -> Iterator[None]:
    began = time.thread_time()
    yield
    if (seconds := time.thread_time() - began) > MOST_SECONDS:
        log.error("computed for %.0f ms: %r", seconds * 1000, what())
