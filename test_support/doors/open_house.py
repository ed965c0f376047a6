"""One bot in this process with all its doors open: no socket, and a messenger that accepts every message."""

import asyncio
import json
import logging
import random
import resource
import time
from collections.abc import Coroutine, Mapping
from io import StringIO
from itertools import count
from typing import Any, Final

from sqlmodel import Session, col, select
from starlette.applications import Starlette
from telegram import Bot, User
from telegram.request import BaseRequest, RequestData

from perudo_core import Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.sms.channel import gateway_of
from telegram_bot.channels.sms.number_encryption import NumberEncryption
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.source import SmsSource
from telegram_bot.channels.sms.webhooks import GatewayRoutes
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.channel import WebChannel
from telegram_bot.delivery import outbox
from telegram_bot.delivery.limits import Limits
from telegram_bot.ingress.inbox import InboxWorker, ProcessingResult
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.operations.web_server import WebServer
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry, UnreadableLane
from telegram_bot.tables.model import Timings
from test_support.doors.odd_inputs import ME, SECRET

TOKEN: Final = "424242:AA-a-token-that-nobody-may-read-0001"
WEBHOOK_SECRET: Final = "only-Telegram-knows"
OURS: Final = "+393400000001"
KANNEL: Final = {
    "kind": "kannel",
    "name": "modem",
    "number": OURS,
    "username": "u",
    "password": "p",
    "secret": "s" * 32,
}
SMSGATE: Final = {
    "kind": "smsgate", "name": "phone", "number": OURS, "login": "l", "password": "p", "signing_key": "k" * 16,
}  # fmt: skip
TWILIO: Final = {
    "kind": "twilio", "name": "main", "number": OURS, "account": "AC" + "0" * 32, "auth_token": "f" * 32,
}  # fmt: skip
URL: Final = "https://perudo.test"
SECONDS: Final = 3.0
"""The CPU time that one input may take."""
KILOBYTES: Final = 64_000
"""The memory that one input may add to the process's highest."""


class _AcceptingServer(BaseRequest):
    """A Bot API server that accepts each call."""

    read_timeout = 5.0

    async def initialize(self) -> None:
        """Do nothing."""

    async def shutdown(self) -> None:
        """Do nothing."""

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *_: Any, **__: Any
    ) -> tuple[int, bytes]:
        del method, request_data
        return 200, json.dumps({"ok": True, "result": ME if url.endswith("/getMe") else True}).encode()


