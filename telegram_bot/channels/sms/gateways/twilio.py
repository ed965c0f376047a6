"""Twilio: sends texts with its REST API and receives them by signed webhooks."""

import base64
import hmac
from collections.abc import Collection, Iterator
from itertools import product
from typing import Any, Final
from urllib.parse import parse_qsl

import httpx
from starlette.datastructures import URL

from telegram_bot.channels.sms.gateways import base
from telegram_bot.delivery.sender import SlowDownError, UnknownOutcomeError
from telegram_bot.settings.sms import TwilioSettings
from telegram_bot.storage.phone_models import TextStatus

FORM: Final = "application/x-www-form-urlencoded"
OPTED_OUT: Final = 21610
TOO_FAST: Final = frozenset({14107, 20429, 30001, 63038})
"""Error codes that ask for a pause, whatever the HTTP status is."""
PAUSE_SECONDS: Final = 10.0
MIN_VALIDITY_SECONDS, MAX_VALIDITY_SECONDS = 6, 36000
MAX_FIELDS: Final = 200

_STATUSES: Final[dict[str, TextStatus]] = {
    "accepted": TextStatus.TAKEN,
    "scheduled": TextStatus.TAKEN,
    "queued": TextStatus.TAKEN,
    "sending": TextStatus.TAKEN,
    "sent": TextStatus.SENT,
    "delivered": TextStatus.DELIVERED,
    "read": TextStatus.DELIVERED,
    "undelivered": TextStatus.FAILED,
    "failed": TextStatus.FAILED,
    "canceled": TextStatus.FAILED,
}


class Twilio(base.Gateway):
    """One number of a Twilio account."""

    answers_carrier_words = True
    acknowledgement = (b'<?xml version="1.0" encoding="UTF-8"?><Response></Response>', "text/xml")

    def __init__(
        self, settings: TwilioSettings, public_url: str, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """`public_url` is the address in Twilio's console, which Twilio calls and which its signature covers."""
        token = settings.auth_token.get_secret_value()
        login = (settings.api_key or settings.account, settings.api_secret.get_secret_value() or token)
        super().__init__(settings, base.client(transport, base_url=settings.api_url, auth=login))
        self._account = settings.account
        self._public_url = public_url
        self._token = token

    # Receiving

    def receive(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        """Return a person's text; a picture without words is an empty text."""
        form = self._signed(request, self._public_url)
        message, sender = form.get("MessageSid"), form.get("From")
        if not message or not sender:
            raise base.WebRefusedError(400, "a message without MessageSid or From")
        if form.get("To") not in (self.number, None):
            return []  # another number of the same account, configured with this address by mistake
        return [base.IncomingText(message, sender, form.get("Body", ""))]

    def receipt(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        form = self._signed(request, f"{self._public_url}/receipt")
        message = form.get("MessageSid")
        if not message:
            raise base.WebRefusedError(400, "a status without MessageSid")
        status = _STATUSES.get(form.get("MessageStatus", ""))
        if status is None:
            return []
        error = form.get("ErrorCode") or None
        known = error if error is None or (error.isascii() and error.isdecimal()) else "?"
        return [base.DeliveryReceipt(message, status, known, opted_out=known == str(OPTED_OUT))]

    def _signed(self, request: base.WebRequest, url: str) -> dict[str, str]:
        """Return the whole form, unknown fields included, if the signature over the form and the address is valid."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
            raise base.WebRefusedError(415, "not a form")
        try:
            pairs = parse_qsl(
                request.body.decode("utf-8"), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
            )
        except ValueError:  # also a decoding error
            raise base.WebRefusedError(400, "a form that cannot be read") from None
        given = request.headers.get("x-twilio-signature", "").encode()
        written = _spellings(URL(url), request.headers.get("host", ""))
        addresses = (f"{each}?{request.query}" if request.query else each for each in written)
        signatures = (signature(self._token, address, pairs) for address in addresses)
        if not any(hmac.compare_digest(each.encode(), given) for each in signatures):
            raise base.WebRefusedError(403, "the signature does not hold: check auth_token and public_url")
        form = dict(pairs)
        if form.get("AccountSid") != self._account:
            raise base.WebRefusedError(403, "another account's message")
        return form

    # Sending

    async def send(self, number: str, text: str, *, seconds: int) -> str:
        """Create a message. Twilio's error messages are never logged: they quote the number."""
        form = {
            "To": number,
            "From": self.number,
            "Body": text,
            "ValidityPeriod": str(min(max(seconds, MIN_VALIDITY_SECONDS), MAX_VALIDITY_SECONDS)),
            "StatusCallback": f"{self._public_url}/receipt",
        }
        try:
            answer = await self.http.post(f"/2010-04-01/Accounts/{self._account}/Messages.json", data=form)
        except httpx.HTTPError as error:
            raise base.map_http_error(error) from None
        body = _json(answer)
        if answer.is_success:
            message = body.get("sid")
            if not isinstance(message, str) or not message:
                raise UnknownOutcomeError("an answer without sid")
            return message
        code = body.get("code")
        if code == OPTED_OUT:
            raise base.OptedOutError(f"code {code}")
        if code in TOO_FAST:
            raise SlowDownError(PAUSE_SECONDS)
        detail = f", code {code}" if isinstance(code, int) else ""
        raise base.map_status(answer, detail=detail)


def _spellings(address: URL, called: str) -> Iterator[str]:
    """Yield the ways to write our address in Twilio's console, which the signature covers to the letter.

    `called` is the host as Twilio's request spells it.
    """
    host, scheme = address.hostname or "", address.scheme
    port = address.port or (443 if scheme == "https" else 80)
    theirs = called.removesuffix(f":{port}")
    for name in {host, theirs} if theirs.lower() == host else {host}:
        for written, path in product((name, f"{name}:{port}"), (address.path, f"{address.path}/")):
            yield f"{scheme}://{written}{path}"


def signature(token: str, address: str, form: Collection[tuple[str, str]]) -> str:
    """Sign a request as Twilio does: the address, with its port or without, then each name and value in their order."""
    signed = address + "".join(name + value for name, value in sorted(set(form)))
    return base64.b64encode(hmac.digest(token.encode(), signed.encode(), "sha1")).decode()


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
