"""The protocol of a channel's sender, and its errors."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from telegram_bot.delivery.limits import Limits
from telegram_bot.intents.envelope import Envelope, MessageRef


@dataclass(frozen=True, slots=True)
class SendResult:
    """The notice was sent; `message` is None if the message cannot be edited later."""

    message: int | None
    keyboard: bool = False
    picture: bool = False
    """Whether the message is a picture with a caption."""
    extra_sends: int = 0
    """The number of further messages and edits that it took: they count against the chat's limits as well."""


class DeliveryError(Exception):
    """The reason why a notice was not delivered."""


class TargetGoneError(DeliveryError):
    """The message to edit no longer exists."""


class RefusalScope(StrEnum):
    """The meaning of a refused private message for its receiver."""

    TAP = "tap"
    """The message answered a tap that is too old."""
    PERSON = "person"
    CHAT = "chat"
    """This chat supports no messages that only one person sees."""


class RefusedError(DeliveryError):
    """This person, or everyone in the chat, cannot be reached in private this way."""

    def __init__(self, why: str, scope: RefusalScope = RefusalScope.PERSON) -> None:
        super().__init__(why)
        self.scope = scope


class ChatLostError(DeliveryError):
    """The bot cannot write to the chat, or to one of its topics, until something changes there."""

    def __init__(self, why: str, *, topic_alone: bool = False) -> None:
        super().__init__(why)
        self.topic_alone = topic_alone


class ChatMovedError(DeliveryError):
    """The chat has another address now."""

    def __init__(self, address: int) -> None:
        super().__init__("the chat has moved")
        self.address = address


class SlowDownError(DeliveryError):
    """The channel asks for a pause, in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"asked to wait {seconds} s")
        self.seconds = seconds


class NotSentError(DeliveryError):
    """The channel could not be reached before the send, so it is safe to try again."""


class UnknownOutcomeError(DeliveryError):
    """The notice may have been sent or not."""


class InvalidError(DeliveryError):
    """The channel will never accept this notice."""


class Sender(Protocol):
    """Renders notices and sends them."""

    name: str
    """The channel's name, with which the names of its lanes begin."""
    limits: Limits

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        """Send a notice, or edit the target to show it.

        Raises:
            DeliveryError: see its kinds.
        """

    def is_group(self, address: int) -> bool:
        """Return whether the address is a group's."""
