"""What was written down -> acted on once -> answered. Chats side by side, each in order."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

from telegram import Bot, Update

from telegram_bot.channels.telegram import updates
from telegram_bot.channels.telegram.sender import NAME, TelegramSender
from telegram_bot.delivery.worker import Delivery
from telegram_bot.service import intents as i
from telegram_bot.service.service import Received, Service

log = logging.getLogger(__name__)


class Inbox:
    """Handles updates that are safely stored already."""

    def __init__(self, bot: Bot, service: Service, sender: TelegramSender, delivery: Delivery) -> None:
        self.bot = bot
        self.service = service
        self.sender = sender
        self.delivery = delivery
        self._last: dict[int, asyncio.Task[None]] = {}

    async def store(self, raw: list[dict[str, Any]]) -> None:
        """Write updates down, then begin to act on those that are new."""
        arrivals = [(str(update["update_id"]), update) for update in raw]
        for received in await self.service.write_down(NAME, arrivals):
            self.begin(received)

    async def recover(self) -> None:
        """Act on what an earlier run stored and did not finish."""
        for received in await self.service.unfinished():
            if received.source == NAME:
                self.begin(received)
        await self.idle()

    async def idle(self) -> None:
        """Wait until everything begun is finished."""
        while self._last:
            await asyncio.gather(*self._last.values(), return_exceptions=True)

    def begin(self, received: Received) -> None:
        """Act on one stored update as soon as its chat's earlier ones are done."""
        try:
            update = Update.de_json(received.payload, self.bot)
        except Exception:
            log.exception("update %s cannot be read", received.cause)
            update = None
        key = 0 if update is None else updates.order_key(update)
        earlier = self._last.get(key)
        task = asyncio.create_task(self._after(earlier, received, update), name=f"update {received.cause}")
        self._last[key] = task
        task.add_done_callback(lambda done: self._last.pop(key) if self._last.get(key) is done else None)

    async def _after(self, earlier: asyncio.Task[None] | None, received: Received, update: Update | None) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        while True:
            try:
                await self._act(received, update)
            except Exception as error:
                log.exception("update %s failed", received.cause)
                if await self.service.failed(received, type(error).__name__):
                    log.error("update %s is set aside", received.cause)  # noqa: TRY400 - the trace is above
                    return
            else:
                return

    async def _act(self, received: Received, update: Update | None) -> None:
        read = None if update is None else updates.read(update, self.bot.bot)
        if read is None:
            await self.service.ignored(received)
            return
        intent = await self._looked_up(read)
        outcome = await self.service.handle(intent)
        self.delivery.wake(outcome.lanes)
        if read.query is not None and not outcome.repeated:
            await self.sender.answer(read.query, outcome.toast, intent.who.language)

    async def _looked_up(self, read: updates.Read) -> i.Intent:
        """The intent with what only Telegram can tell."""
        intent = read.intent
        if intent.where is None:
            return intent
        if read.ask_admin:
            is_admin = await self.sender.is_admin(intent.where.address, intent.who.address)
            return replace(intent, what=i.Stop(is_admin))
        if read.ask_whisper:
            return replace(intent, what=i.OpenLobby(await self.sender.can_whisper(intent.where.address)))
        return intent
