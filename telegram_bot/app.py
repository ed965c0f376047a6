"""One process of the bot: build the parts, run them concurrently, stop them in order."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol

from starlette.routing import BaseRoute

from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.telegram.channel import TelegramChannel
from telegram_bot.channels.web import MOST_STREAMS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.delivery.sender import Sender
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.errors import MisconfiguredError, OperatorError
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.ingress.deadlines import DeadlineWorker, Reachability
from telegram_bot.ingress.engine_process import engine_processes
from telegram_bot.ingress.enrichers import look_ups_of_features
from telegram_bot.ingress.inbox import InboxWorker, Source
from telegram_bot.ingress.networks import Proxies
from telegram_bot.intents.channel_traits import ChannelDirectory, ChannelTraits
from telegram_bot.intents.config import MILLIONTHS, Quota, Quotas, ServiceConfig, TextCaps
from telegram_bot.observability import metrics
from telegram_bot.operations.pruning import prune_hourly
from telegram_bot.operations.until_stopped import tell_systemd
from telegram_bot.operations.web_server import WebServer
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.parsing.vocabulary import load_vocabularies
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database, try_commit
from telegram_bot.storage.models import LaneName
from telegram_bot.storage.process_lock import single_process_lock
from telegram_bot.storage.status_queries import StatusCollector
from telegram_bot.storage.who_plays import WhoPlays
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import OnTimeout, Timings, TurnClock
from telegram_bot.tables.quiet_hours import USUAL_NIGHT, QuietHours
from telegram_bot.voice.engines import can_hear
from telegram_bot.voice.voices import can_speak
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.languages import nearest_language

log = logging.getLogger(__name__)

GARBAGE_THRESHOLDS: Final = (5_000, 50)
"""With Python's defaults, 700 and 10, the garbage collector walks the objects of a thousand streams so often that taps
wait. With ten times as many young objects, each collection stops a tap for 30 ms.
"""
FINISH_SECONDS: Final = 5.0
TEXTS_PER_TABLE_PER_DAY: Final = 500
_TRAITS: Final = (
    TELEGRAM_TRAITS,
    SMS_TRAITS,
    WEB_TRAITS,
)
CHANNELS: Final = ChannelDirectory(_TRAITS)
"""The traits of every channel, in use or not."""


class Channel(Reachability, Protocol):
    """One messenger in this process."""

    @property
    def name(self) -> str:
        """Return its name, as in lanes and in the inbox."""

    @property
    def traits(self) -> ChannelTraits:
        """Return the channel's abilities, as listed in `CHANNELS`."""

    @property
    def sender(self) -> Sender:
        """Return the sender of its notices."""

    @property
    def source(self) -> Source:
        """Return the translation of stored updates into intents."""

    def problem(self) -> str | None:
        """Return why players cannot reach the bot at the moment."""

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the channel's routes in the web server."""

    async def connect(self) -> None:
        """Check the connection; wait for a server that may return, raise OperatorError otherwise."""

    async def listen(self, inbox: InboxWorker) -> None:
        """Receive updates until cancelled."""

    async def close(self) -> None:
        """Close all connections."""


def service_config(settings: Settings) -> ServiceConfig:
    """Return the installation's choices for the service; raises `MisconfiguredError` for an unknown language."""
    table, quotas, computers = settings.table, settings.quotas, settings.computer_players
    language = nearest_language(settings.languages.default, LANGUAGES)
    if language is None:
        spoken = ", ".join(LANGUAGES)
        raise MisconfiguredError(
            f"languages.default = {settings.languages.default!r} is no language of the bot: {spoken}"
        )
    return ServiceConfig(
        rules=table.rules(),
        channels=ChannelDirectory(_TRAITS, pages=bool(settings.web_seat.url)),
        pages_url=settings.web_seat.url.rstrip("/"),
        clock=TurnClock(
            seconds=table.clock_seconds,
            on_timeout=OnTimeout(table.on_timeout),
            misses_allowed=table.misses_allowed,
        ),
        timings=Timings(
            reveal_seconds=table.reveal_seconds,
            think_least_seconds=min(computers.think_least_seconds, computers.think_most_seconds),
            think_most_seconds=computers.think_most_seconds,
        ),
        language=language,
        languages=LANGUAGES,
        celebrate=table.celebrate,
        reactions=computers.reactions,
        hand_pictures=settings.pictures.hands,
        reveal_pictures=settings.pictures.reveals,
        reveal_animations=settings.pictures.animations,
        speaks=settings.voice.speak and can_speak(),
        hears_voice=can_hear(settings.voice),
        house_rules=tuple(
            HouseRules(key=house.key, title=house.title, line=house.line, rules=house.rules)
            for house in table.all_house_rules()
        ),
        engines=tuple(settings.engines.commands),
        night=QuietHours(*USUAL_NIGHT, table.time_zone),
        numbers=tuple(gateway.number for gateway in settings.sms.gateways),
        text_caps=TextCaps(
            per_phone=settings.sms.texts_per_phone_per_day,
            per_table=TEXTS_PER_TABLE_PER_DAY,
            per_day=settings.sms.texts_per_day,
            spend=round(settings.sms.spend_per_day * MILLIONTHS),
            cost=round(max((gateway.cost_per_text for gateway in settings.sms.gateways), default=0) * MILLIONTHS),
        ),
        features=settings.features,
        quotas=Quotas(
            person_taps=Quota(quotas.person_taps_per_minute),
            person_words=Quota(quotas.person_commands_per_minute),
            chat_taps=Quota(quotas.chat_taps_per_minute),
            chat_words=Quota(quotas.chat_commands_per_minute),
            live_tables=quotas.live_tables,
            tables_per_host=quotas.tables_per_host,
        ),
    )


