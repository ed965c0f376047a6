"""Predictions: spectators guess the next kind of call, and the end of the game names the best of them."""

from typing import Final

from telegram_bot.feature import Added, Feature, Told
from telegram_bot.features.predictions import handlers, keys, words
from telegram_bot.features.predictions.lobby_option import SINCE
from telegram_bot.features.predictions.notices import PredictionAnswerNotice, ProphetsNotice
from telegram_bot.features.predictions.stored import prophets_of
from telegram_bot.features.predictions.tables import CallPrediction
from telegram_bot.service.notices import BidsNotice, GameOverNotice, TableNotice

_ANSWER: Final = Told(PredictionAnswerNotice, words.answer_lines)
_PROPHETS: Final = Told(ProphetsNotice, words.prophets_lines)
_TABLE: Final = Added(TableNotice, keys=keys.table_keys)
_BIDS: Final = Added(BidsNotice, keys=keys.bids_keys)
_GAME_OVER: Final = Added(GameOverNotice, part=prophets_of)

FEATURE: Final = Feature(
    "predictions",
    requests=(handlers.PREDICT_CALL,),
    notices=(_ANSWER, _PROPHETS),
    added=(_TABLE, _BIDS, _GAME_OVER),
    lobby_options=(SINCE,),
    rows={CallPrediction: "{} prediction(s) of calls in games that they watched"},
)
