"""The request for the hand of the day."""

from dataclasses import dataclass
from typing import ClassVar

from telegram_bot.service.intents import PersonIntent, TellsNothing


@dataclass(frozen=True, slots=True)
class PlayDaily(TellsNothing, PersonIntent):
    """Show the hand of the day, or decide it: `call` as `perudo_core` writes it.

    The hand is that of `day`, or today's if `day` is None. An enricher deals the hand before the request is handled.
    """

    only_asks: ClassVar[bool] = True
    day: int | None = None
    call: str | None = None
