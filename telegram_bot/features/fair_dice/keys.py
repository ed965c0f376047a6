"""The buttons that shake the dice and check them, in chats and on pages."""

from typing import Final

from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.buttons import Rows, button, rows_of
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.fair_dice.notices import SealNotice
from telegram_bot.features.fair_dice.requests import SealDice, SeeRecord, StirDice
from telegram_bot.service.notices import GameOverNotice, LobbyNotice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.lobby import LobbyMenu, menu_of

_STIRS_A_ROW: Final = 6


def seal_keys(notice: SealNotice, _: Catalogue) -> Rows:
    """Return the signs for sealed dice."""
    return rows_of((button(sign, data_of(StirDice(sign), notice.table)) for sign in SIGNS), _STIRS_A_ROW)


def lobby_keys(notice: LobbyNotice, w: Catalogue, _: str) -> Rows:
    """Below the host's menu of the table."""
    if not notice.view.may_seal or menu_of(notice) is not LobbyMenu.TABLE:
        return []
    return [[button("🎲 " + w.say("Shake the dice"), data_of(SealDice(), notice.view.table))]]


def lobby_acts(notice: LobbyNotice, w: Catalogue) -> dict[str, str]:
    """In the lobby on pages."""
    return {"seal": w.say("Seal the secret")} if notice.view.may_seal else {}


def game_over_keys(notice: GameOverNotice, w: Catalogue, _: str) -> Rows:
    """Below the end of a game in chats."""
    if notice.view.secret is None:
        return []
    return [[button("🔐 " + w.say("Check the dice"), data_of(SeeRecord(), notice.view.table))]]
