"""Doing what is due, as long as the players can be heard."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from structlog.contextvars import bind_contextvars, unbind_contextvars

from telegram_bot.observability import metrics
from telegram_bot.service.outages import MOST_DUE, Look
from telegram_bot.service.service import Service
from telegram_bot.storage.database import is_passing, log_failure

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.5
"""The longest pause between two looks."""
LEAST_SECONDS: Final = 0.02
AFTER_FAILURE_SECONDS: Final = 1.0
PAGE_PAUSE_SECONDS: Final = 0.01


class Ear(Protocol):
    """What tells whether a channel's players can be heard."""

    @property
    def hears(self) -> asyncio.Event:
        """Set while they can be, as far as anybody noticed."""

    async def sure(self) -> bool:
        """Whether that was so a moment ago; asks if need be."""


class Deadlines:
    """Sweeps the tables whose time has come."""

    def __init__(self, service: Service, wake: Callable[[Iterable[str]], None], ears: Sequence[Ear]) -> None:
        self.service = service
        self.wake = wake
        self.ears = ears

    async def run(self) -> None:
        """Sweep until cancelled."""
        fresh = True
        while True:
            for ear in self.ears:
                if not ear.hears.is_set():
                    await ear.hears.wait()
                    fresh = True
            pause = SWEEP_SECONDS
            try:
                look = await self.service.outages.look(fresh=fresh)
                fresh = False
                pause = await self._do(look)
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking for deadlines failed")
                pause = AFTER_FAILURE_SECONDS
            await asyncio.sleep(pause)

    async def _do(self, look: Look) -> float:
        """Act on what was found; returns when to look again."""
        if look.restarting:
            lanes = await self.service.outages.restart_page()
            self.wake(lanes or ())
            return SWEEP_SECONDS if lanes is None else PAGE_PAUSE_SECONDS
        if look.tables:
            for ear in self.ears:
                if not await ear.sure():
                    return SWEEP_SECONDS
        for table in look.tables:
            await self._meet(table)
        if len(look.tables) == MOST_DUE:
            return 0
        if look.next_due is None:
            return SWEEP_SECONDS
        return min(max(look.next_due - self.service.now(), LEAST_SECONDS), SWEEP_SECONDS)

    async def _meet(self, table: int) -> None:
        """Do what is due at one table; trouble there keeps no other table waiting."""
        bind_contextvars(table=table)
        try:
            outcome = await self.service.on_deadline(table)
        except Exception as error:
            if is_passing(error):
                log.warning("a deadline of table %s has to wait: %s", table, type(error).__name__)
                return
            metrics.DEADLINES.labels("failed").inc()
            log.exception("a deadline of table %s failed", table)
            with suppress(Exception):
                await self.service.postpone(table)
        else:
            metrics.DEADLINES.labels("acted").inc()
            self.wake(outcome.lanes)
        finally:
            unbind_contextvars("table")
