"""Whether pictures and animations show dice to a person or a group, and the time that an animation takes."""

from typing import Final

from telegram_bot.intents.config import ServiceConfig
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.tables.model import Timings
from telegram_bot.tables.result_views import ANIMATION_SECONDS

_READ_ALOUD: Final = (DiceStyle.WORDS, DiceStyle.DIGITS)
"""The dice styles of people who use a screen reader."""


def pictures_offered(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Return True if this installation draws pictures for the reader: hands for a person, reveals for a group."""
    return config.hand_pictures if isinstance(reader, Player) else config.reveal_pictures


def pictures_for(reader: Player | Chat, config: ServiceConfig, *, reveal: bool = False) -> bool:
    """Return True if pictures show dice to a person or a group; `reveal`: at the end of a round.

    Without a choice they do, except in the dice styles for screen readers.
    """
    wanted = reader.dice_style not in _READ_ALOUD if reader.pictures is None else reader.pictures
    return wanted and (config.reveal_pictures if reveal else pictures_offered(reader, config))


def animations_offered(chat: Chat, config: ServiceConfig) -> bool:
    """Return True if an animation can show the end of a round to a group."""
    return config.reveal_animations and pictures_for(chat, config)


def timings_in(chat: Chat, config: ServiceConfig) -> Timings:
    """Return the timings of a table: without a shared chat for the call, the dice are shown immediately."""
    timings = config.timings
    if not config.channels.traits(chat.channel).shared_chats:
        return timings.model_copy(update={"reveal_seconds": 0})
    if timings.reveal_seconds and chat.animations and animations_offered(chat, config):
        return timings.model_copy(update={"reveal_seconds": max(timings.reveal_seconds, ANIMATION_SECONDS)})
    return timings
