"""The request of a spectator who predicts."""

from dataclasses import dataclass

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.service.intents import TableIntent


@dataclass(frozen=True, slots=True)
class PredictCall(TableIntent):
    """Predict the kind of the next call, as a spectator."""

    call: PredictedCall
