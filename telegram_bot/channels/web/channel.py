"""The channel of pages: its routes, its streams and its sender."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from starlette.routing import BaseRoute

from telegram_bot.channels.web import TRAITS
from telegram_bot.channels.web.card_store import WebSender, hear_of_cards
from telegram_bot.channels.web.routes import WebRoutes
from telegram_bot.channels.web.sessions import Sessions
from telegram_bot.channels.web.source import WebSource
from telegram_bot.channels.web.streams import Streams
from telegram_bot.ingress.enrichers import Enricher
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings


class WebChannel:
    """Pages of guests, Mini Apps and big screens."""

    name = TRAITS.name
    traits = TRAITS
    exclusive = False
    """Each request goes to any one worker."""

    def __init__(
        self,
        settings: Settings,
        service: Service,
        enrichers: Iterable[Enricher],
        wake_lanes: Callable[[Iterable[str]], None],
    ) -> None:
        """`wake_lanes` has delivery look at lanes that hold notices now."""
        self.database = service.database
        self.sessions = sessions = Sessions(service)
        self.source = WebSource(service, enrichers)
        self.streams = Streams(service, sessions, wake_lanes)
        self.sender = WebSender(service.database, service.now, self.streams.wake)
        token = settings.token.get_secret_value()
        seat = settings.web_seat
        self._routes = WebRoutes(service, sessions, self.source, self.streams, settings=seat, token=token)
        self.reachable = asyncio.Event()
        self.reachable.set()  # always set: who cannot reach the pages cannot reach the web server, and nobody is asked

    async def confirm_reachable(self) -> bool:
        """Always: see `reachable`."""
        return True

    def problem(self) -> str | None:
        """None: pages are served as long as the web server runs."""
        return None

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """What the web server serves."""
        return self._routes.routes(inbox)

    async def connect(self) -> None:
        """Nothing: pages come to the bot."""

    async def listen(self, _inbox: InboxWorker) -> None:
        """Look after open pages, until cancelled; then their streams end, so that the web server can stop."""
        told = None if self.database.is_sqlite else asyncio.create_task(hear_of_cards(self.database, self.streams.wake))
        try:
            await self.streams.run()
        finally:
            self.streams.close()
            if told is not None:
                told.cancel()

    async def close(self) -> None:
        """Nothing: the streams have ended."""
