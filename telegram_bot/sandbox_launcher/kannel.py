"""The endpoint through which the bot sends text messages: /cgi-bin/sendsms, as Kannel's smsbox has it."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from telegram_bot.internet import certificates
from telegram_bot.words.sms.gsm import is_gsm
from telegram_sandbox import SandboxSettings
from telegram_sandbox.http_parameters import read_body, read_params
from telegram_sandbox.request_guard import is_loopback

Json = dict[str, object]
LOG = logging.getLogger(__name__)
ACCEPTED, BAD, FORBIDDEN = 202, 400, 403
DELIVERED, FAILED = 1, 2
"""The states of a delivery report."""
HEADER_OF: Final = {
    "username": "x-kannel-username",
    "password": "x-kannel-password",
    "from": "x-kannel-from",
    "to": "x-kannel-to",
    "coding": "x-kannel-coding",
    "dlr-url": "x-kannel-dlr-url",
}
SEVEN_BITS: Final = "0"
REPORT_TIMEOUT: Final = 10.0


class KannelEndpoint:
    """The endpoint, over the phones of one sandbox."""

    def __init__(
        self, settings: SandboxSettings, login: tuple[str, str], text: Callable[[str, str], bool | None]
    ) -> None:
        """`login`: the bot's name and password. `text` texts a number: True if it arrived, None if no one has it."""
        self._settings = settings
        self._login = login
        self._text = text
        self._reports: set[asyncio.Task[None]] = set()

    async def send_sms(self, request: Request) -> Response:
        """Let the bot send a text message."""
        params = await _read_params(request, self._settings.max_body_bytes)
        if (params.get("username"), params.get("password")) != self._login:
            return PlainTextResponse("Authorization failed for sendsms", FORBIDDEN)
        number, text = params.get("to"), params.get("text")
        if not isinstance(number, str) or not number:
            return PlainTextResponse("Missing receiver number, rejected", BAD)
        if not isinstance(text, str):
            return PlainTextResponse("Missing text, rejected", BAD)
        coding = str(params.get("coding") or SEVEN_BITS)
        body = "".join(sign if is_gsm(sign) else "?" for sign in text) if coding == SEVEN_BITS else text
        report_to = params.get("dlr-url")
        if isinstance(report_to, str) and report_to and not self._may_be_told(report_to):
            return PlainTextResponse("dlr-url is not of this machine (--deliver-anywhere), rejected", BAD)
        delivered = self._text(number, body)
        if delivered is None:
            LOG.info("a text to a number that no one has")
        else:
            self._report(report_to, delivered=delivered)
        return PlainTextResponse("0: Accepted for delivery", ACCEPTED)

    def _may_be_told(self, url: str) -> bool:
        if self._settings.deliver_anywhere:
            return True
        with contextlib.suppress(ValueError):
            return is_loopback(urlsplit(url).hostname or "")
        return False

    def _report(self, url: object, *, delivered: bool) -> None:
        if isinstance(url, str) and url:
            address = url.replace("%d", str(DELIVERED if delivered else FAILED))
            task = asyncio.create_task(_get(address))
            self._reports.add(task)
            task.add_done_callback(self._reports.discard)


async def _read_params(request: Request, limit: int) -> Json:
    """Return the parameters, from the address or a form, or from headers with the text as the body."""
    if HEADER_OF["to"] not in request.headers:
        return await read_params(request, limit)
    params: Json = {name: request.headers[header] for name, header in HEADER_OF.items() if header in request.headers}
    try:
        return params | {"text": (await read_body(request, limit)).decode()}
    except UnicodeDecodeError:
        return params


async def _get(url: str) -> None:
    try:
        async with httpx.AsyncClient(verify=certificates(), timeout=REPORT_TIMEOUT, trust_env=False) as client:
            await client.get(url)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        LOG.info("a delivery report could not be delivered: %s", type(error).__name__)