def _sms_channels(settings: Settings, service: Service) -> Sequence[Channel]:
    """Return the channel of text messages, if a gateway is configured."""
    if not settings.sms.gateways:
        return ()
    from telegram_bot.channels.sms.channel import SmsChannel  # noqa: PLC0415 - slow to import

    return (SmsChannel(settings, service),)


async def run(settings: Settings, on_serving: Callable[[], None] = lambda: None, *, is_party: bool = False) -> None:
    """Play until cancelled; `on_serving` is called once the web server, if there is one, takes requests.

    `is_party`: when it ends, its pages say that the evening is over.

    Raises:
        OperatorError: the token, the database, the settings or another instance keeps the bot from running.
    """
    install(FEATURES, settings.features)
    with single_process_lock(settings.database_url):
        database = Database(settings.database_url)
        alive = asyncio.create_task(tell_systemd(), name="watchdog")
        try:
            await asyncio.to_thread(load_vocabularies)
            app = App(settings, database, is_party=is_party)
            if await asyncio.to_thread(schema.is_new, database.engine):
                await asyncio.to_thread(schema.migrate, settings.database_url)
            async with app.playing():
                # Only now: a process of an earlier version that played until now has ended, or may write no more.
                await asyncio.to_thread(schema.migrate, settings.database_url)
                gc.freeze()
                gc.set_threshold(*GARBAGE_THRESHOLDS)
                await app.run(on_serving)
        finally:
            alive.cancel()
            database.close()


