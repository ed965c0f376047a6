"""The request of a spectator who predicts."""

from dataclasses import dataclass

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.service.intents import TableIntent, TellsNothing


@dataclass(frozen=True, slots=True)
class PredictCall(TellsNothing, TableIntent):
    """Predict the kind of the next call, as a spectator."""

    call: PredictedCall
