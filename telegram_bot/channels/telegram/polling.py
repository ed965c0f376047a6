"""Receive updates by long polling, which needs no public address and allows one process."""

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from starlette.routing import BaseRoute
from telegram import Bot
from telegram.error import Conflict, EndPointNotFound, InvalidToken, RetryAfter, TelegramError, TimedOut

from telegram_bot.channels.telegram import NAME
from telegram_bot.channels.telegram.http_client import NoAnswerError, server_of
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.received import update_number
from telegram_bot.channels.telegram.updates import ALLOWED
from telegram_bot.errors import MisconfiguredError, OperatorError, UnreadableError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.settings import PollingSettings
from telegram_bot.storage.database import reason

log = logging.getLogger(__name__)

FIRST_BACKOFF_SECONDS: Final = 1.0
MAX_BACKOFF_SECONDS: Final = 30.0
ANSWER_MARGIN_SECONDS: Final = 10.0
SURE_SECONDS: Final = 5.0
"""How long Telegram's last answer proves that players can reach the bot; also the time limit of an answer."""
CONFLICT_PAUSE_SECONDS: Final = 0.3
"""Much shorter than a new process's check: the check must see that this process polls again."""
BUSY_PAUSE_SECONDS: Final = 0.3
MOST_REFUSALS: Final = 10
"""How often in a row Telegram may refuse the token of a bot that has been playing, in about two minutes: now and then
it refuses a valid one."""
OUTRANKED: Final = (
    "another bot polls with this token already, on this machine or another one. This one, which came later, stops: "
    "stop the other first, or give this one a token of its own"
)


