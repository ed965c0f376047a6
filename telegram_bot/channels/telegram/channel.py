"""The Telegram channel: a client, a receiver of updates (polling or webhook), and a sender."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from httpx import InvalidURL
from starlette.routing import BaseRoute
from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
)
from telegram.error import BadRequest, InvalidToken, NetworkError, RetryAfter, TelegramError

from telegram_bot.channels.telegram import TRAITS
from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.heard_notes import LARGEST_BYTES, NOTES_AT_ONCE, VoiceRecognition
from telegram_bot.channels.telegram.http_client import BotApiRequest, server_of
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.polling import FIRST_BACKOFF_SECONDS, MAX_BACKOFF_SECONDS, Polling, seconds_to_wait
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.delivery.limits import Limits
from telegram_bot.errors import MisconfiguredError, OperatorError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.internet import unusable_proxy
from telegram_bot.service import commands
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings
from telegram_bot.storage.models import READS_ALL
from telegram_bot.voice.decode import Decoder
from telegram_bot.voice.recogniser import Recogniser
from telegram_bot.voice.speaking import Speech
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue

log = logging.getLogger(__name__)

NAME_PAUSE_SECONDS: Final = 3600.0
CONNECTIONS: Final = 256
"""Enough connections for all messages that the limits allow at once (25 a second, each for 10 seconds at most). The
answer to a tap never waits for a free connection, however slow Telegram is."""
_Menu: TypeAlias = Literal["group_menu", "private_menu"]
_MENUS: Final[tuple[tuple[_Menu, BotCommandScope], ...]] = (
    ("group_menu", BotCommandScopeAllGroupChats()),
    ("private_menu", BotCommandScopeAllPrivateChats()),
)


def make_bot(settings: Settings, connections: int = CONNECTIONS, largest_answer: int | None = None) -> Bot:
    """Create a client for the configured Bot API server, with its own connections.

    Raises:
        OperatorError: the proxy that the environment names for the server cannot be used.
    """
    try:
        requests = BotApiRequest(connections, largest_answer=largest_answer), BotApiRequest(2)
    except (RuntimeError, ValueError, InvalidURL):
        raise OperatorError(unusable_proxy("Telegram")) from None
    return Bot(
        settings.require_token().get_secret_value(),
        base_url=settings.api_base_url,
        base_file_url=settings.api_file_url(),
        request=requests[0],
        get_updates_request=requests[1],
    )


def menu(page: _Menu, w: Catalogue) -> list[BotCommand]:
    """Return the commands of the menu in groups, or in private chats."""
    return [BotCommand(command.name, w.say(line)) for command, line in commands.listed_on(page)]


class TelegramChannel:
    """One bot on one Bot API server."""

    name = TRAITS.name
    traits = TRAITS

    def __init__(self, settings: Settings, service: Service, bot: Bot | None = None) -> None:
        self.bot = bot or make_bot(settings)
        self.service = service
        self.default_language = service.config.language
        limits, seat = settings.limits, settings.web_seat
        self.sender = TelegramSender(
            self.bot,
            Limits(limits.per_bot_per_second, limits.per_chat_seconds, limits.per_group_per_minute),
            service.key_values,
            Speech(dict(voice.split("=", 1) for voice in settings.voice.voices)) if service.config.speaks else None,
            SeatPages(seat.url, seat.app) if seat.opens_in_telegram else None,
        )
        self.recogniser = Recogniser(settings.voice) if service.config.hears_voice else None
        self.hearing = (
            None
            if self.recogniser is None
            else VoiceRecognition(
                self.recogniser,
                Decoder(),
                settings.voice.notes_per_minute,
                make_bot(settings, NOTES_AT_ONCE, LARGEST_BYTES),
            )
        )
        self.source = TelegramSource(self.bot, service, self.sender, self.hearing)
        self.inline = InlineMode(self.bot, service)
        self.receiver: Polling | WebhookReceiver = (
            WebhookReceiver(self.bot, service, settings.webhook, settings.webhook_secret(), self.inline)
            if settings.webhook.url
            else Polling(self.bot, settings.polling, self.inline)
        )

    async def is_in_group(self, group: int, user: int, instance: str) -> bool:
        """Return True if a person is in a group; see `TelegramSource.is_in_group`."""
        return await self.source.is_in_group(group, user, instance)

    @property
    def reachable(self) -> asyncio.Event:
        """Set while players can reach the bot."""
        return self.receiver.reachable

    async def confirm_reachable(self) -> bool:
        """Return True if players can reach the bot at this moment."""
        return await self.receiver.confirm_reachable()

    def problem(self) -> str | None:
        """Return the reason why players cannot reach the bot at the moment, or None if they can."""
        return self.receiver.problem()

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the routes for the web server."""
        return self.receiver.routes(inbox)

    async def connect(self) -> None:
        """Check the token; wait while the server cannot be reached.

        Raises:
            OperatorError: Telegram does not accept the token.
        """
        pause = FIRST_BACKOFF_SECONDS
        while True:
            try:
                await self.bot.initialize()
                if self.hearing is not None:
                    await self.hearing.files.request.initialize()
            except InvalidToken as error:
                raise MisconfiguredError("Telegram does not know this token: copy it again from @BotFather") from error
            except (NetworkError, RetryAfter) as error:
                where = server_of(self.bot)
                log.warning("%s cannot be reached (%s); trying again in %.0f s", where, error.message, pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, MAX_BACKOFF_SECONDS)
            else:
                name = self.bot.username
                log.info("playing as @%s; to add it to a group: https://t.me/%s?startgroup=play", name, name)
                reads_all = bool(self.bot.can_read_all_group_messages)
                await self.service.key_values.put(f"{READS_ALL}{self.name}", str(int(reads_all)))
                return

    async def listen(self, inbox: InboxWorker) -> None:
        """Receive updates until cancelled; set the command menus and look for a new username meanwhile."""
        menus = asyncio.create_task(self._register_menus(), name="command menus")
        name = asyncio.create_task(self._follow_name(), name="username")
        try:
            await self.receiver.listen(inbox)
        finally:
            menus.cancel()
            name.cancel()

    async def _follow_name(self) -> None:
        """Look for a new username every hour."""
        while True:
            await asyncio.sleep(NAME_PAUSE_SECONDS)
            await self.source.learn_name()

    async def _register_menus(self) -> None:
        """Set the menus of each language. People with another language see the default language's menus."""
        languages = [(self.default_language, None), *((language, language) for language in LANGUAGES)]
        waiting = [(language, code, menus) for language, code in languages for menus in _MENUS]
        pause = FIRST_BACKOFF_SECONDS
        while waiting:
            language, code, (page, scope) = waiting[0]
            try:
                await self.bot.set_my_commands(menu(page, catalogue(language)), scope, language_code=code)
            except TelegramError as error:
                log.warning("the command menus could not be set: %s", type(error).__name__)
                if isinstance(error, BadRequest):
                    return
                await asyncio.sleep(max(pause, seconds_to_wait(error)))
                pause = min(pause * 2, NAME_PAUSE_SECONDS)
            else:
                del waiting[0]

    async def close(self) -> None:
        """Close the connections."""
        await self.sender.close()
        if self.recogniser is not None:
            await self.recogniser.close()
        if self.hearing is not None:
            await self.hearing.files.request.shutdown()
        await self.inline.close()
        await self.bot.shutdown()
