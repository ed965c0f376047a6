"""What a channel hands out so that it can find a message or a tap again; the service keeps it and hands it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


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
