"""Predictions of whoever watches, in words."""

from __future__ import annotations

from telegram_bot.tables.model import PredictionsFrom
from telegram_bot.tables.views import PredictedCall
from telegram_bot.words.catalogue import Catalogue


def predicted_label(call: PredictedCall, w: Catalogue) -> str:
    """A kind of call, as on a button."""
    return {
        PredictedCall.RAISE: w.context_say("guess", "Raise"),
        PredictedCall.DUDO: w.context_say("page", "Dudo"),
        PredictedCall.CALZA: w.context_say("page", "Calza"),
    }[call]


def predictions_label(choice: PredictionsFrom, w: Catalogue) -> str:
    """From when on whoever watches may predict, as on a button."""
    return {
        PredictionsFrom.OFF: w.context_say("guesses", "No guesses"),
        PredictionsFrom.ONCE_OUT: w.context_say("guesses", "Once somebody is out"),
        PredictionsFrom.START: w.context_say("guesses", "From the start"),
    }[choice]
