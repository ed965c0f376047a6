"""SMSGate: an Android phone with a SIM card, reached through its app or through a server."""

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import httpx

from telegram_bot.channels.sms.gateways import base
from telegram_bot.delivery.sender import UnknownOutcomeError
from telegram_bot.settings.sms import SmsGateSettings
from telegram_bot.storage.phone_models import TextStatus

TOLERANCE_SECONDS: Final = 300
"""The maximum age of a signed request, including the error of the phone's clock. The app signs each retry again."""
KNOWN_ALREADY: Final = 409
MAX_NAME_LENGTH: Final = 100
MIN_TTL_SECONDS: Final = 5

_STATUSES: Final[dict[str, TextStatus]] = {
    "sms:sent": TextStatus.SENT,
    "sms:delivered": TextStatus.DELIVERED,
    "sms:failed": TextStatus.FAILED,
    "sms:cancelled": TextStatus.FAILED,
}


class SmsGate(base.Gateway):
    """One Android phone."""

    def __init__(
        self,
        settings: SmsGateSettings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        login = (settings.login, settings.password.get_secret_value())
        super().__init__(settings, base.client(transport, base_url=settings.api_url, auth=login))
        self._device = settings.device or None
        self._sim = settings.sim or None
        self._signing_key = settings.signing_key.get_secret_value().encode()
        self._now = now

    # Receiving

    def receive(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        """Return a text that the phone received, or the status of one that it sent: both use the same address."""
        event = self._signed(request)
        name, kind, payload = event.get("id"), event.get("event"), event.get("payload")
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH or not isinstance(payload, dict):
            raise base.WebRefusedError(400, "an event without id or payload")
        if not isinstance(kind, str):
            raise base.WebRefusedError(400, "an event of no kind")
        if self._device is not None and event.get("deviceId", self._device) != self._device:
            return []  # an event of another phone of the same account, which has the same signature
        if self._sim is not None and payload.get("simNumber") not in (self._sim, None):
            return []  # the owner's own SIM card; some phones do not name it
        if kind == "sms:received":
            sender = payload.get("sender") or payload.get("phoneNumber")
            text = payload.get("message")
            if not isinstance(sender, str) or not isinstance(text, str):
                raise base.WebRefusedError(400, "a text without sender or message")
            # Two webhooks for one address make two events of one text. A message's id is made from its words.
            sent_at = _moment(payload.get("receivedAt"))
            return [base.IncomingText(base.name_of_text(sent_at, name), sender, text, sent_at)]
        if kind in _STATUSES:
            message = payload.get("messageId")
            return [base.DeliveryReceipt(message, _STATUSES[kind])] if isinstance(message, str) else []
        return []

    def receipt(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        return self.receive(request)

    def _signed(self, request: base.WebRequest) -> dict[str, Any]:
        timestamp = request.headers.get("x-timestamp", "")
        expected = hmac.new(self._signing_key, request.body + timestamp.encode(), hashlib.sha256).hexdigest()
        given = request.headers.get("x-signature", "").lower()
        if not hmac.compare_digest(expected.encode(), given.encode()):
            raise base.WebRefusedError(403, "the signature does not hold: check signing_key")
        if not timestamp.isascii() or not timestamp.isdecimal():
            raise base.WebRefusedError(403, "a timestamp that is none")
        if abs(self._now() - int(timestamp[:15])) > TOLERANCE_SECONDS:
            raise base.WebRefusedError(403, "signed too long ago: is the phone's clock right?")
        try:
            event = json.loads(request.body)
        except (ValueError, RecursionError):
            raise base.WebRefusedError(400, "not JSON") from None
        if not isinstance(event, dict):
            raise base.WebRefusedError(400, "not an event")
        return event

    # Sending

    async def send(self, number: str, text: str, *, seconds: int) -> str:
        """Queue a text under an id of our own, so that a repeated request does not queue the text twice."""
        own_name = uuid.uuid4().hex[:21]
        message = {
            "id": own_name,
            "phoneNumbers": [number],
            "textMessage": {"text": text},
            "ttl": max(seconds, MIN_TTL_SECONDS),
            "withDeliveryReport": True,
            "simNumber": self._sim,
            "deviceId": self._device,
        }
        chosen = {name: value for name, value in message.items() if value is not None}
        for attempt in (1, 2):
            try:
                answer = await self.http.post("messages", params={"skipPhoneValidation": "true"}, json=chosen)
            except httpx.HTTPError as error:
                mapped = base.map_http_error(error)
                if attempt == 1 and isinstance(mapped, UnknownOutcomeError):
                    continue  # the id makes it safe to repeat the request
                raise mapped from None
            if answer.is_success or answer.status_code == KNOWN_ALREADY:
                return own_name
            raise base.map_status(answer)
        raise UnknownOutcomeError("no answer")


def _moment(written: object) -> float | None:
    """Parse a time in the phone's format, with the phone's time zone."""
    if not isinstance(written, str):
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None
