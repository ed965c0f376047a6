"""Find and handle tables with a due deadline, while players can reach the bot."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from structlog.contextvars import bind_contextvars, unbind_contextvars

from telegram_bot.intents.intents import DeadlineReached, OutageEnded
from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.service.computer_requests import CallRequest, Computation
from telegram_bot.service.outages import MOST_DUE, DueTables
from telegram_bot.service.service import Service
from telegram_bot.storage.database import is_transient, log_failure, reason
from telegram_bot.storage.models import LaneName

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 0.5
"""The longest pause between two queries for due tables."""
MIN_SWEEP_SECONDS: Final = 0.02
AFTER_FAILURE_SECONDS: Final = 1.0
BATCH_PAUSE_SECONDS: Final = 0.01


class Reachability(Protocol):
    """The part of a channel that knows whether players can reach the bot."""

    @property
    def reachable(self) -> asyncio.Event:
        """Set while players can reach the bot, as far as the channel knows."""

    async def confirm_reachable(self) -> bool:
        """Return True if players could reach the bot a moment ago; asks the messenger if necessary."""


class DeadlineWorker:
    """Handles tables with a due deadline."""

    def __init__(
        self,
        service: Service,
        wake: Callable[[Iterable[LaneName]], None],
        channels: Sequence[Reachability],
        think: Callable[[CallRequest], None],
        compute: Callable[[Computation], None],
    ) -> None:
        self.service = service
        self.wake = wake
        self.channels = channels
        self.think = think
        self.compute = compute
        self._troubles = LogThrottle()

    async def run(self) -> None:
        """Handle due tables until cancelled."""
        fresh = True
        while True:
            for channel in self.channels:
                if not channel.reachable.is_set():
                    await channel.reachable.wait()
                    fresh = True
            pause = SWEEP_SECONDS
            try:
                due = await self.service.outages.find_due(fresh=fresh)
                fresh = False
                pause = await self._handle_due(due)
            except Exception as error:  # noqa: BLE001 - the next look may go better
                log_failure(log, error, "looking for deadlines failed", throttle=self._troubles)
                pause = AFTER_FAILURE_SECONDS
            await asyncio.sleep(pause)

    async def _handle_due(self, due: DueTables) -> float:
        """Handle these tables; return the time of the next query."""
        if due.restarting:
            result = await self.service.handle(OutageEnded())
            self.wake(result.lanes)
            return SWEEP_SECONDS if result.skipped else BATCH_PAUSE_SECONDS
        if due.tables:
            for channel in self.channels:
                if not await channel.confirm_reachable():
                    return SWEEP_SECONDS
        for table in due.tables:
            await self._handle_one(table)
        if len(due.tables) == MOST_DUE:
            return 0
        if due.next_due is None:
            return SWEEP_SECONDS
        return min(max(due.next_due - self.service.now(), MIN_SWEEP_SECONDS), SWEEP_SECONDS)

    async def _handle_one(self, table: int) -> None:
        """Handle one table's deadline. An error there does not affect other tables."""
        bind_contextvars(table=table)
        try:
            result = await self.service.handle(DeadlineReached(table))
        except Exception as error:
            if is_transient(error):
                log.warning("a deadline of table %s has to wait: %s", table, reason(error))
                return
            metrics.DEADLINES.labels("failed").inc()
            log.exception("a deadline of table %s failed", table)
            with suppress(Exception):
                await self.service.postpone(table)
        else:
            metrics.DEADLINES.labels("acted").inc()
            self.wake(result.lanes)
            for request in result.call_requests:
                self.think(request)
            for computation in result.computations:
                self.compute(computation)
        finally:
            unbind_contextvars("table")
