"""Intents about predictions of whoever watches a game."""

from __future__ import annotations

from dataclasses import dataclass

from telegram_bot.tables.model import PredictionsFrom
from telegram_bot.tables.views import PredictedCall


@dataclass(frozen=True, slots=True)
class ChoosePredictions:
    """Set from when on whoever watches may predict the next call."""

    choice: PredictionsFrom


@dataclass(frozen=True, slots=True)
class PredictCall:
    """I watch, and expect this kind of call next."""

    call: PredictedCall
