"""The web channel: its routes, its streams and its sender."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from starlette.routing import BaseRoute

from telegram_bot.channels.web import TRAITS
from telegram_bot.channels.web.card_store import WebSender
from telegram_bot.channels.web.routes import IsInGroup, WebRoutes
from telegram_bot.channels.web.source import WebSource
from telegram_bot.channels.web.streams import Streams
from telegram_bot.ingress.enrichers import Enricher
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings
from telegram_bot.storage.models import LaneName


class WebChannel:
    """The channel of guests, Mini Apps and televisions."""

    name = TRAITS.name
    traits = TRAITS

    def __init__(
        self,
        settings: Settings,
        service: Service,
        enrichers: Iterable[Enricher],
        wake_lanes: Callable[[Iterable[LaneName]], None],
        is_in_group: IsInGroup,
    ) -> None:
        """`wake_lanes` tells delivery which lanes have notices."""
        self.source = WebSource(service, enrichers)
        self.streams = Streams(service, wake_lanes)
        self.sender = WebSender(service.database, service.now, self.streams.wake)
        token = settings.token.get_secret_value()
        seat = settings.web_seat
        self._routes = WebRoutes(
            service, self.source, self.streams, settings=seat, token=token, is_in_group=is_in_group
        )
        self.reachable = asyncio.Event()
        self.reachable.set()  # always set: a page that cannot reach the web server cannot reach any part of the bot

    async def confirm_reachable(self) -> bool:
        """Return True: see `reachable`."""
        return True

    def problem(self) -> str | None:
        """Return None, because pages work as long as the web server runs."""
        return None

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the routes of the web server."""
        return self._routes.routes(inbox)

    async def connect(self) -> None:
        """Do nothing: pages connect to the bot."""

    async def listen(self, _inbox: InboxWorker) -> None:
        """Look after open pages until cancelled; then end their streams, so that the web server can stop."""
        try:
            await self.streams.run()
        finally:
            self.streams.close()

    async def close(self) -> None:
        """Stop drawing; the streams have ended."""
        self._routes.artist.close()
