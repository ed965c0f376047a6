"""The ghosts on pages, within the card of the end of a round."""

from typing import TypedDict

from telegram_bot.features.predictions.notices import GhostsNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name


class GhostField(TypedDict):
    """A ghost; `right`: whether its guess was, or None if it made none for this round."""

    name: str
    face: str
    right: bool | None
    haunts: int | None


class GhostsField(TypedDict):
    """All ghosts of a game."""

    lines: list[str]
    faces: list[GhostField]


class GhostsFields(TypedDict):
    """The ghosts, within the card of the end of a round."""

    ghosts: GhostsField


def ghosts_card(notice: GhostsNotice, w: Catalogue) -> GhostsFields:
    """Return the sentences, and the face of each ghost."""
    faces: list[GhostField] = [
        {"name": plain_name(each.name), "face": each.face.sign, "right": each.right, "haunts": each.haunts}
        for each in notice.ghosts
    ]
    return {"ghosts": {"lines": lines_of(notice, w), "faces": faces}}
