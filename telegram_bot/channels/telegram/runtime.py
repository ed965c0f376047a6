"""The bot's process: its own poll loop, the deadlines, the delivery, and an orderly end."""

from __future__ import annotations

import asyncio
import logging
import time
import warnings
from contextlib import suppress
from typing import Any, Final

from telegram import Bot
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.request import HTTPXRequest
from telegram.warnings import PTBUserWarning

from telegram_bot.channels.telegram import commands
from telegram_bot.channels.telegram.inbox import Inbox
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.updates import ALLOWED
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.worker import Delivery
from telegram_bot.service.service import Service
from telegram_bot.service.work import House
from telegram_bot.settings import Settings
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.tables.model import Clock, OnTimeout, Pace

log = logging.getLogger(__name__)

# Asked for raw: the library would refuse a whole batch for one update that it cannot read.
_ADVICE: Final = "Please use 'Bot.getUpdates'"
warnings.filterwarnings("ignore", message=_ADVICE, category=PTBUserWarning)

SWEEP_SECONDS: Final = 0.5
HEARTBEAT_SECONDS: Final = 10.0
PRUNE_SECONDS: Final = 3600.0
MOST_BACKOFF_SECONDS: Final = 30.0
ANSWER_MARGIN_SECONDS: Final = 10.0
CONNECTIONS: Final = 32


class StartError(Exception):
    """The bot cannot run; the message says what to do."""


def house_of(settings: Settings) -> House:
    """The installation's choices as the service takes them."""
    table = settings.table
    return House(
        rules=table.rules(),
        clock=Clock(
            seconds=table.clock_seconds,
            on_timeout=OnTimeout(table.on_timeout),
            misses_allowed=table.misses_allowed,
        ),
        pace=Pace(
            reminder_seconds=table.reminder_seconds,
            away_seconds=table.away_seconds,
            claim_window_seconds=table.claim_window_seconds,
            lobby_idle_seconds=table.lobby_idle_minutes * 60,
            most_seats=table.max_seats_unlimited,
        ),
        language=settings.languages.default,
    )


def make_bot(settings: Settings) -> Bot:
    """A client for the configured Bot API server."""
    return Bot(
        settings.require_token().get_secret_value(),
        base_url=settings.api_base_url,
        base_file_url=settings.api_file_url,
        request=HTTPXRequest(connection_pool_size=CONNECTIONS, pool_timeout=5.0),
        get_updates_request=HTTPXRequest(connection_pool_size=2),
    )


async def run(settings: Settings) -> None:
    """Play until cancelled.

    Raises:
        StartError: the token, the database or another instance keeps the bot from running.
    """
    database = Database(settings.database_url)
    try:
        await asyncio.to_thread(schema.upgrade, database.engine)
        bot = make_bot(settings)
        await _greet(bot)
        try:
            await Runtime(settings, database, bot).run()
        finally:
            await bot.shutdown()
    finally:
        database.close()


async def _greet(bot: Bot) -> None:
    """Make sure that the token works; wait for a server that cannot be reached yet."""
    pause = 1.0
    while True:
        try:
            await bot.initialize()
        except InvalidToken as error:
            raise StartError("Telegram does not know this token: copy it again from @BotFather") from error
        except (NetworkError, RetryAfter):
            log.warning("the Bot API server cannot be reached; trying again in %.0f s", pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, MOST_BACKOFF_SECONDS)
        else:
            return


