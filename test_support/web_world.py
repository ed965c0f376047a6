"""The whole channel of pages (routes, inbox, service, outbox, streams) with a group whose messages are recorded."""

import json
from collections.abc import AsyncGenerator, Iterable
from typing import Any, Final
from urllib.parse import urlencode

import httpx
from starlette.applications import Starlette

from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.channel import WebChannel
from telegram_bot.channels.web.sessions import Page, find_page
from telegram_bot.channels.web.streams import Stream
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, StartPrivateChat
from telegram_bot.service.service import HandleResult
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.model import Timings
from telegram_sandbox import web_apps
from test_support.in_process_world import InProcessWorld

TOKEN: Final = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi"
URL: Final = "https://perudo.test"
SEAT: Final = WebSeatSettings(url=URL, tables=True)
GROUP: Final = -1000
FRIENDS: Final = i.Place("telegram", GROUP, title="Friends")
INSTANCE: Final = "7919000"
"""The second number of the group's chat."""

Json = dict[str, Any]


def init_data(user: int, at: float, name: str = "Ana", *, token: str = TOKEN, language: str = "it", **more: str) -> str:
    fields = {
        "user": json.dumps({"id": user, "first_name": name, "language_code": language}),
        "auth_date": str(int(at)),
        "signature": "made-for-others",
        **more,
    }
    return urlencode(fields | {"hash": web_apps._hash(fields, token)})


def from_group(code: str, instance: str = INSTANCE) -> dict[str, str]:
    """Return the fields of initData after a tap on the group's button."""
    return {"start_param": code, "chat_type": "supergroup", "chat_instance": instance}


class RecordingTelegram:
    """A messenger that records notices instead of sending them."""

    name, limits = "telegram", Limits(0, 0, 0)

    def __init__(self) -> None:
        self.sent: list[Envelope] = []

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        self.sent.append(envelope)
        return SendResult(1000 + len(self.sent) if target is None else target.message, keyboard=True)

    def to(self, address: int) -> list[str]:
        return [envelope.notice.kind for envelope in self.sent if envelope.chat == address]


class WebWorld(InProcessWorld):
    """Pages, and a bot that answers. The clock changes only when a test changes it."""

    def __init__(
        self, database: Database, *, seed: int = 3, reveal_seconds: float = 0, seat: WebSeatSettings = SEAT
    ) -> None:
        super().__init__(
            database,
            seed,
            channels=ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS)),
            timings=Timings(reveal_seconds=reveal_seconds),
            reveal_animations=False,
            sealed_dice=False,
            languages=("en", "it"),
        )
        settings = Settings(token=TOKEN, web_seat=seat)
        self.telegram = RecordingTelegram()
        self.channel = WebChannel(settings, self.service, (), self._wake, self._is_in_group)
        self.members: dict[int, bool] = {}
        """The people about whom Telegram says whether they are in the group."""
        senders: dict[str, Sender] = {"telegram": self.telegram, "web": self.channel.sender}
        self.connect(senders, self.channel.source, self.channel.streams.wake)
        self.app = Starlette(routes=list(self.channel.routes(self.inbox)))

    async def settle(self) -> None:
        """Store what closed pages leave as well."""
        await self.channel.streams.idle()
        await super().settle()

    def browser(self, address: str = "127.0.0.1") -> "Browser":
        """Someone's browser, without a cookie yet; by default behind the proxy on this machine."""
        return Browser(self, address)

    async def _is_in_group(self, group: int, user: int, instance: str) -> bool:
        return self.members.get(user, (group, instance) == (GROUP, INSTANCE))

    def _wake(self, names: Iterable[LaneName]) -> None:
        self.delivery.wake(names)

    @property
    def code(self) -> str:
        return self.table().code

    async def telegram_asks(
        self, address: int, request: i.AnyRequest, where: i.Place | None = FRIENDS, **more: Any
    ) -> HandleResult:
        """Handle what a person taps in the group, or elsewhere."""
        who = i.Person("telegram", address, f"Person {address}")
        return await self.from_telegram(who, request, where, answered_by="toast", **more)

    async def lobby_in_telegram(self, *people: int) -> None:
        """Open a lobby in the group; the first of these people is its host. The bot may write to each in private."""
        for person in people:
            await self.telegram_asks(person, StartPrivateChat(greeted=False), where=None)
        await self.telegram_asks(people[0], OpenLobby())
        for person in people[1:]:
            await self.telegram_asks(person, Join(), table=1)


