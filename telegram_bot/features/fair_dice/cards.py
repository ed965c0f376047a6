"""The seal and the check of the dice on pages."""

from telegram_bot.features.fair_dice.notices import DiceCheckNotice, SealNotice
from telegram_bot.features.fair_dice.words import check_sentence
from telegram_bot.presentation.cards import lines_of
from telegram_bot.presentation.features import Card
from telegram_bot.words.catalogue import Catalogue


def seal_card(notice: SealNotice, w: Catalogue) -> Card:
    """Return the seal, and how to shake."""
    return {"sealed": notice.commitment, "lines": lines_of(notice, w)}


def check_card(notice: DiceCheckNotice, w: Catalogue) -> Card:
    """Return one sentence below the places."""
    return {"dice": check_sentence(notice, w)}