class App:
    """The parts of one process, which run concurrently."""

    def __init__(self, settings: Settings, database: Database, *, is_party: bool = False) -> None:
        """Raise OperatorError if a channel's traits are not listed: the service would take it for removed."""
        self.settings = settings
        self.is_party = is_party
        self.database = database
        self.who_plays = WhoPlays(database)
        self.service = Service(database, service_config(settings), parse_text=parse_text)
        self.telegram = None if not settings.token.get_secret_value() else TelegramChannel(settings, self.service)
        self._wake_pages: Callable[[Iterable[LaneName]], None] = lambda _: None
        self.channels: Sequence[Channel] = (
            *(() if self.telegram is None else (self.telegram,)),
            *_sms_channels(settings, self.service),
            *self._web_channels(),
        )
        for channel in self.channels:
            if CHANNELS.traits(channel.name) != channel.traits:
                raise OperatorError(f"the traits of the channel {channel.name} are missing in CHANNELS")
        senders = {channel.name: channel.sender for channel in self.channels}
        self.delivery = DeliveryWorker(self.service, senders, now=self.service.now, pages=self._wake_pages)
        self.inbox = InboxWorker(self.service, self.delivery.wake, [channel.source for channel in self.channels])
        self.computers = ComputerRequestWorker(
            self.service,
            self.delivery.wake,
            processes=settings.computer_players.processes,
            engines=engine_processes(settings.engines),
        )
        self.deadlines = DeadlineWorker(
            self.service,
            self.delivery.wake,
            self.channels,
            self.computers.begin_call,
            self.computers.begin_computation,
        )
        self.web = self._web_server()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._migrated = False
        self._commit: asyncio.Task[None] | None = None
        """The last trial commit, which may still run."""

    async def _is_in_group(self, group: int, person: int, instance: str) -> bool:
        return self.telegram is not None and await self.telegram.is_in_group(group, person, instance)

    def _web_channels(self) -> Sequence[Channel]:
        """Return the web channel, if it has an address."""
        if not self.settings.web_seat.url:
            return ()
        from telegram_bot.channels.web.channel import WebChannel  # noqa: PLC0415 - slow to import

        enrichers = look_ups_of_features(self.service)
        pages = WebChannel(self.settings, self.service, enrichers, self._wake, self._is_in_group)
        pages.streams.is_party = self.is_party
        self._wake_pages = pages.streams.wake
        return (pages,)

    def _wake(self, lanes: Iterable[LaneName]) -> None:
        """Tell delivery, which is created after the channels, which lanes have work."""
        self.delivery.wake(lanes)

    def _web_server(self) -> WebServer | None:
        port = self.settings.web_port()
        if port is None:
            return None
        routes = [route for channel in self.channels for route in channel.routes(self.inbox)]
        sms = self.settings.sms
        status = StatusCollector(
            self.database,
            now=self.service.now,
            texts_per_day=sms.texts_per_day if sms.gateways else 0,
            spend_per_day=sms.spend_per_day if sms.gateways else 0,
        )
        routes.append(metrics.route(self.settings.metrics.token.get_secret_value(), status, status.refresh))
        checks = {"database": self._database_trouble, "tasks": self._task_trouble, "channels": self._channel_trouble}
        seat = self.settings.web_seat
        streams = MOST_STREAMS if seat.url else 0
        return WebServer(self.settings.web.host, port, routes, checks, streams=streams, proxies=Proxies(seat))

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        """Stand by until this process plays, for the length of a `with`: the web server answers 503 meanwhile."""
        try:
            if self.web is not None:
                self.web.stands_by = True
                await self.web.start()
            await self.who_plays.take_over()
            yield
        finally:
            if self.web is not None:
                await self.web.stop()
            await self.who_plays.give_back()

    async def run(self, on_serving: Callable[[], None] = lambda: None) -> None:
        """Recover, then receive, sweep and send until cancelled; `on_serving`: see `run`."""
        try:
            await asyncio.gather(*(channel.connect() for channel in self.channels))
            await self._play(on_serving)
        finally:
            await asyncio.gather(*(channel.close() for channel in self.channels), return_exceptions=True)

    async def _play(self, on_serving: Callable[[], None]) -> None:
        await self.service.outages.synchronize_clock()
        await self.inbox.take_over()
        delivery = asyncio.create_task(self.delivery.run(), name="delivery")
        try:
            if self.web is not None:
                self.web.stands_by = False
            on_serving()
            pruning = prune_hourly(self.service, keep_games_days=self.settings.storage.keep_games_days)
            self._tasks = {
                "delivery": delivery,
                "deadlines": asyncio.create_task(self.deadlines.run(), name="deadlines"),
                "inbox": asyncio.create_task(self.inbox.run(), name="inbox"),
                "housekeeping": asyncio.create_task(pruning, name="housekeeping"),
            }
            if self.who_plays.renewing is not None:
                self._tasks["who plays"] = self.who_plays.renewing
            for channel in self.channels:
                self._tasks[channel.name] = asyncio.create_task(channel.listen(self.inbox), name=channel.name)
            done, _ = await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            await self._wind_down(delivery)

    async def _wind_down(self, delivery: asyncio.Task[None]) -> None:
        """Stop receiving, finish the running tasks, leave the rest in the database."""
        tasks = [task for task in self._tasks.values() if task is not delivery]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.computers.close()
        if self.web is not None:
            await self.web.stop()
        await self.inbox.stop(FINISH_SECONDS)
        await self.delivery.stop()
        await asyncio.gather(delivery, return_exceptions=True)

    # Health

    async def _database_trouble(self) -> str | None:
        if self._commit is None or self._commit.done():
            self._commit = asyncio.create_task(self.database.run(try_commit), name="trial commit")
            self._commit.add_done_callback(lambda trial: trial.cancelled() or trial.exception())
        await asyncio.shield(self._commit)  # a hanging one continues: further ones would hang as well
        if not self._migrated:  # once true, it remains true while this version runs
            self._migrated = await asyncio.to_thread(schema.is_current, self.database.engine)
        return None if self._migrated else "is not up to date: perudo-bot migrate"

    async def _task_trouble(self) -> str | None:
        ended = [name for name, task in self._tasks.items() if task.done()]
        if not self._tasks:
            return "starts, or stands by while another process plays"
        return f"ended: {', '.join(ended)}" if ended else None

    async def _channel_trouble(self) -> str | None:
        troubles = [trouble for channel in self.channels if (trouble := channel.problem())]
        return "; ".join(troubles) or None
