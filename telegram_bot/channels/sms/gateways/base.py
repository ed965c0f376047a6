"""The interface of a gateway: its methods, values and errors."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import httpx

from telegram_bot import internet
from telegram_bot.channels.sms.numbers import region_of
from telegram_bot.delivery.sender import (
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusedError,
    SlowDownError,
    UnknownOutcomeError,
)
from telegram_bot.delivery.worker import SEND_SECONDS
from telegram_bot.intents.config import MILLIONTHS
from telegram_bot.settings.sms import GatewaySettings
from telegram_bot.storage.phone_models import TextStatus

SECONDS_TO_ANSWER: Final = SEND_SECONDS - 1
"""The time limit of a gateway's answer; a slower send has an unknown result."""
MAX_WAIT_SECONDS: Final = 300.0
OF_THE_TEXT: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY)


@dataclass(frozen=True, slots=True)
class WebRequest:
    """A request from a gateway. Its repr shows nothing of its contents."""

    method: str
    query: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """The headers, by name in lower case."""
    body: bytes = field(repr=False)
    client: str = ""
    """The IP address of the client."""


@dataclass(frozen=True, slots=True)
class IncomingText:
    """A text that a person sent to the bot. Its repr shows neither number nor text."""

    message: str
    """The time or the gateway's id of the text, the same at each delivery. It tells two texts of one phone with the
    same words apart."""
    sender: str = field(repr=False)
    """The sender's number as the gateway writes it."""
    text: str = field(repr=False)
    sent_at: float | None = None
    """The time at which the text was sent, in seconds since the epoch, or None if the gateway does not report it."""


@dataclass(frozen=True, slots=True)
class DeliveryReceipt:
    """The status of a text that the bot sent."""

    message: str
    status: TextStatus
    error: str | None = None
    """The gateway's error code; never its message, which may quote a number."""
    opted_out: bool = False
    """Whether the person refuses further texts from the bot."""


GatewayEvent: TypeAlias = IncomingText | DeliveryReceipt


class WebRefusedError(Exception):
    """A refused request with a status and a reason, which quotes no part of the request."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class OptedOutError(RefusedError):
    """The gateway refused a text because the person has texted STOP."""


class Gateway(ABC):
    """One of the bot's numbers, with its connection to the telephone network."""

    answers_carrier_words: bool = False
    """Whether the gateway itself answers STOP, START and HELP."""
    methods: tuple[str, ...] = ("POST",)
    """The HTTP methods of its requests."""
    acknowledgement: tuple[bytes, str] = (b"", "text/plain")
    """The body and the content type of an answer that confirms a text without replying to it."""

    def __init__(self, settings: GatewaySettings, http: httpx.AsyncClient) -> None:
        """`http` sends requests to the gateway."""
        self.name = settings.name
        """Also in the addresses of its webhooks."""
        self.number = settings.number
        """The number that people text."""
        self.home = region_of(settings.number)
        """The country of that number, in two letters."""
        self.cost = round(settings.cost_per_text * MILLIONTHS)
        """The price of a segment, in millionths of the installation's currency."""
        self.sender_proof = settings.sender_proof
        """Whether no other sender can use a person's number at this gateway. A text does not prove it: the operator
        sets it."""
        self.http = http

    @abstractmethod
    def receive(self, request: WebRequest) -> list[GatewayEvent]:
        """Return the events in a request to the gateway's address; none if they are for another number.

        Raises:
            WebRefusedError: the request is forged or malformed.
        """

    @abstractmethod
    def receipt(self, request: WebRequest) -> list[GatewayEvent]:
        """Return the events in a request to the address for receipts.

        Raises:
            WebRefusedError: the request is forged or malformed.
        """

    @abstractmethod
    async def send(self, number: str, text: str, *, seconds: int) -> str:
        """Send a text that expires after some seconds; return the gateway's id of the text.

        Raises:
            DeliveryError: see its kinds.
        """

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()


def name_of_text(sent_at: float | None, event: str) -> str:
    """Return the name of an incoming text: its time if it is known, because a gateway may report a text twice."""
    return event if sent_at is None else str(sent_at)


def map_http_error(error: httpx.HTTPError) -> DeliveryError:
    """Return the delivery error for a failed request, without its message, which may quote a URL with a number."""
    never_left = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    kind = NotSentError if never_left else UnknownOutcomeError
    return kind(type(error).__name__)


def map_status(answer: httpx.Response, *, detail: str = "") -> DeliveryError:
    """Return the delivery error for an answer other than success: try later, unknown result, or never.

    A gateway judges the text itself by three statuses alone. Every other refusal is about the account, the address or
    a proxy on the way, whose pages begin with a tag: the text waits until the operator has repaired it.
    """
    words = f"status {answer.status_code}{detail}"
    if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return SlowDownError(_seconds(answer.headers.get("retry-after")))
    if answer.status_code == HTTPStatus.GATEWAY_TIMEOUT:
        return UnknownOutcomeError(words)
    is_page = answer.content.lstrip().startswith(b"<")
    return InvalidError(words) if answer.status_code in OF_THE_TEXT and not is_page else NotSentError(words)


def _seconds(retry_after: str | None) -> float:
    try:
        return max(1.0, min(MAX_WAIT_SECONDS, float(retry_after or 1)))  # in this order it is never "nan"
    except ValueError:
        return 1.0


def client(transport: httpx.AsyncBaseTransport | None = None, **options: Any) -> httpx.AsyncClient:
    """Create an HTTP client whose requests end before another worker may send the same text."""
    return internet.client(httpx.AsyncClient, timeout=SECONDS_TO_ANSWER, transport=transport, **options)
