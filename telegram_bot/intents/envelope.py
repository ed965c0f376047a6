"""The envelope of a notice: its receiver, its form, and the message that it may edit."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from telegram_bot.notices import Notice
from telegram_bot.storage.models import DiceStyle, LaneName
from telegram_bot.tables.model import FrozenModel


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message of the bot in a chat; only the channel knows the meaning of the number."""

    message: int
    receiver: int | None = None
    """The only reader of the message, or None for everyone in the chat."""
    picture: bool = False
    """Whether it is a picture, whose text is its caption. False may also mean unknown."""


ReplyHandle: TypeAlias = str
"""A channel's reference for answering a tap, for some seconds, with a message that only the person who tapped sees."""


class Envelope(FrozenModel):
    """A notice with its address. `receiver`: the only reader (an ephemeral message in the chat)."""

    channel: str
    chat: int
    topic: int = 0
    receiver: int | None = None
    reply_handle: ReplyHandle | None = None
    """The handle of the tap that this answers."""
    target: MessageRef | None = None
    """The message to edit, whatever fills the slot."""
    language: str | None = None
    dice_style: DiceStyle = DiceStyle.KEYCAPS
    pictures: bool = False
    """Whether a channel with pictures may show the dice in one, with the words below it."""
    silent: bool = False
    key: tuple[int, ...] | None = None
    """As in a `Want`: a greater one than that of the message in its slot means a new message in its place, any other an
    edit. None leaves the message in the slot as it is."""
    edit_only: bool = False
    """As in a `Want`: whether an existing message is edited, and none is sent."""
    festive: bool = False
    """Whether the message has an effect, if the channel supports effects."""
    expires: float | None = None
    """When the message becomes useless, for channels that store undelivered messages; set when it is sent."""
    round: int | None = None
    """The reader's round. Text messages overtake each other, so each one names its round."""
    notice: Notice

    @property
    def edits(self) -> bool:
        """Return True if it never takes the place of a message that fills its slot."""
        return self.edit_only or self.key == ()

    @property
    def lane(self) -> LaneName:
        """Return its queue: one for each chat."""
        return LaneName(self.channel, self.chat)


def read_envelope(stored: Any) -> Envelope | None:
    """Return a stored envelope, or None if this version cannot read it: delivery will set it aside."""
    try:
        return Envelope.model_validate(stored)
    except ValueError:
        return None
