"""The protocol of a channel's sender, and the errors by which it tells why a notice was not sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from telegram_bot.delivery.limits import Limits
from telegram_bot.service.notices import Envelope


@dataclass(frozen=True, slots=True)
class EditTarget:
    """An existing message to edit; `receiver` is set when only one person sees it."""

    message: int
    receiver: int | None = None


@dataclass(frozen=True, slots=True)
class SendResult:
    """The message stands; `message` is None where nothing can be edited later."""

    message: int | None
    keyboard: bool = False


class DeliveryError(Exception):
    """Why a notice did not get through."""


class TargetGoneError(DeliveryError):
    """The message to edit is not there any more."""


class RefusalScope(StrEnum):
    """Whom a refused private message speaks of."""

    TAP = "tap"
    """It was an answer to a tap that is too old by now."""
    PERSON = "person"
    CHAT = "chat"
    """Nobody in the chat can be shown something alone."""


class RefusedError(DeliveryError):
    """This person does not take private messages this way, or nobody in the chat does."""

    def __init__(self, why: str, scope: RefusalScope = RefusalScope.PERSON) -> None:
        super().__init__(why)
        self.scope = scope


class ChatLostError(DeliveryError):
    """The bot cannot write to the chat, or to one topic of it, until something changes there."""

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
    """The channel could not be reached; nothing was sent, so trying again is safe."""


class UnknownFateError(DeliveryError):
    """It may have been sent and may not."""


class InvalidError(DeliveryError):
    """The channel will never take this notice."""


class Sender(Protocol):
    """Renders notices and sends them."""

    name: str
    """What the names of its lanes begin with."""
    limits: Limits

    async def send(self, envelope: Envelope, target: EditTarget | None) -> SendResult:
        """Send a notice, or edit the target to show it.

        Raises:
            DeliveryError: see its kinds.
        """

    def is_group(self, address: int) -> bool:
        """Whether the address is a group's."""
