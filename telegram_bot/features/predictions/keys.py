"""The buttons for predictions: one row below the players' buttons in the message of the round."""

from telegram_bot.features.predictions.calls import predictable_calls
from telegram_bot.features.predictions.requests import PredictCall
from telegram_bot.features.predictions.words import call_label
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.service.notices import BidsNotice, TableNotice
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue


def table_keys(notice: TableNotice, w: Catalogue) -> Keys:
    """Below the message of the round, unless only one person reads it or the game is paused."""
    return [] if notice.view.paused or notice.own_chat or notice.seat is not None else _rows(notice.view, w)


def bids_keys(notice: BidsNotice, w: Catalogue) -> Keys:
    """Below other bids in the same message."""
    return [] if notice.private else _rows(notice.view, w)


def _rows(view: TableView, w: Catalogue) -> Keys:
    row = [Key(call_label(call, w), PredictCall(call), sign="🔮") for call in predictable_calls(view)]
    return [row] if row else []