class Browser:
    """One browser: its cookie or token, and what its page has drawn."""

    def __init__(self, world: WebWorld, address: str) -> None:
        self.world = world
        self.drawn: dict[tuple[str, int | None, str], Json] = {}
        """The newest card of each place."""
        self.acts = 0
        transport = httpx.ASGITransport(app=world.app, client=(address, 1))
        self.client = httpx.AsyncClient(transport=transport, base_url=URL, headers={"Origin": URL})

    async def post(self, name: str, /, *, network: str = "", **body: Any) -> httpx.Response:
        """`network`: the address that the proxy names, if it is not the browser's own."""
        headers = {"X-Forwarded-For": network} if network else {}
        answer = await self.client.post(f"/seat/{name}", json=body, headers=headers)
        await self.world.settle()
        return answer

    async def ask(self, name: str, /, **body: Any) -> Json:
        answer = await self.post(name, **body)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        if found.get("token"):
            self.client.headers["Authorization"] = f"Bearer {found['token']}"
        return found

    async def act(self, act: str, /, **more: Any) -> Json:
        self.acts += 1
        return await self.ask("act", id=more.pop("id", f"a{self.acts}"), act=act, **more)

    async def refused(self, name: str, /, **body: Any) -> tuple[int, str]:
        answer = await self.post(name, **body)
        assert answer.status_code >= 400, answer.text
        return answer.status_code, answer.json()["error"]

    async def error(self, name: str, /, **body: Any) -> str:
        return (await self.refused(name, **body))[1]

    async def enter(self, name: str = "Dee", /, **proof: Any) -> str:
        """Come to the door of the first table, or of the one with a `code`; return the state of the page."""
        asked = {"code": self.world.code, "name": name, "language": "en"} | proof
        return str((await self.ask("enter", **asked))["state"])

    async def state(self) -> Json:
        """Return what the server says of the page when it is loaded."""
        found: Json = (await self.client.get("/seat/me")).json()
        return found

    async def room(self, do: str = "show", **more: Any) -> Json:
        return await self.ask("room", do=do, **more)

    @property
    def cookie(self) -> str:
        bearer = self.client.headers.get("Authorization", "").removeprefix("Bearer ")
        return bearer or self.client.cookies.get("__Host-seat") or ""

    async def page(self) -> Page:
        page = await self.world.service.run(find_page, self.cookie)
        assert page is not None
        return page

    async def stream(self, tab: str = "") -> Stream:
        """Open the page's stream, which no one reads yet."""
        stream = self.world.channel.streams.open(await self.page(), tab)
        assert stream is not None
        return stream

    async def listen(self, told: list[str] | None = None) -> AsyncGenerator[str, None]:
        """Return what a new stream tells after all that there was, which is added to a list."""
        events = self.world.channel.streams.events(await self.stream())
        async for event in events:
            if told is not None:
                told.append(event)
            if "event: ready" in event:
                break
        return events

    async def events(self) -> list[str]:
        told: list[str] = []
        await (await self.listen(told)).aclose()
        await self.world.settle()
        return told

    async def cards(self, *, anew: bool = False) -> list[Json]:
        """Return the cards that have changed since the last look, or as a page that is opened now gets them."""
        found = []
        for event in await self.events():
            lines = dict(line.split(": ", 1) for line in event.strip().split("\n"))
            if lines.get("event") == "card":
                card = json.loads(lines["data"])
                place = card["lane"], card["table"], card["slot"]
                if anew or self.drawn.get(place) != card:
                    found.append(card)
                self.drawn[place] = card
        return found

    async def card(self, kind: str) -> Json:
        return next(card for card in reversed(await self.cards(anew=True)) if card["card"] == kind)


async def keys_of(browser: Browser) -> tuple[str, str]:
    """Return the key of the room's link, and that of its television."""
    room = await browser.room()
    return room["link"].partition("#")[2], room["screen"].partition("#")[2]


async def bid_and_doubt(*guests: Browser) -> None:
    """End the round of a table whose seats these guests have, one after another."""
    for act, bid in (("bid", {"quantity": 1, "face": 2}), ("dudo", {})):
        card = await guests[0].card("round")
        assert (await guests[card["turn"]].act(act, table=1, step=card["step"], **bid))["done"]


async def a_screen(world: WebWorld, host: Browser) -> Browser:
    """Open the television that shows a host's table."""
    screen = world.browser("192.0.2.60")
    await screen.ask("screen", code=(await host.state())["code"], key=(await keys_of(host))[1])
    return screen


async def a_room(world: WebWorld, *names: str) -> list[Browser]:
    """Guests in a room that the first of them has opened."""
    host, *others = [world.browser(f"192.0.2.{number}") for number in range(1, len(names) + 1)]
    code = (await host.ask("open", name=names[0], language="en"))["code"]
    key, _ = await keys_of(host)
    for browser, name in zip(others, names[1:], strict=True):
        await browser.enter(name, code=code, key=key)
        assert (await browser.act("join"))["done"]
    return [host, *others]


async def a_watched_room(world: WebWorld, *names: str) -> tuple[list[Browser], Browser]:
    """Guests in the room of the first one, and the television that shows it."""
    guests = await a_room(world, *names)
    screen = await a_screen(world, guests[0])
    await screen.cards()
    return guests, screen
