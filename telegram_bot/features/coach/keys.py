"""The button that asks for a hint, in chats and on pages, and the button with the advised call."""

from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.notices import CoachNotice
from telegram_bot.features.coach.requests import AskCoach
from telegram_bot.notices import BidsNotice, HandNotice, TableNotice
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.service.requests import typed_request
from telegram_bot.tables.views import TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label


def hint_keys(notice: CoachNotice, w: Catalogue) -> Keys:
    """Below a hint: the advised call."""
    call = notice.advice.best.call
    label = call_label(call, w, notice.wild_by)
    return [[Key(label, typed_request(call), style=Style.PRIMARY)]]


def hand_keys(notice: HandNotice, w: Catalogue) -> Keys:
    """Below the private buttons of the player on turn."""
    return _rows(notice.view.table, w) if notice.view.on_turn else []


def bids_keys(notice: BidsNotice, w: Catalogue) -> Keys:
    """Below other bids in the same private message."""
    return _rows(notice.view, w) if notice.private else []


def round_acts(notice: TableNotice, w: Catalogue) -> list[Key]:
    """Below the buttons of the player on turn on pages."""
    return [Key(w.say("Hint"), AskCoach())] if are_allowed(notice.view) else []


def _rows(view: TableView, w: Catalogue) -> Keys:
    asks = Key(w.say("What would you do?"), AskCoach(), sign="💡")
    return [[asks]] if are_allowed(view) else []
