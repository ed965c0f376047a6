"""Decide whether a reader gets dice as pictures."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.config import ServiceConfig
from telegram_bot.storage.models import Chat, DiceStyle, Player

_READ_ALOUD: Final = (DiceStyle.WORDS, DiceStyle.DIGITS)
"""The styles that people choose who have the messages read to them."""


def pictures_offered(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Whether this installation draws what the reader would get: a person their hand, a group the end of a round."""
    return config.hand_pictures if isinstance(reader, Player) else config.reveal_pictures


def pictures_for(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Whether dice come to a person, or to a group, as pictures.

    Unless something is chosen, they do, except in the dice styles for screen readers.
    """
    wanted = reader.dice_style not in _READ_ALOUD if reader.pictures is None else reader.pictures
    return wanted and pictures_offered(reader, config)