class OpenHouse:
    """A bot on a database, with the doors of all channels."""

    def __init__(self, database: Database) -> None:
        self.database = database
        config = ServiceConfig(
            rules=Rules.preset("box_2009"),
            channels=ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS)),
            timings=Timings(reveal_seconds=0),
            languages=("en", "it"),
            numbers=(OURS,),
        )
        self.service = Service(database, config, rng=random.Random(3), now=time.time, parse_text=parse_text)
        settings = Settings.model_validate(
            {
                "token": TOKEN,
                "web_seat": {"url": URL, "tables": True},
                "webhook": {"url": f"{URL}/telegram"},
                "sms": {
                    "gateways": [KANNEL, SMSGATE, TWILIO],
                    "public_url": URL,
                    "key": "k" * 40,
                    "countries": ["IT", "GB"],
                },
            }
        )
        self.bot = Bot(TOKEN, request=_AcceptingServer(), get_updates_request=_AcceptingServer())
        self.bot._bot_user = User(**ME)  # type: ignore[arg-type]
        self.sender = TelegramSender(self.bot, Limits(0, 0, 0))
        self.telegram = TelegramSource(self.bot, self.service, self.sender)
        self.inline = InlineMode(self.bot, self.service)
        phones = PhoneStore(database, NumberEncryption(["k" * 40]), time.time)
        self.gateways = [gateway_of(chosen, settings) for chosen in settings.sms.gateways]
        by_name = {gateway.name: gateway for gateway in self.gateways}
        web = WebChannel(settings, self.service, (), lambda _: None, self._is_in_group)
        texts = SmsSource(self.service, phones, by_name, texts_an_hour=10**9)
        self.inbox = InboxWorker(self.service, lambda _: None, [self.telegram, texts, web.source])
        webhook = WebhookReceiver(self.bot, self.service, settings.webhook, WEBHOOK_SECRET, self.inline)
        routes = [
            *webhook.routes(self.inbox),
            *GatewayRoutes(self.gateways, phones, frozenset(("IT", "GB"))).routes(self.inbox),
            *web.routes(self.inbox),
        ]
        self.app: Starlette = WebServer("127.0.0.1", 0, routes, {})._server.config.app  # type: ignore[assignment]
        self._runner = asyncio.Runner()
        self._numbers = count(1000)
        self.cookie = b""
        """The cookie that an answer has set last."""

    @staticmethod
    async def _is_in_group(_group: int, _user: int, _instance: str) -> bool:
        return False

    def close(self) -> None:
        self._runner.run(self.inbox.stop(1))
        self._runner.run(self.inline.close())
        self._runner.close()

    def number(self) -> int:
        return next(self._numbers)

    def run(self, check: Coroutine[Any, Any, None]) -> None:
        """Let an input in, and check what must hold for each: its time, the log, the tables of others."""
        log, began, memory = StringIO(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        logging.getLogger().addHandler(handler := logging.StreamHandler(log))
        try:
            self._runner.run(check)
            self._runner.run(self.inbox.idle())
        finally:
            logging.getLogger().removeHandler(handler)
        took = time.process_time() - began
        assert took < SECONDS, f"it took {took:.1f} seconds"
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
        assert more < KILOBYTES, f"it took {more} kB more than any input before it"
        for secret in ("Traceback", SECRET, TOKEN):
            assert secret not in log.getvalue(), log.getvalue()

    async def others_are_served(self) -> None:
        """Check that the next update is acted on, and that workers can look for work."""
        number = self.number()
        chat, bo = {"id": -1009, "type": "group", "title": "x"}, {"id": 102, "is_bot": False, "first_name": "Bo"}
        message = {"message_id": number, "date": int(time.time()), "chat": chat, "from": bo, "text": "/status"}
        begun = await self.inbox.take("telegram", str(number), {"update_id": number, "message": message})
        assert begun is not None, "the next update is refused"
        assert await begun is ProcessingResult.DONE, "the next update fails"
        await self.inbox.idle()
        await self.database.run(self._look)

    async def guest_at_a_game(self) -> "Guest":
        """Return a guest who has opened a table on a page, with two computer players, and has begun a game."""
        guest = Guest(self)
        assert await guest.ask("open", {"name": "Ana", "language": "en"}) == 200
        for act in ({"act": "computers", "count": 2, "level": "regular"}, {"act": "start"}):
            assert await guest.ask("act", act | {"id": act["act"]}) == 200
        await self.inbox.idle()
        return guest

    def _look(self, session: Session) -> None:
        found = session.connection().execute(outbox.WAITING, {"now": time.time()}).scalars().all()
        assert not any(isinstance(lane, UnreadableLane) for lane in found), "a lane cannot be read"
        left = session.exec(select(InboxEntry.cause).where(col(InboxEntry.done_at).is_(None))).all()
        assert not left, f"updates are neither acted on nor set aside: {left}"

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, bytes | str],
        body: bytes = b"",
        query: bytes = b"",
        client: str = "127.0.0.1",
    ) -> int:
        """Make a request as it leaves a web server's parser; return the status of the answer."""
        status = 0
        sent = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return sent.pop() if sent else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            cookies = [value for name, value in message.get("headers", ()) if name == b"set-cookie"]
            self.cookie = next(iter(cookies), self.cookie)

        given = {"host": URL.partition("//")[2], "content-length": str(len(body)), **headers}
        raw = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in given.items()]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode("utf-8", "replace"), "root_path": "", "query_string": query,
            "headers": raw, "client": (client, 1), "server": ("127.0.0.1", 1),
        }  # fmt: skip
        async with asyncio.timeout(10):
            await self.app(scope, receive, send)
        return status


class Guest:
    """A guest with a session, at an address of their own."""

    def __init__(self, house: OpenHouse) -> None:
        self.house = house
        number = house.number()
        self.client = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.cookie = b""

    async def ask(self, path: str, asked: Any) -> int:
        """Post what is asked, or get the path if that is None; return the status."""
        path, _, query = path.partition("?")
        headers: dict[str, bytes | str] = {"cookie": self.cookie.partition(b";")[0]}
        body = b""
        if asked is not None or path == "pair":
            headers |= {"origin": URL, "content-type": "application/json"}
            body = json.dumps({} if asked is None else asked).encode()
        method, self.house.cookie = "POST" if body else "GET", self.cookie
        status = await self.house.request(
            method, f"/seat/{path}", headers=headers, body=body, query=query.encode(), client=self.client
        )
        self.cookie = self.house.cookie
        return status
