"""One bot in this process with all its doors open: no socket, and a messenger that accepts every message."""

import asyncio
import json
import logging
import os
import random
import resource
import time
from collections.abc import Coroutine, Mapping
from io import StringIO
from itertools import chain, count, repeat
from typing import Any, Final
from unittest.mock import AsyncMock, Mock, patch

from sqlmodel import Session, col, select
from starlette.routing import Route
from telegram import User
from telegram.request import HTTPXRequest

from telegram_bot.app import App
from telegram_bot.delivery import outbox
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.inbox import ProcessingResult
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import OPEN_NOTICES, InboxEntry, OutboxEntry, UnreadableLane
from test_support.doors.odd_inputs import ME, SECRET

TOKEN: Final = "424242:AA-a-token-that-nobody-may-read-0001"
OURS: Final = "+393400000001"
KANNEL: Final = {"kind": "kannel", "name": "modem", "username": "u", "password": "p", "secret": "s" * 32}
SMSGATE: Final = {"kind": "smsgate", "name": "phone", "login": "l", "password": "p", "signing_key": "k" * 16}
TWILIO: Final = {"kind": "twilio", "name": "main", "account": "AC" + "0" * 32, "auth_token": "f" * 32}
URL: Final = "https://perudo.test"
SETTINGS: Final = Settings.model_validate(
    {
        "token": TOKEN,
        "table": {"reveal_seconds": 0, "rulebook": "box_2009"},
        "voice": {"enabled": False, "speak": False},
        "web_seat": {"url": URL, "tables": True},
        "webhook": {"url": f"{URL}/telegram"},
        "sms": {
            "gateways": [gateway | {"number": OURS} for gateway in (KANNEL, SMSGATE, TWILIO)],
            "public_url": URL,
            "key": "k" * 40,
            "countries": ["IT", "GB"],
        },
        "quotas": {
            f"{acts}_per_minute": 0 for acts in ("person_taps", "person_commands", "chat_taps", "chat_commands")
        },
    }
)
WEBHOOK_SECRET: Final = SETTINGS.webhook_secret()
SECONDS: Final = 3.0
"""The CPU time that one input may take."""
KILOBYTES: Final = 64_000
"""The memory that one input may add to the process's highest."""


class OpenHouse:
    """A bot on a database, with the doors of all channels."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with patch.object(DeliveryWorker, "wake", Mock()):
            self.bot = App(SETTINGS, database)
        self.bot.service.rng = random.Random(3)
        assert self.bot.web is not None
        assert self.bot.telegram is not None
        self.bot.telegram.bot._bot_user = User(**ME)  # type: ignore[arg-type]
        self.inbox, self.inline, self.app = self.bot.inbox, self.bot.telegram.inline, self.bot.web.app
        assert all(isinstance(route, Route) for route in self.app.routes)
        routes = [route for route in self.app.routes if isinstance(route, Route)]
        self.routes = [f"{each} {route.path}" for route in routes for each in (route.methods or set()) - {"HEAD"}]
        self.pages = [route for route in sorted(self.routes) if " /sms" not in route and " /telegram" not in route]
        self._runner = asyncio.Runner()
        self.number = count(1000).__next__
        self._cookies: dict[str, bytes] = {}
        """The session of each address."""

    def close(self) -> None:
        self._runner.run(self.inbox.stop(1))
        self._runner.run(self.inline.close())
        self._runner.close()

    def run(self, check: Coroutine[Any, Any, None]) -> None:
        """Let an input in, and check what must hold for each: its time, the log, the tables of others."""
        log, began, memory = StringIO(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        root, accepted = logging.getLogger(), AsyncMock(return_value=(200, b'{"ok": true, "result": true}'))
        heard = patch.object(root, "handlers", [*root.handlers, logging.StreamHandler(log)])
        with heard, patch.object(HTTPXRequest, "do_request", accepted):
            self._runner.run(check)
            self._runner.run(self.inbox.idle())
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

    def _look(self, session: Session) -> None:
        outbox.lanes_with_notices(session, time.time())
        found = session.execute(select(col(OutboxEntry.lane)).where(OPEN_NOTICES)).scalars().all()
        assert not any(isinstance(lane, UnreadableLane) for lane in found), "a lane cannot be read"
        left = session.exec(select(InboxEntry.cause).where(col(InboxEntry.done_at).is_(None))).all()
        assert not left, f"updates are neither acted on nor set aside: {left}"

    async def request(
        self,
        method: str,
        path: str,
        body: Any = b"",
        *,
        headers: Mapping[str, bytes | str] = {},
        query: bytes = b"",
        client: str = "127.0.0.1",
    ) -> int:
        """Make a request as it leaves a web server's parser; return the status of the answer.

        A body that is not bytes is what one of the bot's own pages asks.
        """
        page = {}
        if not isinstance(body, bytes):
            page, body = {"origin": URL, "content-type": "application/json"}, json.dumps(body).encode()
        sent = ({"type": "http.request", "body": body},)
        receive = AsyncMock(side_effect=chain(sent, repeat({"type": "http.disconnect"})))
        send = AsyncMock()
        cookie = {"cookie": self._cookies[client]} if client in self._cookies else {}
        given = {"host": URL.partition("//")[2], "content-length": str(len(body)), **page, **cookie, **headers}
        raw = [(name.encode(), os.fsencode(value)) for name, value in given.items()]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode("utf-8", "replace"), "root_path": "", "query_string": query,
            "headers": raw, "client": (client, 1), "server": ("127.0.0.1", 1),
        }  # fmt: skip
        async with asyncio.timeout(60):
            await self.app(scope, receive, send)
        begun: dict[str, Any] = send.await_args_list[0].args[0]
        if cookie_set := dict(begun["headers"]).get(b"set-cookie"):
            self._cookies[client] = cookie_set.partition(b";")[0]
        return int(begun["status"])

    def address(self) -> str:
        """Return an address from which nobody has asked yet."""
        number = self.number()
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
