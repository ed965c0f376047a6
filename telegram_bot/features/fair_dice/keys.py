"""The buttons that shake the dice and check them, in chats and on pages."""

from typing import Final

from perudo_core.stirs import SIGNS
from telegram_bot.features.fair_dice.notices import SealNotice
from telegram_bot.features.fair_dice.requests import SealDice, SeeRecord, StirDice
from telegram_bot.notices import GameOverNotice, LobbyNotice
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.presentation.keys import Key, Keys, rows_of
from telegram_bot.words.catalogue import Catalogue

_STIRS_A_ROW: Final = 6


def seal_keys(_: SealNotice, __: Catalogue) -> Keys:
    """Return the signs for sealed dice."""
    return rows_of((Key(sign, StirDice(sign)) for sign in SIGNS), _STIRS_A_ROW)


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Below the host's menu of the table."""
    if not notice.view.may_seal or notice.shown_menu is not LobbyMenu.TABLE:
        return []
    return [[Key(w.say("Shake the dice"), SealDice(), sign="🎲")]]


def lobby_acts(notice: LobbyNotice, w: Catalogue) -> list[Key]:
    """In the lobby on pages."""
    return [Key(w.say("Seal the secret"), SealDice())] if notice.view.may_seal else []


def game_over_keys(notice: GameOverNotice, w: Catalogue) -> Keys:
    """Below the end of a game in chats."""
    if notice.view.secret is None:
        return []
    return [[Key(w.say("Check the dice"), SeeRecord(), sign="🔐")]]
