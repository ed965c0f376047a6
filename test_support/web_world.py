"""The whole channel of pages (routes, inbox, service, outbox, streams) beside a group whose messages are recorded."""

import json
import random
from collections.abc import Callable, Iterable
from contextlib import aclosing
from typing import Any, Final

import httpx
from sqlmodel import select
from starlette.applications import Starlette

from perudo_core import Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.channel import WebChannel
from telegram_bot.delivery import lanes
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service import intents as i
from telegram_bot.service.channel_traits import ChannelDirectory
from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.notices import Envelope, MessageRef
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table, Timings

TOKEN: Final = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi"
URL: Final = "https://perudo.test"
NOON: Final = 1_700_049_600.0
GROUP: Final = -1000

Json = dict[str, Any]


class RecordingTelegram:
    """A messenger that keeps what it was to send."""

    name = "telegram"
    limits = Limits(0, 0, 0)

    def __init__(self) -> None:
        self.sent: list[Envelope] = []
        self.down = False

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        self.sent.append(envelope)
        return SendResult(1000 + len(self.sent) if target is None else target.message, keyboard=True)

    def to(self, address: int) -> list[str]:
        """The kinds of notices that were sent to a chat."""
        return [envelope.notice.kind for envelope in self.sent if envelope.chat == address]


class _Rest:
    """A wait that ends when everything is settled next."""

    def cancel(self) -> None:
        """It ends all the same; to look once more does no harm."""


class WebWorld:
    """Pages, and a bot that answers. Time passes only when a test says so."""

    def __init__(self, database: Database, *, seed: int = 3, reveal_seconds: float = 0) -> None:
        self.database = database
        self.now = NOON
        config = ServiceConfig(
            rules=Rules.preset("box_2009"),
            channels=ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS)),
            timings=Timings(reveal_seconds=reveal_seconds),
            reveal_animations=False,
            fair_dice=False,
            languages=("en", "it"),
        )
        self.service = Service(database, config, rng=random.Random(seed), now=lambda: self.now)
        settings = Settings(token=TOKEN, web_seat=WebSeatSettings(url=URL, tables=True))
        self.telegram = RecordingTelegram()
        self.channel = WebChannel(settings, self.service, (), self._wake)
        senders: dict[str, Sender] = {"telegram": self.telegram, "web": self.channel.sender}
        self._resting: list[Callable[[], None]] = []
        self.delivery = DeliveryWorker(self.service, senders, now=lambda: self.now, later=self._rest)
        self.inbox = InboxWorker(self.service, self.delivery.wake, [self.channel.source])
        self.app = Starlette(routes=list(self.channel.routes(self.inbox)))
        self._asked = 0

    def browser(self, address: str = "192.0.2.1") -> "Browser":
        """Somebody's browser, without a cookie yet."""
        return Browser(self, address)

    def _rest(self, _seconds: float, look: Callable[[], None]) -> "_Rest":
        """Have a lane that waits look again when everything is settled next: no time passes by itself."""
        self._resting.append(look)
        return _Rest()

    def _wake(self, names: Iterable[str]) -> None:
        self.delivery.wake(names)

    async def settle(self) -> None:
        """Handle all acts and send all waiting notices whose time has come."""
        await self.inbox.idle()
        resting, self._resting = self._resting, []
        for look in resting:
            look()
        await self.delivery.idle()
        while found := await self.database.run(
            lambda session: lanes.lanes_with_work(session, ["telegram", "web"], self.now)
        ):
            self.delivery.wake(found)
            await self.delivery.idle()

    async def telegram_asks(self, address: int, what: i.What, **more: Any) -> HandleResult:
        """Somebody in the group asks for something by their messenger."""
        self._asked += 1
        who = i.Person("telegram", address, f"Person {address}")
        where = None if more.pop("private", False) else i.Place("telegram", GROUP, title="Friends")
        cause = f"t{self._asked}"
        result = await self.service.handle(
            i.Intent("telegram", cause, who, what, where=where, answered_by="toast", **more)
        )
        await self.settle()
        return result

    def table(self, number: int = 1) -> Table:
        with self.database.transaction() as session:
            return Table.model_validate(session.get_one(GameTable, number).state)

    def rows(self, kind: type[Any]) -> list[Any]:
        with self.database.transaction() as session:
            return list(session.exec(select(kind)))


class Browser:
    """One browser: its cookie or token, and what its page has drawn."""

    def __init__(self, world: WebWorld, address: str) -> None:
        self.world = world
        self.token: str | None = None
        self.cursor = "0.0"
        self.acts = 0
        transport = httpx.ASGITransport(app=world.app, client=(address, 1))
        self.client = httpx.AsyncClient(transport=transport, base_url=URL, headers={"Origin": URL})

    async def post(self, name: str, /, **body: Any) -> httpx.Response:
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        answer = await self.client.post(f"/seat/{name}", json=body, headers=headers)
        await self.world.settle()
        return answer

    async def ask(self, name: str, /, **body: Any) -> Json:
        answer = await self.post(name, **body)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        self.token = found.get("token") or self.token
        return found

    async def act(self, act: str, /, **more: Any) -> Json:
        self.acts += 1
        return await self.ask("act", id=more.pop("id", f"a{self.acts}"), act=act, **more)

    async def events(self, after: str | None = None) -> list[str]:
        """The bytes of a stream from a cursor up to the moment at which it has told everything."""
        token = self.token or self.client.cookies.get("__Host-seat") or ""
        page = await self.world.channel.sessions.find(token)
        assert page is not None
        public, private = (after or self.cursor).split(".")
        told: list[str] = []
        async with aclosing(self.world.channel.streams.events(page, (int(public), int(private)))) as stream:
            async for event in stream:
                told.append(event)
                if "event: ready" in event:
                    break
        await self.world.settle()
        return told

    async def cards(self, after: str | None = None) -> list[Json]:
        """The cards since the last look, or since a cursor."""
        found = []
        for event in await self.events(after):
            lines = dict(line.split(": ", 1) for line in event.strip().split("\n"))
            self.cursor = lines.get("id", self.cursor)
            if lines.get("event") == "card":
                found.append(json.loads(lines["data"]))
        return found

    async def card(self, kind: str) -> Json:
        """The last card of a kind, as a page that is opened now draws it."""
        return next(card for card in reversed(await self.cards("0.0")) if card["card"] == kind)


async def a_room(world: WebWorld, *names: str) -> list[Browser]:
    """Guests in a room that the first of them has opened."""
    host, *others = [world.browser(f"192.0.2.{number}") for number in range(1, len(names) + 1)]
    code = (await host.ask("open", name=names[0], language="en"))["code"]
    key = (await host.ask("room", do="show"))["link"].partition("#")[2]
    for browser, name in zip(others, names[1:], strict=True):
        await browser.ask("enter", code=code, key=key, name=name, language="en")
        assert (await browser.act("join"))["done"]
    return [host, *others]
