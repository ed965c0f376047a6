"""What the channel asks of a gateway, and what a gateway can answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias

import httpx

from telegram_bot.delivery.sender import (
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusedError,
    SlowDownError,
    UnknownFateError,
)
from telegram_bot.storage.phone_models import TextStatus

SECONDS_TO_ANSWER: Final = 15.0
"""Less than a lane's lease: what takes longer has an unknown fate."""
MAX_WAIT_SECONDS: Final = 300.0
TOO_MANY: Final = 429
SERVER_FAULT: Final = 500
GAVE_UP_WAITING: Final = 504


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request to one of our own addresses. It prints nothing of what it says."""

    method: str
    url_path: str
    query: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """By name in small letters."""
    body: bytes = field(repr=False)
    client: str = ""
    """The address it came from."""


@dataclass(frozen=True, slots=True)
class IncomingText:
    """A text that a person sent us. It prints neither number nor text."""

    message: str
    """The gateway's name for it, the same at each delivery."""
    sender: str = field(repr=False)
    """The person's number as the gateway writes it."""
    text: str = field(repr=False)
    sent_at: float | None = None
    """When it was sent, in seconds since the epoch, if the gateway tells."""


@dataclass(frozen=True, slots=True)
class DeliveryReceipt:
    """What became of a text that we sent."""

    message: str
    fate: TextStatus
    error: str | None = None
    """The gateway's code; never its words, which may quote a number."""
    opted_out: bool = False
    """The person does not want texts from us any more."""


GatewayEvent: TypeAlias = IncomingText | DeliveryReceipt


class WebRefusedError(Exception):
    """A request that is not answered; the status says why, and the reason quotes nothing."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class OptedOutError(RefusedError):
    """The gateway knows that the person said STOP."""


NO_ANSWER: Final = (b"", "text/plain")


class Gateway(Protocol):
    """One of our numbers and the way to it."""

    @property
    def name(self) -> str:
        """What it is called in the settings, and in the addresses of its webhooks."""

    @property
    def number(self) -> str:
        """The number that people text."""

    @property
    def home(self) -> str | None:
        """The country of that number, in two letters."""

    @property
    def cost(self) -> int:
        """What a segment costs, in millionths of the installation's currency."""

    @property
    def answers_carrier_words(self) -> bool:
        """Whether STOP, START and HELP are answered before we hear of them."""

    @property
    def methods(self) -> tuple[str, ...]:
        """How its requests come."""

    @property
    def acknowledgement(self) -> tuple[bytes, str]:
        """The body and type of an answer that it takes for "we have it, and say nothing to it"."""

    def receive(self, request: WebRequest) -> list[GatewayEvent]:
        """What a request to the gateway's address brings; nothing where it is not for us.

        Raises:
            WebRefusedError: it is forged or malformed.
        """

    def receipt(self, request: WebRequest) -> list[GatewayEvent]:
        """What a request to the address for receipts brings.

        Raises:
            WebRefusedError: it is forged or malformed.
        """

    async def send(self, number: str, text: str, *, seconds: int) -> str:
        """Hand over a text that is worth delivering for some seconds; returns the gateway's name for it.

        Raises:
            DeliveryError: see its kinds.
        """

    async def close(self) -> None:
        """Let go of connections."""


def map_http_error(error: httpx.HTTPError) -> DeliveryError:
    """A failed request as one of delivery's kinds. Its own words may quote an address with a number in it."""
    never_left = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    kind = NotSentError if never_left else UnknownFateError
    return kind(type(error).__name__)


def map_status(status: int, retry_after: str | None = None, *, detail: str = "") -> DeliveryError:
    """What an answer other than success means: later, perhaps, or never."""
    words = f"status {status}{detail}"
    if status == TOO_MANY:
        return SlowDownError(_seconds(retry_after))
    if status == GAVE_UP_WAITING:
        return UnknownFateError(words)
    return NotSentError(words) if status >= SERVER_FAULT else InvalidError(words)


def _seconds(retry_after: str | None) -> float:
    try:
        return min(max(float(retry_after or 1), 1.0), MAX_WAIT_SECONDS)
    except ValueError:
        return 1.0


def client(transport: httpx.AsyncBaseTransport | None = None, **options: Any) -> httpx.AsyncClient:
    """A client whose requests have ended before anybody else may send the same text."""
    return httpx.AsyncClient(timeout=SECONDS_TO_ANSWER, transport=transport, **options)
