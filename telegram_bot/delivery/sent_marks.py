"""Mark sent notices and give their lanes back, several in one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlmodel import Session

from telegram_bot.delivery import lanes, outbox
from telegram_bot.delivery.outbox import OutboxItem
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.service.intents import SystemIntent
from telegram_bot.service.service import Service

EDIT_SECONDS: Final = 0.05
"""How long the mark of an edit waits for others. If the process dies meanwhile, the edit is repeated; nobody sees that.
A new message would be seen twice, so it is marked at once."""


@dataclass(slots=True)
class _Mark:
    item: OutboxItem
    sent: SendResult
    intents: tuple[SystemIntent, ...]
    at: float
    given_back: asyncio.Future[bool]


class SendConfirmations:
    """One channel's sent notices that are about to be marked."""

    def __init__(self, service: Service, channel: Sender, now: Callable[[], float], holder: str) -> None:
        self.service = service
        self.channel = channel
        self.now = now
        self.holder = holder
        self._waiting: deque[_Mark] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def mark(
        self, item: OutboxItem, sent: SendResult, intents: tuple[SystemIntent, ...], *, at_once: bool
    ) -> bool:
        """Mark a notice, which was the last of its lane when it was taken; whether the lane was given back.

        The lane is kept if something else waits in it by now. Raises what the transaction raised.
        """
        loop = asyncio.get_running_loop()
        mark = _Mark(item, sent, intents, self.now(), loop.create_future())
        self._waiting.append(mark)
        if at_once or not item.is_edit:
            self.flush()
        else:
            loop.call_later(EDIT_SECONDS, self.flush)
        return await mark.given_back

    def flush(self) -> None:
        """Wait no longer for others."""
        if self._waiting:
            task = asyncio.create_task(self._commit(), name="sent marks")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _commit(self) -> None:
        batch: list[_Mark] = []
        try:
            given_back = await self.service.database.run(lambda session: self._write(session, batch))
        except Exception as error:  # noqa: BLE001 - each lane handles it
            for mark in batch:
                if not mark.given_back.done():
                    mark.given_back.set_exception(error)
            return
        for mark in batch:
            if not mark.given_back.done():
                mark.given_back.set_result(mark.item.lane.name in given_back)

    def _write(self, session: Session, batch: list[_Mark]) -> set[str]:
        """The transaction; it takes what waits when it begins, and the same again if it has to be repeated."""
        while self._waiting:
            batch.append(self._waiting.popleft())
        if not batch:
            return set()
        outbox.mark_all_sent(session, [(mark.item, mark.sent, mark.at) for mark in batch])
        for intent in (intent for mark in batch for intent in mark.intents):
            self.service.handle_within(session, intent)
        names = [mark.item.lane.name for mark in batch]
        return lanes.give_back_empty(session, names, self.channel.limits, self.holder, self.now())
