"""Let a side process deal the hand of the day before the first player asks for it: once a day."""

import asyncio
import logging
import secrets
from typing import Final

from pydantic import JsonValue

from perudo_core import Rules
from telegram_bot.features.daily.hand import day_at, deal
from telegram_bot.features.daily.requests import SEED_KEY, PlayDaily, hand_key
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.service.intents import Intent
from telegram_bot.service.service import Service
from telegram_bot.side_process import SideProcess, SideProcessError

log = logging.getLogger(__name__)


class DailyHands:
    """Ensures that the hand of the day exists, for `PlayDaily`. The update's facts do not contain the hand."""

    name: Final = "daily_hand"
    intent_type: Final = PlayDaily
    seconds: Final = 10.0

    def __init__(self, service: Service, dealer: SideProcess[[str, int, Rules]] | None = None) -> None:
        self.service = service
        self.dealer = dealer or SideProcess(deal, seconds=8, prepare=load_rules, niceness=0)
        self._dealing = asyncio.Lock()

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the day of the hand, or None in a group, where it is not shown."""
        if intent.where is not None:
            return None
        day, key_values = day_at(self.service.now()), self.service.key_values
        async with self._dealing:
            if await key_values.get(hand_key(day)) is None:
                secret = await key_values.put_first(SEED_KEY, secrets.token_hex(16))
                try:
                    dealt = await self.dealer.ask(secret, day, self.service.config.rules)
                except SideProcessError as error:
                    log.warning("there is no hand of the day: %s", type(error).__name__)
                    return None
                await key_values.put_first(hand_key(day), dealt.decode())
        return day

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:  # noqa: ARG002 - the hand is read where it is kept
        """Return the intent unchanged."""
        return intent
