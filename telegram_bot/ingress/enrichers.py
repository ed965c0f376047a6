"""Look up slow facts before a step: outside any transaction, within a time limit, once.

The outcome is stored with the update. A retry, or the worker that takes over after a crash, does not ask again.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from pydantic import JsonValue

from telegram_bot.intents.intents import Intent
from telegram_bot.observability import metrics
from telegram_bot.registry import Registry
from telegram_bot.service.service import Service
from telegram_bot.storage.database import is_transient
from telegram_bot.storage.inbox_store import InboxStore, StoredUpdate

log = logging.getLogger(__name__)


class Enricher(Protocol):
    """Looks up one fact for the intents that need it."""

    @property
    def name(self) -> str:
        """The key under which the fact is stored. It must not change, because a newer version reads stored facts."""

    @property
    def seconds(self) -> float:
        """The time limit of a look-up. Afterwards it is cancelled, and the fact is unknown."""

    @property
    def intent_type(self) -> type:
        """The type of the intents that need the fact."""

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the fact, or None if it is unknown. The look-up may be cancelled at any time, and start again."""

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the intent with the fact.

        None means unknown: the step goes on, and explains what the player can do.
        """


LOOK_UPS: Final = Registry[str, Sequence[Callable[[Service], Enricher]]]("the look-ups of features")


def look_ups_of_features(service: Service) -> tuple[Enricher, ...]:
    """Return one of each enricher that features add to every channel."""
    return tuple(make(service) for makers in LOOK_UPS.values() for make in makers)


class Enrichment:
    """Adds the facts of one channel's enrichers to intents."""

    def __init__(self, inbox_store: InboxStore, enrichers: Sequence[Enricher]) -> None:
        """Raise ValueError if two enrichers have the same name."""
        if len({enricher.name for enricher in enrichers}) < len(enrichers):
            raise ValueError("two enrichers have the same name")
        self.inbox_store = inbox_store
        self.enrichers = enrichers
        for enricher in enrichers:  # every series exists from the start
            for result in ("found", "unknown", "timeout", "failed"):
                metrics.LOOK_UPS.labels(enricher.name, result)

    async def enrich(self, received: StoredUpdate, intent: Intent) -> Intent:
        """Return the update's intent with all facts that it needs. The caller must hold the claim on the update."""
        needed = [enricher for enricher in self.enrichers if isinstance(intent.request, enricher.intent_type)]
        if not needed:
            return intent
        facts = await self.inbox_store.facts_of(received)
        missing = [enricher for enricher in needed if enricher.name not in facts]
        if missing:
            found = await asyncio.gather(*(_look_up(enricher, intent) for enricher in missing))
            names = [enricher.name for enricher in missing]
            facts |= await self.inbox_store.add_facts(received, dict(zip(names, found, strict=True)))
        for enricher in needed:
            intent = enricher.add_fact(intent, facts[enricher.name])
        return intent


async def _look_up(enricher: Enricher, intent: Intent) -> JsonValue:
    """Return the fact, or None if the look-up fails or takes too long.

    Raises:
        SQLAlchemyError: the database does not answer. The update must be tried again.
    """
    fact: JsonValue = None
    with metrics.LOOK_UP_SECONDS.labels(enricher.name).time():
        try:
            async with asyncio.timeout(enricher.seconds) as limit:
                fact = await enricher.look_up(intent)
            result = "unknown" if fact is None else "found"
        except Exception as error:
            if isinstance(error, TimeoutError) and limit.expired():
                result = "timeout"
                log.warning("the look-up %s took longer than %s s", enricher.name, enricher.seconds)
            elif is_transient(error):
                raise
            else:
                result = "failed"
                log.exception("the look-up %s failed", enricher.name)
    metrics.LOOK_UPS.labels(enricher.name, result).inc()
    return fact
