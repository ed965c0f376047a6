"""Turn stored updates into intents, handle them, and answer taps."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from telegram import Bot, Update

from telegram_bot.channels.telegram import NAME, updates
from telegram_bot.channels.telegram.enrichers import all_enrichers
from telegram_bot.channels.telegram.heard_notes import VoiceRecognition
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.observability import metrics
from telegram_bot.service.intents import Intent, Place, VoiceNote
from telegram_bot.service.notices import RejectionNotice
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.storage.database import in_background
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.events import RejectionReason

log = logging.getLogger(__name__)

REMEMBERED_SECONDS: Final = 600.0
"""How long a message counts for the difference of the clocks; afterwards one of them may have been set."""
REMEMBERED: Final = 100
REMEMBERED_GROUPS: Final = 10_000
_INSTANCE: Final = "chat_instance:"
MOST_SECONDS: Final = 30.0
"""A larger difference means that all recent messages have waited for the bot."""


class TelegramSource:
    """Makes jobs of stored updates."""

    name = NAME

    def __init__(
        self, bot: Bot, service: Service, sender: TelegramSender, hearing: VoiceRecognition | None = None
    ) -> None:
        """`hearing`: the recognition of voice notes, or None if it is off."""
        self.bot = bot
        self.service = service
        self.sender = sender
        self.clock_offset = ClockOffset(service.now)
        self._instances: dict[int, str] = {}
        """The stored second numbers of groups, to store each once."""
        self.enrichment = Enrichment(service.inbox_store, all_enrichers(sender, service, hearing))

    async def learn_instance(self, payload: dict[str, Any], group: Place | None) -> None:
        """Store the second number of a group's chat: taps there have it, and the Mini App that a link there opens."""
        tap = payload.get("callback_query")
        instance = tap.get("chat_instance") if isinstance(tap, dict) else None
        if group is None or not isinstance(instance, str) or self._instances.get(group.address) == instance:
            return
        await self.service.key_values.put(f"{_INSTANCE}{group.address}", instance)
        if len(self._instances) >= REMEMBERED_GROUPS:
            self._instances.clear()
        self._instances[group.address] = instance

    async def is_in_group(self, group: int, user: int, instance: str) -> bool:
        """Return True if Telegram says that a person is in a group, or does not tell and has signed a link of it.

        `instance`: the second number of the chat with that link, or "".
        """
        known = await self.sender.is_member(group, user)
        if known is None and instance:
            return instance == await self.service.key_values.get(f"{_INSTANCE}{group}")
        return known is True

    def ignores(self, payload: dict[str, Any]) -> bool:
        """Return True if the update's sender has exceeded a quota and is ignored for some seconds."""
        gate = self.service.quota_gate
        if not gate.mutes_anybody:
            return False
        try:
            intent = updates.parse_update(Update.de_json(payload, self.bot), self.bot.bot, self.service.config)
        except Exception:  # noqa: BLE001 - `job_for` logs it
            return False
        return intent is not None and gate.is_muted(intent)

    def job_for(self, received: StoredUpdate) -> UpdateJob:
        """Return the job for an update; the job of a malformed update does nothing."""
        place = None
        try:
            update = Update.de_json(received.payload, self.bot)
            intent = updates.parse_update(update, self.bot.bot, self.service.config)
            key = updates.order_key(update)
            place = None if update.message is None else updates.place_of(update.message)
        except Exception as error:  # noqa: BLE001 - a malformed update must not block later ones
            log.error("update %s cannot be read: %s", received.cause, type(error).__name__)  # noqa: TRY400 - it may quote
            intent, key = None, 0
        if intent is not None and intent.said_at is not None:
            intent = replace(intent, said_at=self.clock_offset.to_own_clock(intent.said_at))
        return UpdateJob(self, received, intent, place, key)


class ClockOffset:
    """The difference between this installation's clock and Telegram's, which dates messages in whole seconds.

    It follows from the delays of recent messages. The smallest delay is that of a message that arrived without delay.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._measured: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)
        """The arrival time of a message, and its delay after Telegram's time of the message."""

    def to_own_clock(self, sent_at: float) -> float:
        """Return the sending time of a message that arrives now, by this installation's clock."""
        now = self.now()
        while self._measured and self._measured[0][0] < now - REMEMBERED_SECONDS:
            self._measured.popleft()
        self._measured.append((now, now - sent_at))
        ahead = min(later for _, later in self._measured)
        return sent_at + max(-MOST_SECONDS, min(ahead, MOST_SECONDS))


@dataclass(slots=True)
class UpdateJob:
    """One update to handle."""

    source: TelegramSource
    received: StoredUpdate
    intent: Intent | None
    place: Place | None
    order_key: Hashable
    result: HandleResult | None = None
    begun: float = field(default_factory=time.perf_counter)

    async def act(self) -> Iterable[LaneName]:
        """Handle the update's intent."""
        if self.intent is None or self.source.service.quota_gate.is_muted(self.intent):
            await self.source.service.ignore(self.received, self.place)
            return ()
        if isinstance(self.intent.request, VoiceNote):
            in_background.set(True)
        await self.source.learn_instance(self.received.payload, self.intent.where)
        intent = await self.source.enrichment.enrich(self.received, self.intent)
        self.result = await self.source.service.handle(intent)
        return self.result.lanes

    async def answer(self) -> None:
        """Answer the tap, unless it was answered when the update was first handled."""
        if self.intent is None:
            await self.give_up()
            return
        query, result = self.intent.reply_handle, self.result
        if query is not None and result is not None and not result.repeated and not result.ignored:
            await self.source.sender.answer(query, result.toast, result.language, result.dice_style)
            metrics.TAP_SECONDS.observe(time.perf_counter() - self.begun)

    async def give_up(self) -> None:
        """Answer the tap with an apology, which ends the button's progress bar."""
        query = self.received.payload.get("callback_query")
        if isinstance(query, dict) and isinstance(query.get("id"), str):
            sorry = RejectionNotice(reason=RejectionReason.TROUBLE)
            await self.source.sender.answer(query["id"], sorry, _language(query))


def _language(query: dict[str, Any]) -> str | None:
    sender = query.get("from")
    code = sender.get("language_code") if isinstance(sender, dict) else None
    return code if isinstance(code, str) else None
