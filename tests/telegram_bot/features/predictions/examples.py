"""An example of every notice about predictions, and of every button."""

from collections.abc import Callable, Iterator

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.features.predictions.notices import (
    PredictionAnswer,
    PredictionAnswerNotice,
    Prophet,
    ProphetsNotice,
)
from telegram_bot.features.predictions.requests import PredictCall
from telegram_bot.service.notices import Notice

WISHES = tuple(PredictCall(call) for call in PredictedCall)
OUR_NAMES: dict[str, set[str]] = {}


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Each answer to each prediction, and the prophets of a game."""
    for answer in PredictionAnswer:
        for call in PredictedCall:
            yield PredictionAnswerNotice(answer=answer, call=call)
    yield ProphetsNotice(prophets=tuple(Prophet(name=name(at), right=10 - at, made=30) for at in range(3)))
