"""The button that asks for a hint, in chats and on pages, and the button with the advised call."""

from telegram_bot.channels.telegram.buttons import PRIMARY, Rows, button
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.channels.telegram.keyboards import typed_request
from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.notices import CoachNotice
from telegram_bot.features.coach.requests import AskCoach
from telegram_bot.service.notices import BidsNotice, HandNotice, TableNotice
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label


def hint_keys(notice: CoachNotice, w: Catalogue) -> Rows:
    """Below a hint: the advised call."""
    call = notice.advice.best.call
    label = call_label(call, w, notice.wild_by)
    return [[button(label, data_of(typed_request(call), notice.table, notice.step), PRIMARY)]]


def hand_keys(notice: HandNotice, w: Catalogue, _: str) -> Rows:
    """Below the private buttons of the player on turn."""
    return _rows(notice.view.table, w) if notice.view.on_turn else []


def bids_keys(notice: BidsNotice, w: Catalogue, _: str) -> Rows:
    """Below other bids in the same private message."""
    return _rows(notice.view, w) if notice.private else []


def round_acts(notice: TableNotice, w: Catalogue) -> dict[str, str]:
    """Below the buttons of the player on turn on pages."""
    return {"coach": w.say("Hint")} if are_allowed(notice.view) else {}


def _rows(view: TableView, w: Catalogue) -> Rows:
    asks = button("💡 " + w.say("What would you do?"), data_of(AskCoach(), view.table, view.step))
    return [[asks]] if are_allowed(view) else []
