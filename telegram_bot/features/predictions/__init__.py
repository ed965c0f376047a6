"""Ghosts: people who are out or only watch guess every call, and haunt a seat after three right guesses in a row."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.predictions import ghosts, notices
from telegram_bot.features.predictions.ghosts import Prediction, ghosts_of, prophets_of, tables_guessed_at
from telegram_bot.features.predictions.notices import (
    SINCE,
    AskGhostNotice,
    GhostsNotice,
    GuessAnswerNotice,
    GuessersNotice,
    ProphetsNotice,
)
from telegram_bot.notices import BidsNotice, GameOverNotice, RevealNotice, TableNotice
from telegram_bot.operations.forget import NamingNotices
from telegram_bot.presentation.features import Extension, PagePart

_TABLE: Final = Extension(TableNotice, keys=ghosts.table_keys, acts=ghosts.round_acts)
_BIDS: Final = Extension(BidsNotice, keys=ghosts.bids_keys)
_REVEAL: Final = Extension(RevealNotice, part=ghosts_of)
_ASKED: Final = Extension(AskGhostNotice, keys=ghosts.ghost_keys)
_GAME_OVER: Final = Extension(GameOverNotice, part=prophets_of)

FEATURE: Final = Feature(
    "predictions",
    place=100,
    requests=(ghosts.GuessCall,),
    notices=(GuessAnswerNotice, GuessersNotice, AskGhostNotice, GhostsNotice, ProphetsNotice),
    extensions=(_TABLE, _BIDS, _REVEAL, _ASKED, _GAME_OVER),
    announce=ghosts.ask_ghosts,
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    lobby_options=(SINCE,),
    naming=NamingNotices(tables_guessed_at),
    rows={Prediction: "{} guess(es) about calls in games that they watched"},
)
