"""The envelope of a notice: to whom it goes, how it is shown, and what it does with the message before it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from telegram_bot.service.notices import Notice
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.model import FrozenModel


class SendMode(StrEnum):
    """What a notice does with the message that fills its slot."""

    EDIT = "edit"
    """Edit it, or send a new one where there is none."""
    EDIT_EXISTING = "edit_existing"
    """Edit it; where there is none, nothing is sent."""
    SEND = "send"
    """Send a new one, which takes the slot over."""
    REPLACE = "replace"
    """Send a new one, then mark the old one as out of date."""
    NEWEST = "newest"
    """Edit it if nothing was written in the chat after it, else replace it."""
    TARGET = "target"
    """Edit the message that the envelope names."""


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message of the bot in a chat; what the number means is the channel's affair."""

    message: int
    receiver: int | None = None
    """The one person who sees the message; None: everybody in the chat."""
    picture: bool = False
    """Whether it is a picture, whose text is its caption. False may also mean that nobody knows."""


ReplyHandle: TypeAlias = str
"""What lets a channel answer a tap, for some seconds, with a message that only the person who tapped sees."""


class Envelope(FrozenModel):
    """A notice with its address. `receiver`: the one person who sees it (an ephemeral message in the chat)."""

    channel: str
    chat: int
    topic: int = 0
    receiver: int | None = None
    reply_handle: ReplyHandle | None = None
    """That of the tap which this answers."""
    target: MessageRef | None = None
    """The message to edit, for `SendMode.TARGET`."""
    language: str | None = None
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool = False
    """Whether a channel that can show pictures may show the dice in one, with the words below it."""
    silent: bool = False
    mode: SendMode = SendMode.SEND
    festive: bool = False
    """Whether the message comes with an effect, where the channel has such."""
    expires: float | None = None
    """When the message becomes useless, for channels that store undelivered messages; set when it is sent."""
    round: int | None = None
    """The round that the reader was in. Text messages overtake each other, so each one tells its round."""
    notice: Notice

    @property
    def lane(self) -> str:
        """The queue it waits in: one per chat."""
        return f"{self.channel}:{self.chat}"
