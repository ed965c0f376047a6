"""The seal and the check of the dice on pages."""

from typing import TypedDict

from telegram_bot.features.fair_dice.notices import DiceCheckNotice, SealNotice
from telegram_bot.features.fair_dice.words import check_sentence
from telegram_bot.presentation.cards import lines_of
from telegram_bot.words.catalogue import Catalogue


class SealFields(TypedDict):
    """The seal."""

    sealed: str
    lines: list[str]


class CheckFields(TypedDict):
    """The check of the dice, within the card of the end of a game."""

    dice: str


def seal_card(notice: SealNotice, w: Catalogue) -> SealFields:
    """Return the seal, and how to shake."""
    return {"sealed": notice.commitment, "lines": lines_of(notice, w)}


def check_card(notice: DiceCheckNotice, w: Catalogue) -> CheckFields:
    """Return one sentence below the places."""
    return {"dice": check_sentence(notice, w)}
