"""Have the hand of the day dealt by a side process before somebody sees it: once a day, for all who ask."""

import asyncio
import logging
import secrets
from typing import Final

from pydantic import JsonValue

from perudo_core import Rules
from telegram_bot.ingress.computations import load_rules
from telegram_bot.service.handlers.daily import SEED_KEY, hand_key
from telegram_bot.service.intents import Intent, PlayDaily
from telegram_bot.service.service import Service
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.tables.daily_hand import day_at, deal

log = logging.getLogger(__name__)


class DailyHands:
    """Sees to it that there is a hand of the day, for `PlayDaily`. What is in it stays out of the update's facts."""

    name: Final = "daily_hand"
    intent_type: Final = PlayDaily
    seconds: Final = 10.0

    def __init__(self, service: Service, dealer: SideProcess[[str, int, Rules]] | None = None) -> None:
        self.service = service
        self.dealer = dealer or SideProcess(deal, seconds=8, prepare=load_rules, niceness=0)
        self._dealing = asyncio.Lock()

    async def look_up(self, intent: Intent) -> JsonValue:
        """The day whose hand there is; None in a group, where nobody sees it."""
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
        """The intent as it is."""
        return intent