class Polling:
    """Polls in a loop, and confirms updates only after they are stored.

    Telegram ends the older of two polls with one token with 409. The newer process must stop: it checks at its start
    whether another process polls again, and a process that has been polling continues after a 409.
    """

    timeout_seconds = 25
    """How long Telegram may hold a request open while there are no updates."""
    unsure_seconds = 60.0
    """After a 409 within this time after its start this process checks again: the other one is newer, and is checking,
    or it was there before, and paused during the check."""

    def __init__(self, bot: Bot, settings: PollingSettings, inline: InlineMode | None = None) -> None:
        self.bot = bot
        self.inline = inline
        self.settings = settings
        self.reachable = asyncio.Event()
        self._pause = FIRST_BACKOFF_SECONDS
        self._offset: int | None = None
        self._heard_at = float("-inf")
        self._inline: dict[int, bool] = {}
        """The updates that are not stored yet: whether inline mode has taken each."""
        self._asking: asyncio.Task[list[dict[str, Any]]] | None = None
        self._conflicts = LogThrottle()

    def routes(self, _inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return no routes: polling needs none."""
        return ()

    def problem(self) -> str | None:
        """Return why no updates arrive at the moment, or None if they do."""
        return None if self.reachable.is_set() else "Telegram does not answer"

    async def listen(self, inbox: InboxWorker) -> None:
        """Poll for updates until cancelled.

        Raises:
            OperatorError: another process polled with the same token before this one started, or has set a webhook, or
                Telegram does not accept the token any more.
        """
        await self._without_webhook()
        await self._look_for_another()
        unsure_until = time.monotonic() + (self.unsure_seconds if self.settings.probe_seconds else 0)
        refusals = 0
        while True:
            try:
                raw = await self._next_updates()
            except Conflict as error:
                if "webhook" in error.message.lower():
                    raise OperatorError(
                        f"{error.message}. Only one instance may run; see: perudo-bot doctor"
                    ) from error
                reason = (
                    "someone else asks Telegram for this bot's updates; of two bots the one that started later stops"
                )
                if line := self._conflicts.line_for(reason):
                    log.error("%s", line)  # noqa: TRY400 - the traceback says nothing more
                await asyncio.sleep(CONFLICT_PAUSE_SECONDS)
                if time.monotonic() < unsure_until:
                    await self._look_for_another()
                continue
            except TelegramError as error:
                refusals = refusals + 1 if isinstance(error, InvalidToken) else 0
                if refusals == MOST_REFUSALS:
                    raise MisconfiguredError("Telegram does not know this token any more") from error
                self.reachable.clear()
                await self._rest("no updates", error)
                continue
            self._heard_at, refusals = time.monotonic(), 0
            numbered = {number: update for update in raw if (number := update_number(update)) is not None}
            if raw and not numbered:
                await self._rest("no updates that can be confirmed", UnreadableError("update_id"))
                continue
            if numbered:
                for number, update in numbered.items():
                    if number not in self._inline:
                        self._inline[number] = self.inline is not None and self.inline.takes(update)
                stored = [(str(number), update) for number, update in numbered.items() if not self._inline[number]]
                try:
                    if stored:
                        await inbox.store(NAME, stored)
                except Exception as error:  # noqa: BLE001 - nothing is lost: they are asked for again
                    await self._rest("updates could not be written down", error)
                    continue
                self._inline.clear()
                self._offset = max(numbered) + 1
            self._pause = FIRST_BACKOFF_SECONDS
            if not self.reachable.is_set():
                # Updates sent during the outage are handled before deadlines count again.
                await inbox.idle()
                self.reachable.set()

    async def confirm_reachable(self) -> bool:
        """Return True if Telegram answers now, even while a poll hangs."""
        if time.monotonic() - self._heard_at < SURE_SECONDS:
            return True
        for _ in range(2):
            with suppress(TelegramError, TimeoutError):
                async with asyncio.timeout(SURE_SECONDS):
                    await self.bot.get_me()
                self._heard_at = time.monotonic()
                return True
        self.reachable.clear()
        if self._asking is not None:
            self._asking.cancel()
        return False

    async def _look_for_another(self) -> None:
        """Poll for some seconds without confirming, so that a bot that was there first loses no update.

        An older process polls again meanwhile. A newer one, whose own check this poll ends, does not.

        Raises:
            MisconfiguredError: another process has polled meanwhile, so it was there before.
        """
        until = time.monotonic() + self.settings.probe_seconds
        while (left := until - time.monotonic()) > 0:
            seconds = math.ceil(left)
            try:
                waiting = await self._get_updates(seconds, limit=1)
            except Conflict as error:
                raise MisconfiguredError(OUTRANKED) from error
            except InvalidToken as error:
                raise MisconfiguredError("Telegram does not know this token any more") from error
            except TelegramError as error:
                await self._rest("no updates", error)
                until = time.monotonic() + self.settings.probe_seconds
            else:
                self._pause = FIRST_BACKOFF_SECONDS
                if waiting:  # another process, if there is one, will take them soon
                    await asyncio.sleep(min(left, BUSY_PAUSE_SECONDS))

    async def _next_updates(self) -> list[dict[str, Any]]:
        """Poll once, and stop when `confirm_reachable` finds that Telegram does not answer."""
        seconds = self.timeout_seconds if self.reachable.is_set() else 0
        self._asking = asyncio.create_task(self._get_updates(seconds, offset=self._offset))
        try:
            return await self._asking
        except asyncio.CancelledError:
            if not self._asking.cancelled() or asyncio.current_task().cancelling():  # type: ignore[union-attr]
                self._asking.cancel()
                raise
            raise TimedOut from None

    async def _rest(self, request: str, error: Exception) -> None:
        wait = seconds_to_wait(error) or self._pause
        why = reason(error)
        if isinstance(error, TelegramError):
            why = f"{server_of(self.bot)}: {error.message}"
        log.warning("%s (%s); trying again in %.0f s", request, why, wait)
        await asyncio.sleep(wait)
        self._pause = min(self._pause * 2, MAX_BACKOFF_SECONDS)

    async def _without_webhook(self) -> None:
        """Delete a webhook that an earlier configuration set: with a webhook Telegram answers no polls."""
        while True:
            try:
                if (await self.bot.get_webhook_info()).url:
                    await self.bot.delete_webhook(drop_pending_updates=False)
                    log.warning("a webhook was set for this bot; it is removed, because no webhook.url is configured")
            except TelegramError as error:
                await self._rest("the webhook could not be looked at", error)
            else:
                self._pause = FIRST_BACKOFF_SECONDS
                return

    async def _get_updates(self, seconds: int, **parameters: int | None) -> list[dict[str, Any]]:
        """Return the updates as JSON. `Bot.get_updates` would refuse and log a whole batch for one bad update."""
        asked = {"timeout": seconds, "allowed_updates": ALLOWED} | parameters
        patience = seconds + ANSWER_MARGIN_SECONDS
        try:
            found: list[dict[str, Any]] = await self.bot.do_api_request(
                "getUpdates", api_kwargs=asked, read_timeout=patience
            )
        except EndPointNotFound as error:  # the library's word for 401 and 404, but every server has this method
            raise InvalidToken("the token is refused") from error
        if not isinstance(found, list):
            raise NoAnswerError("no list of updates")
        return found


def seconds_to_wait(error: Exception) -> float:
    """Return how many seconds Telegram asks the bot to wait."""
    if not isinstance(error, RetryAfter):
        return 0
    wait = error.retry_after
    return float(wait) if isinstance(wait, int | float) else wait.total_seconds()
