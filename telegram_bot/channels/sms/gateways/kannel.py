"""Kannel: an SMS gateway on the same machine, for modems and SMPP accounts.

Kannel does not sign its requests. They must come from this machine, and their address must contain the secret.
"""

import hmac
import uuid
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import parse_qsl, quote

import httpx

from telegram_bot.channels.sms.gateways import base
from telegram_bot.settings.sms import KannelSettings
from telegram_bot.storage.phone_models import TextStatus
from telegram_bot.words.sms.gsm import is_gsm

SENDSMS: Final = "/cgi-bin/sendsms"
GSM_7, UCS_2 = "0", "2"
DELIVERED, FAILED, REJECTED = 1, 2, 16
ACCEPTED: Final = 202
MAX_FIELDS: Final = 30

_FORWARDED: Final = ("forwarded", "x-forwarded-for")
"""The headers with which a proxy names the sender: its own address is not the sender's."""

_STATUSES: Final[dict[str, TextStatus]] = {
    "1": TextStatus.DELIVERED,
    "2": TextStatus.FAILED,
    "8": TextStatus.SENT,
    "16": TextStatus.FAILED,
}


class Kannel(base.Gateway):
    """One smsbox, with the number of its modem or SMPP account."""

    methods = ("POST", "GET")

    def __init__(
        self, settings: KannelSettings, own_url: str, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """`own_url` is the bot's address for Kannel's delivery reports."""
        super().__init__(settings, base.client(transport, base_url=settings.api_url.rstrip("/")))
        self._own_url = own_url
        self._secret = settings.secret.get_secret_value()
        self._smsc = settings.smsc or None
        self._allowed = tuple(map(ip_network, settings.allowed_addresses))
        self._account = {
            "X-Kannel-Username": settings.username,
            "X-Kannel-Password": settings.password.get_secret_value(),
        }

    # Receiving

    def receive(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        """Return a text; none if it arrived through another connection of Kannel.

        The URL, which logs may keep, contains only id and time with `post-url`, and all with `get-url`.
        """
        fields = self._let_in(request)
        message = fields.get("id", "")
        sender = request.headers.get("x-kannel-from") or fields.get("from", "")
        if not message or not sender:
            raise base.WebRefusedError(400, "a text without id or sender")
        if request.method == "POST":
            _, _, charset = request.headers.get("content-type", "").partition("charset=")
            text = _decoded(request.body, charset)
        else:
            text = _decoded(fields.get("text", "").encode("latin-1"), fields.get("charset", ""))
        if self._smsc is not None and (request.headers.get("x-kannel-smsc") or fields.get("smsc")) not in (
            self._smsc,
            None,
        ):
            return []
        sent_at = _moment(fields.get("time"))
        return [base.IncomingText(base.name_of_text(sent_at, message), sender, text, sent_at)]

    def receipt(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        fields = self._let_in(request)
        message = fields.get("id")
        if not message:
            raise base.WebRefusedError(400, "a report without id")
        status = _STATUSES.get(fields.get("type", ""))
        return [] if status is None else [base.DeliveryReceipt(message, status)]

    def _let_in(self, request: base.WebRequest) -> dict[str, str]:
        try:
            here = ip_address(request.client)
        except ValueError:
            raise base.WebRefusedError(403, "not from an address") from None
        here = getattr(here, "ipv4_mapped", None) or here  # an IPv4 address on a socket that also listens for IPv6
        if any(name in request.headers for name in _FORWARDED):
            raise base.WebRefusedError(403, "through a proxy: from anywhere, that is")
        if not any(here in network for network in self._allowed):
            raise base.WebRefusedError(403, "not from an allowed address")
        try:
            # Decode as Latin-1 to keep the bytes: another parameter names the text's charset.
            pairs = parse_qsl(request.query, keep_blank_values=True, max_num_fields=MAX_FIELDS, encoding="latin-1")
        except ValueError:
            raise base.WebRefusedError(400, "an address that cannot be read") from None
        fields = dict(pairs)
        if not hmac.compare_digest(fields.get("secret", "").encode("latin-1"), self._secret.encode()):
            raise base.WebRefusedError(403, "the secret of the address does not fit")
        return fields

    # Sending

    async def send(self, number: str, text: str, *, seconds: int) -> str:
        """Queue a text, with its coding, because Kannel's own choice replaces some letters by question marks.

        Numbers and text are sent in headers and body, because logs contain URLs.
        """
        message = uuid.uuid4().hex
        report = f"{self._own_url}/receipt?secret={quote(self._secret, safe='')}&id={message}&type=%d"
        headers = {
            **self._account,
            "X-Kannel-From": self.number,
            "X-Kannel-To": number,
            "X-Kannel-Coding": GSM_7 if is_gsm(text) else UCS_2,
            "X-Kannel-Validity": str(max(1, round(seconds / 60))),
            "X-Kannel-DLR-Mask": str(DELIVERED | FAILED | REJECTED),
            "X-Kannel-DLR-Url": report,
            "Content-Type": "text/plain; charset=UTF-8",
        }
        if self._smsc is not None:
            headers["X-Kannel-SMSC"] = self._smsc
        try:
            answer = await self.http.post(SENDSMS, content=text.encode("utf-8"), headers=headers)
        except httpx.HTTPError as error:
            raise base.map_http_error(error) from None
        if answer.status_code != ACCEPTED:
            raise base.map_status(answer)
        return message


def _decoded(text: bytes, charset: str) -> str:
    """Return the words of a text. A phone's owner cannot choose their charset, so no text is refused for it."""
    name = charset.strip(' ";').lower()
    try:
        return text.decode("utf-16-be", "replace") if "ucs" in name else text.decode(name, "replace")
    except (LookupError, ValueError):  # no name, an unknown one, or a codec that does not give words
        pass
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("windows-1252", "replace")


def _moment(written: str | None) -> float | None:
    """Parse Kannel's time, in seconds since the epoch (%T) or as `2026-07-01 12:00:00` in UTC (%t)."""
    if written is None:
        return None
    if written.isascii() and written.isdecimal():
        return float(written[:15])
    try:
        return datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
