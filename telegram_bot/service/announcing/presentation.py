"""How notices are shown: as pictures, animated, read aloud. What is read aloud is always written as well."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.notices import (
    ClosedNotice,
    ConfirmationNotice,
    DiceNotice,
    Envelope,
    GameOverNotice,
    HandNotice,
    HeardNotice,
    KnockedOutNotice,
    RejectionNotice,
    ReminderNotice,
    RevealNotice,
    SendMode,
    SpokenNotice,
    TableNotice,
)
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.tables.model import Timings
from telegram_bot.tables.result_views import ANIMATION_SECONDS

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


def animations_offered(chat: Chat, config: ServiceConfig) -> bool:
    """Whether the end of a round can come to a group as an animation."""
    return config.reveal_animations and pictures_for(chat, config)


def timings_in(chat: Chat, config: ServiceConfig) -> Timings:
    """The timings of a table: the dice are shown at once where no shared chat shows the call before."""
    timings = config.timings
    if not config.channels.traits(chat.channel).shared_chats:
        return timings.model_copy(update={"reveal_seconds": 0})
    if timings.reveal_seconds and chat.animations and animations_offered(chat, config):
        return timings.model_copy(update={"reveal_seconds": max(timings.reveal_seconds, ANIMATION_SECONDS)})
    return timings


ALOUD_SECONDS: Final = 30
"""What could not be said for so long is not news any more."""


def aloud_offered(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Whether a person or a group can have messages read aloud: the installation has a voice, the channel plays it."""
    return config.speaks and config.channels.traits(reader.channel).plays_voice


def reads_aloud(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Whether a person or a group has chosen it."""
    return reader.aloud and aloud_offered(reader, config)


def is_private_chat(envelope: Envelope, player: Player) -> bool:
    """Whether a notice goes to the player's own chat: elsewhere everybody would hear their dice."""
    own = (envelope.channel, envelope.chat) == (player.channel, player.address)
    return own and envelope.receiver is None


def aloud(envelope: Envelope) -> Envelope | None:
    """A notice to be said as well; None if it is an edit, or nothing to listen to."""
    told = envelope.notice
    match told:
        case (
            HandNotice()
            | RevealNotice()
            | GameOverNotice()
            | KnockedOutNotice()
            | ReminderNotice()
            | ClosedNotice()
            | TableNotice()
            | DiceNotice()
            | ConfirmationNotice()
            | RejectionNotice()
            | HeardNotice()
        ) if envelope.mode in (SendMode.SEND, SendMode.REPLACE):
            return Envelope(
                channel=envelope.channel,
                chat=envelope.chat,
                topic=envelope.topic,
                language=envelope.language,
                silent=True,
                notice=SpokenNotice(told=told),
            )
        case _:
            return None
