"""The Telegram channel: a client, a receiver of updates (polling or webhook), a sender."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from starlette.routing import BaseRoute
from telegram import Bot
from telegram.error import InvalidToken, NetworkError, RetryAfter, TelegramError

from telegram_bot.channels.telegram import command_menus
from telegram_bot.channels.telegram.http_client import AiohttpRequest, check_proxy
from telegram_bot.channels.telegram.polling import MAX_BACKOFF_SECONDS, Polling
from telegram_bot.channels.telegram.sender import NAME, TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.delivery.limits import Limits
from telegram_bot.errors import StartError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings

log = logging.getLogger(__name__)

CONNECTIONS: Final = 256
"""Room for every message that the limits let be under way (25 a second, each for 10 seconds at most), so that the
answer to a tap never waits for a free connection, however slow Telegram is."""


def make_bot(settings: Settings) -> Bot:
    """A client for the configured Bot API server.

    Raises:
        StartError: the proxy that the environment names for it cannot be used.
    """
    check_proxy(settings.api_base_url)
    return Bot(
        settings.require_token().get_secret_value(),
        base_url=settings.api_base_url,
        base_file_url=settings.api_file_url,
        request=AiohttpRequest(CONNECTIONS),
        get_updates_request=AiohttpRequest(2),
    )


class TelegramChannel:
    """One bot on one Bot API server."""

    name = NAME

    def __init__(self, settings: Settings, service: Service, bot: Bot | None = None) -> None:
        self.bot = bot or make_bot(settings)
        self.default_language = service.config.language
        limits = settings.limits
        self.sender = TelegramSender(
            self.bot, Limits(limits.per_bot_per_second, limits.per_chat_seconds, limits.per_group_per_minute)
        )
        self.source = TelegramSource(self.bot, service, self.sender)
        self.receiver: Polling | WebhookReceiver = (
            WebhookReceiver(self.bot, service, settings.webhook, settings.webhook_secret())
            if settings.webhook.url
            else Polling(self.bot, settings.polling.timeout_seconds)
        )

    @property
    def exclusive(self) -> bool:
        """Whether no other process can hear this channel at the same time."""
        return self.receiver.exclusive

    @property
    def reachable(self) -> asyncio.Event:
        """Set while the players can be heard."""
        return self.receiver.reachable

    async def confirm_reachable(self) -> bool:
        """Whether they can be heard at this very moment."""
        return await self.receiver.confirm_reachable()

    def problem(self) -> str | None:
        """Why they cannot be heard at the moment."""
        return self.receiver.problem()

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """What the web server is to serve."""
        return self.receiver.routes(inbox)

    async def connect(self) -> None:
        """Make sure that the token works; wait for a server that cannot be reached yet.

        Raises:
            StartError: Telegram does not know the token.
        """
        pause = 1.0
        while True:
            try:
                await self.bot.initialize()
            except InvalidToken as error:
                raise StartError("Telegram does not know this token: copy it again from @BotFather") from error
            except (NetworkError, RetryAfter):
                log.warning("the Bot API server cannot be reached; trying again in %.0f s", pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, MAX_BACKOFF_SECONDS)
            else:
                log.info("playing as @%s", self.bot.username)
                return

    async def listen(self, inbox: InboxWorker) -> None:
        """Hear what players say, until cancelled."""
        await self._register_commands()
        await self.receiver.listen(inbox)

    async def _register_commands(self) -> None:
        try:
            await command_menus.register(self.bot, self.default_language)
        except TelegramError as error:
            log.warning("the command menus could not be set: %s", type(error).__name__)

    async def close(self) -> None:
        """Let go of the connections."""
        await self.bot.shutdown()
