"""The notices about predictions: the answer to a spectator, and the best spectators of a game."""

from enum import StrEnum
from typing import Literal

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.service.notices import FeatureNotice, FeatureToast
from telegram_bot.tables.model import FrozenModel


class PredictionAnswer(StrEnum):
    """The answers to a prediction."""

    STORED = "stored"
    LATE = "late"
    PLAYING = "playing"
    """Players with dice predict nothing."""


class PredictionAnswerNotice(FeatureToast):
    """Answers a spectator's prediction."""

    kind: Literal["prediction_answer"] = "prediction_answer"
    answer: PredictionAnswer
    call: PredictedCall


class Prophet(FrozenModel):
    """A spectator's number of right predictions."""

    name: str
    right: int
    made: int


class ProphetsNotice(FeatureNotice):
    """The best spectators of a game by their predictions, the best first."""

    kind: Literal["prophets"] = "prophets"
    prophets: tuple[Prophet, ...]
