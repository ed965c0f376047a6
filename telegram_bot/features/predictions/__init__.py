"""Predictions: spectators guess the next kind of call, and the end of the game names the best of them."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.predictions import keys, requests, words
from telegram_bot.features.predictions.lobby_option import SINCE
from telegram_bot.features.predictions.notices import PredictionAnswerNotice, ProphetsNotice
from telegram_bot.features.predictions.stored import prophets_of
from telegram_bot.features.predictions.tables import CallPrediction
from telegram_bot.presentation.features import Extension, Presentation
from telegram_bot.service.notices import BidsNotice, GameOverNotice, TableNotice

_ANSWER: Final = Presentation(PredictionAnswerNotice, words.answer_lines)
_PROPHETS: Final = Presentation(ProphetsNotice, words.prophets_lines)
_TABLE: Final = Extension(TableNotice, keys=keys.table_keys)
_BIDS: Final = Extension(BidsNotice, keys=keys.bids_keys)
_GAME_OVER: Final = Extension(GameOverNotice, part=prophets_of)

FEATURE: Final = Feature(
    "predictions",
    requests=(requests.PredictCall,),
    notices=(_ANSWER, _PROPHETS),
    extensions=(_TABLE, _BIDS, _GAME_OVER),
    lobby_options=(SINCE,),
    rows={CallPrediction: "{} prediction(s) of calls in games that they watched"},
)
