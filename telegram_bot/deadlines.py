"""Doing what is due, as long as the players can be heard."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final

from structlog.contextvars import bind_contextvars, unbind_contextvars

from telegram_bot import metrics
from telegram_bot.service.service import Service

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 10.0
PRUNE_SECONDS: Final = 3600.0


class Deadlines:
    """Sweeps the tables whose time has come."""

    def __init__(self, service: Service, wake: Callable[[Iterable[str]], None], hears: Sequence[asyncio.Event]) -> None:
        self.service = service
        self.wake = wake
        self.hears = hears

    async def run(self) -> None:
        """Sweep until cancelled."""
        beat = pruned = float("-inf")
        while True:
            for heard in self.hears:
                await heard.wait()
            try:
                for table in await self.service.due_tables():
                    await self._meet(table)
                if time.monotonic() - pruned >= PRUNE_SECONDS:
                    pruned = time.monotonic()
                    await self.service.prune()
                if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                    beat = time.monotonic()
                    await self.service.heartbeat()
            except Exception:
                log.exception("looking for deadlines failed")
            await asyncio.sleep(SWEEP_SECONDS)

    async def _meet(self, table: int) -> None:
        """Do what is due at one table; trouble there keeps no other table waiting."""
        bind_contextvars(table=table)
        try:
            outcome = await self.service.on_deadline(table)
        except Exception:
            metrics.DEADLINES.labels("failed").inc()
            log.exception("a deadline of table %s failed", table)
            with suppress(Exception):
                await self.service.postpone(table)
        else:
            metrics.DEADLINES.labels("acted").inc()
            self.wake(outcome.lanes)
        finally:
            unbind_contextvars("table")
