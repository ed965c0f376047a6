"""Turn stored updates into intents, handle them, and answer taps."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from telegram import Bot
from telegram.error import TelegramError

from telegram_bot.channels.telegram import NAME, updates
from telegram_bot.channels.telegram.enrichers import all_enrichers
from telegram_bot.channels.telegram.heard_notes import VoiceRecognition
from telegram_bot.channels.telegram.received import Update
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.intents.intents import Intent, Place, VoiceNote
from telegram_bot.notices import RejectionNotice
from telegram_bot.observability import metrics
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.storage.database import in_background
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.events import RejectionReason

log = logging.getLogger(__name__)

REMEMBERED_SECONDS: Final = 600.0
"""How long a message counts for the difference of the clocks; afterwards one of them may have been set."""
NAME_SECONDS: Final = 60.0
"""The shortest pause between two looks for the bot's own username, which its owner may change in BotFather."""
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
        self._name_asked_at = float("-inf")
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

    def admit(self, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Return the parts of an update that the bot reads; see `Source.admit`."""
        update = Update.read(payload)
        gate = self.service.quota_gate
        if gate.mutes_anybody:
            intent = updates.parse_update(update, self.bot.bot, self.service.config)
            if intent is not None and gate.is_muted(intent):
                return None
        return update.as_stored

    def job_for(self, received: StoredUpdate) -> UpdateJob:
        """Return the job for an update."""
        update = Update.read(received.payload)
        place = None if update.message is None else updates.place_of(update.message)
        return UpdateJob(self, received, self.intent_of(update), place, updates.order_key(update), update)

    def intent_of(self, update: Update) -> Intent | None:
        """Return the intent of an update that arrives now."""
        intent = updates.parse_update(update, self.bot.bot, self.service.config)
        if intent is None or intent.said_at is None:
            return intent
        return replace(intent, said_at=self.clock_offset.to_own_clock(intent.said_at))

    async def learn_name(self) -> None:
        """Ask Telegram for the bot's username, unless this was done a moment ago."""
        now = time.monotonic()
        if now - self._name_asked_at >= NAME_SECONDS:
            self._name_asked_at = now
            try:
                await self.bot.get_me()
            except TelegramError as error:
                log.info("the bot's name could not be looked up: %s", type(error).__name__)

    async def give_up(self, received: StoredUpdate) -> None:
        """Answer the tap with an apology, which ends the button's progress bar."""
        query = received.payload.get("callback_query")
        if isinstance(query, dict) and isinstance(query.get("id"), str):
            sorry = RejectionNotice(reason=RejectionReason.TROUBLE)
            await self.sender.answer(query["id"], sorry, _language(query))


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
    update: Update
    result: HandleResult | None = None
    begun: float = field(default_factory=time.perf_counter)

    async def act(self) -> Iterable[LaneName]:
        """Handle the update's intent."""
        if self.intent is None and updates.names_another_bot(self.update, self.source.bot.bot):
            await self.source.learn_name()
            self.intent = self.source.intent_of(self.update)
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
        query = None if self.intent is None else self.intent.reply_handle
        result = self.result
        if query is not None and result is not None and not result.repeated and not result.ignored:
            await self.source.sender.answer(query, result.toast, result.language, result.dice_style)
            metrics.TAP_SECONDS.observe(time.perf_counter() - self.begun)


def _language(query: dict[str, Any]) -> str | None:
    sender = query.get("from")
    code = sender.get("language_code") if isinstance(sender, dict) else None
    return code if isinstance(code, str) else None
