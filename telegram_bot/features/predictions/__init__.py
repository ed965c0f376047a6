"""Ghosts: people who are out or only watch guess every call, and haunt a seat after three right guesses in a row.

The best one of a game chooses a twist for the next.
"""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.predictions import ghosts, notices, twists
from telegram_bot.features.predictions.ghosts import Prediction, ghosts_of, prophets_of, tables_guessed_at
from telegram_bot.features.predictions.notices import (
    SINCE,
    AskGhostNotice,
    TwistOfferNotice,
)
from telegram_bot.notices import (
    BidsNotice,
    GameOverNotice,
    KnockedOutNotice,
    LobbyNotice,
    RevealNotice,
    StartedNotice,
    TableNotice,
)
from telegram_bot.presentation.features import Extension, PagePart
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.naming import NamingNotices
from telegram_bot.service.unit_of_work import CommittedStep


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Ask ghosts during a game, and the best one after it."""
    ghosts.ask_ghosts(outbox, committed)
    twists.follow(outbox, committed)


_TABLE: Final = Extension(TableNotice, keys=ghosts.table_keys, acts=ghosts.round_acts)
_BIDS: Final = Extension(BidsNotice, keys=ghosts.bids_keys)
_REVEAL: Final = Extension(RevealNotice, part=ghosts_of)
_ASKED: Final = Extension(AskGhostNotice, keys=ghosts.ghost_keys)
_GAME_OVER: Final = Extension(GameOverNotice, part=prophets_of)
_OUT: Final = Extension(KnockedOutNotice, lines=notices.out_lines)
_OFFER: Final = Extension(TwistOfferNotice, keys=twists.offer_keys)
_LOBBY: Final = Extension(LobbyNotice, lines=notices.twist_lines, keys=twists.lobby_keys, acts=twists.lobby_acts)
_STARTED: Final = Extension(StartedNotice, lines=notices.twist_lines)

FEATURE: Final = Feature(
    "predictions",
    place=100,
    requests=(ghosts.GuessCall, twists.ChooseTwist, twists.RefuseTwist),
    extensions=(_TABLE, _OUT, _BIDS, _REVEAL, _ASKED, _GAME_OVER, _OFFER, _LOBBY, _STARTED),
    announce=follow,
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    lobby_options=(SINCE,),
    naming=NamingNotices(tables_guessed_at),
    rows={Prediction: "{} guess(es) about calls in games that they watched"},
    prune=twists.prune,
)
