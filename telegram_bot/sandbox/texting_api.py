"""The telephone network over HTTP: the people's side for the page, the bot's side as Kannel's smsbox speaks."""

import asyncio
import logging
from typing import TYPE_CHECKING, Annotated, Final

import httpx
from pydantic import Field
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from telegram_bot.sandbox.control_base import careful, read_as
from telegram_bot.sandbox.control_bodies import Body, Name
from telegram_bot.sandbox.errors import ControlError
from telegram_bot.sandbox.gsm import as_sent_in_seven_bits
from telegram_bot.sandbox.requests import read_body, read_params
from telegram_bot.sandbox.texting import TextPhone, text_json

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from telegram_bot.sandbox.state import Json
    from telegram_bot.sandbox.world import World

LOG = logging.getLogger(__name__)
USER: Final = "sandbox"
PASSWORD: Final = "sandbox-password-for-this-machine-only"  # noqa: S105 - opens nothing but this machine's sandbox
ACCEPTED, BAD, FORBIDDEN = 202, 400, 403
DELIVERED, FAILED = 1, 2
"""What a delivery report says."""
HEADER_OF: Final = {
    "username": "x-kannel-username",
    "password": "x-kannel-password",
    "from": "x-kannel-from",
    "to": "x-kannel-to",
    "coding": "x-kannel-coding",
    "dlr-url": "x-kannel-dlr-url",
}
SEVEN_BITS: Final = "0"
LONGEST_TEXT = 1000
RECEIPT_SECONDS = 10.0


class NewPhone(Body):
    """Somebody without an app."""

    name: Name


class PhoneChange(Body):
    """What changes about a phone."""

    name: Name | None = None
    is_on: bool | None = None


class NewText(Body):
    """What somebody texts to the bot's number."""

    phone: int
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class TextingApi:
    """The endpoints, over one world."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._receipts: set[asyncio.Task[None]] = set()

    def routes(self) -> list[Route]:
        """Every address of the telephone network."""
        return [
            Route("/sandbox/phones", careful(self.add_phone), methods=["POST"]),
            Route("/sandbox/phones/-{number:int}", careful(self.change_phone), methods=["PATCH"]),
            Route("/sandbox/texts", careful(self.write), methods=["POST"]),
            Route("/cgi-bin/sendsms", self.send_sms, methods=["GET", "POST"]),
        ]

    async def add_phone(self, request: "Request") -> "Response":
        """Somebody new, with a phone and no app."""
        body = await read_as(NewPhone, request, self._world.settings.max_body_bytes)
        phone = self._world.texting.make_phone(body.name)
        return JSONResponse({"id": phone.id, "name": phone.name, "number": phone.number})

    async def change_phone(self, request: "Request") -> "Response":
        """Rename whose phone it is, or turn it off and on."""
        body = await read_as(PhoneChange, request, self._world.settings.max_body_bytes)
        phone = self._phone(-request.path_params["number"])
        phone.name = phone.name if body.name is None else body.name
        phone.is_on = phone.is_on if body.is_on is None else body.is_on
        self._world.texting.changed()
        return JSONResponse({"id": phone.id, "name": phone.name, "is_on": phone.is_on})

    async def write(self, request: "Request") -> "Response":
        """Somebody texts the bot."""
        body = await read_as(NewText, request, self._world.settings.max_body_bytes)
        return JSONResponse(text_json(self._world.texting.text_bot(self._phone(body.phone), body.text)))

    async def send_sms(self, request: "Request") -> "Response":
        """What the bot texts, in Kannel's words: the answers are Kannel's, too."""
        params = await _kannel_params(request, self._world.settings.max_body_bytes)
        if (params.get("username"), params.get("password")) != (USER, PASSWORD):
            return PlainTextResponse("Authorization failed for sendsms", FORBIDDEN)
        number, text = params.get("to"), params.get("text")
        if not isinstance(number, str) or not number:
            return PlainTextResponse("Missing receiver number, rejected", BAD)
        if not isinstance(text, str):
            return PlainTextResponse("Missing text, rejected", BAD)
        coding = str(params.get("coding") or SEVEN_BITS)
        body = as_sent_in_seven_bits(text) if coding == SEVEN_BITS else text
        phone = self._world.texting.by_number(number)
        if phone is None:
            LOG.info("a text to a number that nobody has")
            return PlainTextResponse("0: Accepted for delivery", ACCEPTED)
        sent = self._world.texting.text_phone(phone, body)
        self._report(params.get("dlr-url"), delivered=sent.status == "delivered")
        return PlainTextResponse("0: Accepted for delivery", ACCEPTED)

    def _report(self, url: object, *, delivered: bool) -> None:
        if isinstance(url, str) and url:
            address = url.replace("%d", str(DELIVERED if delivered else FAILED))
            task = asyncio.create_task(_get(address))
            self._receipts.add(task)
            task.add_done_callback(self._receipts.discard)

    def _phone(self, phone_id: int) -> TextPhone:
        phone = self._world.texting.phones.get(phone_id)
        if phone is None:
            raise ControlError("no such phone")
        return phone


async def _kannel_params(request: "Request", limit: int) -> "Json":
    """By their names in an address, wherever they stand: in it, in a form, or in headers with the text as the body."""
    if HEADER_OF["to"] not in request.headers:
        return await read_params(request, limit)
    params: Json = {name: request.headers[header] for name, header in HEADER_OF.items() if header in request.headers}
    try:
        return params | {"text": (await read_body(request, limit)).decode()}
    except UnicodeDecodeError:
        return params


async def _get(url: str) -> None:
    try:
        async with httpx.AsyncClient(timeout=RECEIPT_SECONDS, trust_env=False) as client:
            await client.get(url)
    except httpx.HTTPError as error:
        LOG.info("a receipt could not be handed over: %s", type(error).__name__)
