"""Updates pushed to the bot: one after another, each again and again until it answers 2xx."""

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from telegram_bot.sandbox.errors import bad_request
from telegram_bot.sandbox.updates import WEBHOOK_ACTIVE

if TYPE_CHECKING:
    from telegram_bot.sandbox.clock import Clock
    from telegram_bot.sandbox.state import Json
    from telegram_bot.sandbox.updates import UpdateQueue

LOG = logging.getLogger(__name__)
PORTS = (443, 80, 88, 8443)
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
ANSWER_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
MOST_CONNECTIONS = 40


class Webhook:
    """The address that updates go to, if there is one.

    As a Bot API server of one's own does, this one takes http:// and any port, but on this machine only.
    """

    def __init__(self, updates: "UpdateQueue", clock: "Clock") -> None:
        self._updates = updates
        self._clock = clock
        self._sending: asyncio.Task[None] | None = None
        self.info: Json = {}

    def set(self, url: str, secret: str | None, max_connections: int | None) -> None:
        """Send updates to `url` from now on; whoever polls is interrupted.

        Raises:
            ApiError: 400 for an address that Telegram, or this sandbox, would not deliver to.
        """
        check(url)
        self.remove()
        self.info = {"url": url, "max_connections": max_connections or MOST_CONNECTIONS}
        self._updates.interrupt(WEBHOOK_ACTIVE)
        self._sending = asyncio.create_task(self._send(url, {SECRET_HEADER: secret} if secret else {}))

    def remove(self) -> None:
        """Go back to getUpdates."""
        self.info = {}
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    async def _send(self, url: str, headers: dict[str, str]) -> None:
        pause = FIRST_PAUSE_SECONDS
        async with httpx.AsyncClient(timeout=ANSWER_SECONDS, headers=headers, trust_env=False) as client:
            while True:
                waiting = self._updates.head(1)
                if not waiting:
                    await self._updates.wait()
                    continue
                error = await _deliver(client, url, waiting[0])
                if error is None:
                    self._updates.confirm(waiting[0]["update_id"] + 1)
                    pause = FIRST_PAUSE_SECONDS
                    continue
                LOG.info("webhook: %s", error)
                self.info |= {"last_error_date": self._clock.unix(), "last_error_message": error}
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


async def _deliver(client: httpx.AsyncClient, url: str, update: "Json") -> str | None:
    try:
        answer = await client.post(url, json=update)
    except httpx.TimeoutException:
        return "Read timeout expired"
    except httpx.HTTPError as error:
        return f"Connection failed: {error}"
    if answer.is_success:
        return None
    return f"Wrong response from the webhook: {answer.status_code} {answer.reason_phrase}"


def check(url: str) -> None:
    """Refuse an address that cannot be delivered to.

    Raises:
        ApiError: 400.
    """
    host, port, scheme = "", None, ""
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        host, port, scheme = parts.hostname or "", parts.port, parts.scheme
    if not host or scheme not in ("http", "https"):
        raise bad_request("bad webhook: invalid webhook URL specified")
    if host in THIS_MACHINE:
        return
    if scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if (port or 443) not in PORTS:
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    raise bad_request("bad webhook: this sandbox delivers to this machine only")
