"""Which notices are read aloud, and to whom. What is read aloud is always written as well."""

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
from telegram_bot.storage.models import Chat, Player

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
