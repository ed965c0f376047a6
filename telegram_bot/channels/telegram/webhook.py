"""Receive updates by webhook: check, store, act, and then confirm."""

import asyncio
import hmac
import logging
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from telegram import Bot, WebhookInfo
from telegram.error import BadRequest, InvalidToken, TelegramError

from telegram_bot.channels.telegram import NAME
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.polling import (
    FIRST_BACKOFF_SECONDS,
    MAX_BACKOFF_SECONDS,
    MOST_REFUSALS,
    seconds_to_wait,
)
from telegram_bot.channels.telegram.received import update_number
from telegram_bot.channels.telegram.updates import ALLOWED, takes_seconds
from telegram_bot.errors import MisconfiguredError
from telegram_bot.ingress.http_body import read_json_object
from telegram_bot.ingress.inbox import InboxWorker, ProcessingResult
from telegram_bot.ingress.webhook_probe import PROBE_HEADER, is_probe
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.service.service import Service
from telegram_bot.settings import WebhookSettings
from telegram_bot.storage.key_value import as_time

log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 40
"""How many updates Telegram may send at the same time."""
_MAX_BODY_BYTES: Final = 2**20
"""Telegram's updates are a few thousand bytes long."""
SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
LATEST_ANSWER_SECONDS: Final = 10.0
"""A slower update is confirmed before it is finished: it is stored, and the work continues."""
WATCH_SECONDS: Final = 60.0
SILENT_WATCH_SECONDS: Final = 5.0
SURE_SECONDS: Final = 5.0
REACHED: Final = "webhook reached"
ASKING: Final = "webhook is being asked about"
OWN_FAILURE: Final = " 500 "
FINGERPRINT: Final = "webhook"
_CONFIRMED: Final = (ProcessingResult.DONE, ProcessingResult.SET_ASIDE)


