"""Run pruning every hour, in one of the workers."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from telegram_bot.operations.pruning import Pruning
from telegram_bot.service.service import Service
from telegram_bot.storage.database import log_failure

log = logging.getLogger(__name__)

EVERY_SECONDS: Final = 3600.0
LOOK_SECONDS: Final = 60.0
NOTE: Final = "pruned"


class Housekeeping:
    """Prunes every hour."""

    def __init__(self, service: Service, *, keep_games_days: int) -> None:
        self.notes = service.key_values
        self.pruning = Pruning(service.database, service.now, keep_games_days=keep_games_days, config=service.config)

    async def run(self) -> None:
        """Prune when an hour has passed, until cancelled."""
        while True:
            try:
                if await self.notes.claim(NOTE, EVERY_SECONDS):
                    await self.pruning.run()
            except Exception as error:  # noqa: BLE001 - there is another hour
                log_failure(log, error, "pruning failed")
            await asyncio.sleep(LOOK_SECONDS)
