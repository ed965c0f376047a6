"""The buttons for predictions: one row below the players' buttons in the message of the round."""

from telegram_bot.channels.telegram.buttons import Rows, button
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.predictions.calls import predictable_calls
from telegram_bot.features.predictions.requests import PredictCall
from telegram_bot.features.predictions.words import call_label
from telegram_bot.service.notices import BidsNotice, TableNotice
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue


def table_keys(notice: TableNotice, w: Catalogue, _: str) -> Rows:
    """Below the message of the round, unless only one person reads it or the game is paused."""
    return [] if notice.view.paused or notice.own_chat or notice.seat is not None else _rows(notice.view, w)


def bids_keys(notice: BidsNotice, w: Catalogue, _: str) -> Rows:
    """Below other bids in the same message."""
    return [] if notice.private else _rows(notice.view, w)


def _rows(view: TableView, w: Catalogue) -> Rows:
    row = [
        button("🔮 " + call_label(call, w), data_of(PredictCall(call), view.table, view.step))
        for call in predictable_calls(view)
    ]
    return [row] if row else []
