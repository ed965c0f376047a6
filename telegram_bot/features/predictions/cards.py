"""The ghosts on pages, within the card of the end of a round."""

from telegram_bot.features.predictions.notices import GhostsNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.presentation.features import Card
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name


def ghosts_card(notice: GhostsNotice, w: Catalogue) -> Card:
    """Return the sentences, and the face of each ghost."""
    faces = [
        {"name": plain_name(each.name), "face": each.face.sign, "right": each.right, "haunts": each.haunts}
        for each in notice.ghosts
    ]
    return {"ghosts": {"lines": lines_of(notice, w), "faces": faces}}
