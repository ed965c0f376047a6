"""Ghosts: people who are out or only watch guess every call, and haunt a seat after three right guesses in a row."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.predictions import keys, notices, requests
from telegram_bot.features.predictions.judging import ghosts_of, prophets_of, tables_guessed_at
from telegram_bot.features.predictions.lobby_option import SINCE
from telegram_bot.features.predictions.notices import GhostsNotice, GuessAnswerNotice, ProphetsNotice, ghosts_card
from telegram_bot.features.predictions.tables import Prediction
from telegram_bot.notices import BidsNotice, GameOverNotice, RevealNotice, TableNotice
from telegram_bot.operations.forget import NamingNotices
from telegram_bot.presentation.features import Extension, FeatureCard, PagePart, Presentation

_ANSWER: Final = Presentation(GuessAnswerNotice)
_GHOSTS: Final = Presentation(GhostsNotice, card=FeatureCard("end", ghosts_card))
_PROPHETS: Final = Presentation(ProphetsNotice)
_TABLE: Final = Extension(TableNotice, keys=keys.table_keys, acts=keys.round_acts)
_BIDS: Final = Extension(BidsNotice, keys=keys.bids_keys)
_REVEAL: Final = Extension(RevealNotice, part=ghosts_of)
_GAME_OVER: Final = Extension(GameOverNotice, part=prophets_of)

FEATURE: Final = Feature(
    "predictions",
    requests=(requests.GuessCall,),
    notices=(_ANSWER, _GHOSTS, _PROPHETS),
    extensions=(_TABLE, _BIDS, _REVEAL, _GAME_OVER),
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    lobby_options=(SINCE,),
    naming=NamingNotices(tables_guessed_at),
    rows={Prediction: "{} guess(es) about calls in games that they watched"},
)
