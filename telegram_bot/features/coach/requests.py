"""The request for a hint."""

from dataclasses import dataclass
from typing import ClassVar

from telegram_bot.features.coach.judgement import Advice
from telegram_bot.service.intents import TableIntent


@dataclass(frozen=True, slots=True)
class AskCoach(TableIntent):
    """Ask for the coach's call on my turn."""

    takes_seconds: ClassVar[bool] = True

    advice: Advice | None = None
    """The advice from an enricher, or None if there is none."""
