"""The keys for guesses: one row below the players' buttons in the message of the round, and on pages."""

from telegram_bot.features.predictions.guesses import Guess, has_ghosts
from telegram_bot.features.predictions.lobby_option import are_asked_in_chats
from telegram_bot.features.predictions.notices import guess_label
from telegram_bot.features.predictions.requests import GuessCall
from telegram_bot.notices import BidsNotice, TableNotice
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue


def table_keys(notice: TableNotice, w: Catalogue) -> Keys:
    """Below the message of the round, unless only one person reads it or the game is paused."""
    return [] if notice.view.paused or notice.own_chat or notice.seat is not None else _rows(notice.view, w)


def bids_keys(notice: BidsNotice, w: Catalogue) -> Keys:
    """Below other bids in the same message."""
    return [] if notice.private else _rows(notice.view, w)


def round_acts(notice: TableNotice, w: Catalogue) -> list[Key]:
    """On pages, which show them to readers without dice once there is a bid."""
    return _keys(w) if has_ghosts(notice.view) else []


def _rows(view: TableView, w: Catalogue) -> Keys:
    all_in_play = not any(seat.out for seat in view.seats)
    asks = has_ghosts(view) and are_asked_in_chats(view.options, all_in_play=all_in_play)
    return [_keys(w)] if asks and view.standing is not None else []


def _keys(w: Catalogue) -> list[Key]:
    return [Key(guess_label(guess, w), GuessCall(guess), sign="👻") for guess in Guess]
