"""Have rounds judged by another process, one after the other, and hand in what it found like anybody's intent."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Iterable
from typing import Final

from pydantic import TypeAdapter, ValidationError

from telegram_bot.ingress.coach import ask_program
from telegram_bot.ingress.keyed_tasks import KeyedTasks
from telegram_bot.service.computer_requests import RoundToReview
from telegram_bot.service.intents import RoundReviewed
from telegram_bot.service.service import Service
from telegram_bot.storage.database import log_failure
from telegram_bot.tables.advice import JudgedDecision

log = logging.getLogger(__name__)

PROGRAM: Final = "telegram_bot.ingress.reviewing_program"
_JUDGED: Final = TypeAdapter(tuple[JudgedDecision, ...])


class Reviewer:
    """Has rounds judged beside the event loop. What fails, or takes too long, is not told."""

    def __init__(
        self,
        service: Service,
        wake: Callable[[Iterable[str]], None],
        *,
        seconds: float = 20.0,
        most_waiting: int = 8,
        program: str = PROGRAM,
    ) -> None:
        """`seconds`: for one round, less than a table's lease, the wait for its turn included."""
        self.service = service
        self.wake = wake
        self._seconds = seconds
        self._most_waiting = most_waiting
        self._program = program
        self._turn = asyncio.Lock()
        self._running = KeyedTasks()

    def begin(self, review: RoundToReview) -> None:
        """Have a round judged, unless that is under way already."""
        key = (review.table, review.round)
        self._running.begin(key, lambda: self.review(review), name=f"review of table {review.table}")

    async def close(self) -> None:
        """Give up what is being judged: another worker takes it over, or this one when it runs again."""
        await self._running.cancel()

    async def review(self, review: RoundToReview) -> None:
        """Have a round judged, and hand in what was found."""
        judged = await self._judge(review)
        try:
            result = await self.service.handle(RoundReviewed(review.table, review.round, review.wild_by, judged))
        except Exception as error:  # noqa: BLE001 - the round is judged again when the lease ends
            log_failure(log, error, "what the coach found could not be told")
            return
        self.wake(result.lanes)

    async def _judge(self, review: RoundToReview) -> tuple[JudgedDecision, ...]:
        """What was found in time; nothing else."""
        if len(self._running) > self._most_waiting:
            log.warning("too many rounds wait to be judged", extra={"table": review.table})
            return ()
        question = pickle.dumps([tuple(each) for each in review.decisions])
        try:
            async with asyncio.timeout(self._seconds), self._turn:
                return _JUDGED.validate_json(await ask_program(self._program, question))
        except (TimeoutError, OSError, ValidationError) as error:
            log.warning("a round is not judged: %s", type(error).__name__, extra={"table": review.table})
            return ()