class WebhookReceiver:
    """Receives updates by the webhook, which it sets."""

    def __init__(
        self,
        bot: Bot,
        service: Service,
        settings: WebhookSettings,
        secret: str,
        inline: InlineMode | None = None,
    ) -> None:
        self.bot = bot
        self.inline = inline
        self.service = service
        self.settings = settings
        self.reachable = asyncio.Event()
        self._secret = secret
        self._trouble: str | None = "the webhook is not set yet"
        self._set_once = False
        self._silent = False
        self._refusals = LogThrottle()
        self._doubt = asyncio.Event()

    # Receiving updates

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the route of the webhook's address."""

        async def take(request: Request) -> Response:
            try:
                return await self._take(request, inbox)
            except HTTPException as refusal:
                if is_probe(request.headers.get(PROBE_HEADER), self._secret):
                    raise
                if line := self._refusals.line_for(f"{refusal.status_code} {refusal.detail}"):
                    log.info("a request to the webhook is refused: %s", line)
                raise

        return (Route(urlsplit(self.settings.url).path or "/", take, methods=["POST"]),)

    async def _take(self, request: Request, inbox: InboxWorker) -> Response:
        secret = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(secret.encode(), self._secret.encode()):
            raise HTTPException(403, "not the secret token")
        update = await read_json_object(request, _MAX_BODY_BYTES)
        number = update_number(update)
        if number is None:
            raise HTTPException(400, "no update_id")
        if self.inline is not None and self.inline.takes(update):
            return Response(status_code=200)
        result = await self._acted_on(inbox, str(number), update)
        if result in _CONFIRMED:
            return Response(status_code=200)
        return Response(status_code=500 if result is ProcessingResult.FAILED else 503, headers={"Retry-After": "1"})

    async def _acted_on(self, inbox: InboxWorker, cause: str, update: dict[str, Any]) -> ProcessingResult:
        try:
            if takes_seconds(update):  # Telegram would hold back the chat's updates for it
                await inbox.store(NAME, [(cause, update)])
                return ProcessingResult.DONE
            begun = await inbox.take(NAME, cause, update)
        except Exception as error:  # noqa: BLE001 - Telegram brings it again
            log.warning("update %s could not be written down: %s", cause, type(error).__name__)
            return ProcessingResult.POSTPONED
        if begun is None:
            return ProcessingResult.DONE
        try:
            async with asyncio.timeout(LATEST_ANSWER_SECONDS):
                return await begun
        except TimeoutError:
            log.warning("update %s takes long; it goes on", cause)
            return ProcessingResult.DONE
        except asyncio.CancelledError:
            if begun.cancelled():  # this worker is stopping; another one will take the update over
                return ProcessingResult.POSTPONED
            raise

    # Setting the webhook

    def problem(self) -> str | None:
        """Return why no updates arrive at the moment, or None if they do."""
        return self._trouble

    async def listen(self, _inbox: InboxWorker) -> None:
        """Keep the webhook set, until cancelled.

        Raises:
            MisconfiguredError: Telegram does not accept the address, or does not accept the token any more.
        """
        pause, refusals = FIRST_BACKOFF_SECONDS, 0
        while True:
            try:
                await self._look()
            except TelegramError as error:
                lasts = isinstance(error, InvalidToken | BadRequest) and "temporary" not in error.message.lower()
                refusals = refusals + 1 if lasts else 0
                if refusals == (MOST_REFUSALS if self._set_once else 1):
                    why = f"does not take webhook.url ({error.message})"
                    if isinstance(error, InvalidToken):
                        why = "does not know this token any more"
                    raise MisconfiguredError(f"Telegram {why}") from error
                log.warning("the webhook could not be looked at (%s)", type(error).__name__)
                await asyncio.sleep(max(pause, seconds_to_wait(error)))
                pause = min(pause * 2, MAX_BACKOFF_SECONDS)
            except SQLAlchemyError as error:
                log.warning("the webhook could not be looked after (%s)", type(error).__name__)
                await asyncio.sleep(pause)
            else:
                pause, refusals = FIRST_BACKOFF_SECONDS, 0
                self._doubt.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(SILENT_WATCH_SECONDS if self._silent else WATCH_SECONDS):
                        await self._doubt.wait()

    async def _look(self) -> None:
        info = await self.bot.get_webhook_info()
        if self._set_once and info.url not in ("", self.settings.url):
            # Do not compete with another instance for the webhook.
            host = urlsplit(info.url).hostname or "another address"
            self._trouble = f"Telegram brings its updates to {host}: is another bot running with this token?"
            self.reachable.clear()
            log.error("%s", self._trouble)
            return
        await self._assess(info)
        if not await self._stands(info):
            await self._set()
        self._set_once, self._trouble = True, None
        self.reachable.set()

    # Reachability

    async def confirm_reachable(self) -> bool:
        """Return True if Telegram could deliver updates a moment ago; it is asked every few seconds at most."""
        last = as_time(await self.service.key_values.get(REACHED))
        if last is not None and abs(self.service.now() - last) < SURE_SECONDS:
            return True
        if not await self.service.key_values.claim(ASKING, SURE_SECONDS):
            return False
        for _ in range(2):
            with suppress(TelegramError, TimeoutError):
                async with asyncio.timeout(SURE_SECONDS / 2):
                    info = await self.bot.get_webhook_info()
                await self._assess(info)
                return not self._silent
        await self._assess(None)
        return False

    async def _assess(self, info: WebhookInfo | None) -> None:
        """Stop the turn clocks while Telegram cannot deliver updates, and restart the clocks afterwards."""
        now = self.service.now()
        before, self._silent = self._silent, info is None or await self._waits_in_vain(info)
        if self._silent:
            if not before:
                self._doubt.set()
            last = as_time(await self.service.key_values.get(REACHED))
            await self.service.outages.channel_silent(NAME, now if last is None else last)
        else:
            await self.service.outages.channel_heard(NAME)
            await self.service.key_values.put(REACHED, repr(now))

    async def _waits_in_vain(self, info: WebhookInfo) -> bool:
        """Return True if Telegram failed to deliver waiting updates and none arrived since.

        Our own answer 500 does not count.
        """
        if not info.pending_update_count or info.last_error_date is None:
            return False
        if OWN_FAILURE in (info.last_error_message or ""):
            return False
        latest = await self.service.inbox_store.latest(NAME)
        return latest is None or latest < info.last_error_date.timestamp()

    async def _stands(self, info: WebhookInfo) -> bool:
        """Return True if the webhook is set as configured. The stored fingerprint identifies the secret."""
        same = (
            info.url == self.settings.url
            and info.max_connections in (None, MAX_CONNECTIONS)
            and (info.allowed_updates is None or sorted(info.allowed_updates) == sorted(ALLOWED))
        )
        return same and await self.service.key_values.get(FINGERPRINT) == self._fingerprint()

    async def _set(self) -> None:
        await self.bot.set_webhook(
            self.settings.url,
            secret_token=self._secret,
            allowed_updates=ALLOWED,
            max_connections=MAX_CONNECTIONS,
            drop_pending_updates=False,
        )
        await self.service.key_values.put(FINGERPRINT, self._fingerprint())
        log.info("the webhook is set: %s", self.settings.url)

    def _fingerprint(self) -> str:
        """Return a hash of the webhook's address and secret, so that the database does not contain the secret."""
        return hmac.new(self.bot.token.encode(), f"{self.settings.url} {self._secret}".encode(), sha256).hexdigest()