class Runtime:
    """Everything that runs side by side in one process."""

    def __init__(self, settings: Settings, database: Database, bot: Bot) -> None:
        self.settings = settings
        self.bot = bot
        self.service = Service(database, house_of(settings))
        limits = settings.limits
        self.sender = TelegramSender(
            bot, Limits(limits.per_bot_per_second, limits.per_chat_seconds, limits.per_group_per_minute)
        )
        self.delivery = Delivery(self.service, {self.sender.name: self.sender})
        self.inbox = Inbox(bot, self.service, self.sender, self.delivery)
        self._hears = asyncio.Event()

    async def run(self) -> None:
        """Recover, then poll, sweep and send until cancelled."""
        log.info("playing as @%s", self.bot.username)
        await self._register_commands()
        await self.delivery.take_over()
        self.delivery.wake(await self.service.after_outage())
        await self.inbox.recover()
        tasks = [
            asyncio.create_task(self.delivery.run(), name="delivery"),
            asyncio.create_task(self._sweep(), name="deadlines"),
            asyncio.create_task(self._poll(), name="updates"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks[1:]:
                task.cancel()
            await asyncio.gather(*tasks[1:], return_exceptions=True)
            await self.inbox.idle()
            await self.delivery.stop()
            await asyncio.gather(tasks[0], return_exceptions=True)

    async def _register_commands(self) -> None:
        try:
            await commands.register(self.bot)
        except TelegramError as error:
            log.warning("the command menus could not be set: %s", type(error).__name__)

    # What comes in

    async def _poll(self) -> None:
        """Ask for updates; move on only after they are written down."""
        offset: int | None = None
        pause = 1.0
        silent_since: float | None = None
        while True:
            try:
                raw = await self._get_updates(offset)
            except Conflict as error:
                raise StartError(f"{error.message}. Only one instance may poll; see: perudo-bot doctor") from error
            except InvalidToken as error:
                raise StartError("Telegram does not know this token any more") from error
            except TelegramError as error:
                self._hears.clear()
                silent_since = silent_since or time.time()
                wait = float(error.retry_after) if isinstance(error, RetryAfter) else pause  # type: ignore[arg-type]
                log.warning("no updates (%s); trying again in %.0f s", type(error).__name__, wait)
                await asyncio.sleep(wait)
                pause = min(pause * 2, MOST_BACKOFF_SECONDS)
                continue
            if raw:
                try:
                    await self.inbox.store(raw)
                except Exception:
                    log.exception("updates could not be written down; trying again in %.0f s", pause)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, MOST_BACKOFF_SECONDS)
                    continue
                offset = max(update["update_id"] for update in raw) + 1
            if not self._hears.is_set():
                # What was said during the silence comes before what the clocks say.
                await self.inbox.idle()
                if silent_since is not None:
                    self.delivery.wake(await self.service.after_outage(silent_since=silent_since))
                silent_since, pause = None, 1.0
                self._hears.set()

    async def _get_updates(self, offset: int | None) -> list[dict[str, Any]]:
        timeout = self.settings.polling.timeout_seconds if self._hears.is_set() else 0
        request: dict[str, object] = {"timeout": timeout, "allowed_updates": list(ALLOWED)}
        if offset is not None:
            request["offset"] = offset
        found = await self.bot.do_api_request(
            "getUpdates", api_kwargs=request, read_timeout=timeout + ANSWER_MARGIN_SECONDS
        )
        return list(found)

    # What is due

    async def _sweep(self) -> None:
        """Do what is due, as long as the players can be heard."""
        beat = pruned = float("-inf")
        while True:
            await self._hears.wait()
            try:
                for table in await self.service.due_tables():
                    await self._meet_deadline(table)
                if time.monotonic() - pruned >= PRUNE_SECONDS:
                    pruned = time.monotonic()
                    await self.service.prune()
                if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                    beat = time.monotonic()
                    await self.service.heartbeat()
            except Exception:
                log.exception("looking for deadlines failed")
            await asyncio.sleep(SWEEP_SECONDS)

    async def _meet_deadline(self, table: int) -> None:
        """Do what is due at one table; trouble there keeps no other table waiting."""
        try:
            outcome = await self.service.on_deadline(table)
        except Exception:
            log.exception("a deadline of table %s failed", table)
            with suppress(Exception):
                await self.service.postpone(table)
        else:
            self.delivery.wake(outcome.lanes)
