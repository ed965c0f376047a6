import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from telegram import Bot

from telegram_bot.channels.telegram.http_client import BotApiRequest

Json = dict[str, Any]
TOKEN = "424242:a-token"
ME = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
SILENCE, HANG_UP = object(), object()
PATIENCE = 60.0


@dataclass
class ScriptedBotApi:
    """A server with scripted answers, which can also stay silent."""

    port: int = 0
    answers: list[object] = field(default_factory=list)
    calls: list[tuple[str, Json]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """The first line of each request."""
    holds: str = ""
    """A method whose calls get no answer."""
    held: int = 0
    updates: list[Json] = field(default_factory=list)
    """The updates that the bot has not confirmed yet."""
    refused_polls: list[object] = field(default_factory=list)
    polled_for_long: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the bot polls to play, not only to check for another bot."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    connections: set[asyncio.Task[None]] = field(default_factory=set)

    def refuse(self, code: int, description: str, method: str = "", **parameters: Any) -> None:
        """Refuse the next call, or the next poll after the waiting updates were delivered."""
        body: Json = {"ok": False, "error_code": code, "description": description}
        answers = self.refused_polls if method == "getUpdates" else self.answers
        answers.append((code, body | ({"parameters": parameters} if parameters else {})))

    def grant(self, result: object) -> None:
        self.answers.append((200, {"ok": True, "result": result}))

    async def listen(self) -> asyncio.Server:
        server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving = asyncio.create_task(self.serve(reader, writer))
        serving.add_done_callback(lambda _: writer.close())  # it may be cancelled before it begins
        self.connections.add(serving)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while await self.answer(*await self.received(reader), writer):
                pass

    async def received(self, reader: asyncio.StreamReader) -> tuple[str, Json]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.partition(" HTTP")[0])
        lengths = [line.split(":")[1] for line in head.splitlines() if line.lower().startswith("content-length")]
        body = (await reader.readexactly(int(lengths[0]) if lengths else 0)).decode()
        method = self.asked[-1].rpartition("/")[2]
        if "application/json" not in head:
            return method, dict(parse_qsl(body))
        return method, {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in json.loads(body).items()
        }

    async def answer(self, method: str, params: Json, writer: asyncio.StreamWriter) -> bool:
        if method == self.holds:
            self.held += 1
            reply: object = SILENCE
        elif method == "getMe":
            reply = (200, {"ok": True, "result": ME})
        else:
            given = {name: readable(value) for name, value in params.items()}
            self.calls.append((method, given))
            if self.answers:
                reply = self.answers.pop(0)
            elif method == "getUpdates":
                reply = await self.poll(given)
            else:
                reply = (200, {"ok": True, "result": self.default(method, params)})
        if reply is SILENCE:
            await self.closing.wait()
            return False
        if reply is HANG_UP:
            writer.transport.abort()
            return False
        if isinstance(reply, bytes):
            writer.write(reply)
            return False
        assert isinstance(reply, tuple)
        code, content = reply
        text = content if isinstance(content, str) else json.dumps(content)
        writer.write(f"HTTP/1.1 {code} X\r\ncontent-length: {len(text.encode())}\r\n\r\n{text}".encode())
        await writer.drain()
        return True

    async def poll(self, params: Json) -> object:
        """Refuse a poll, or answer it with the waiting updates, soon if there are none."""
        if "limit" not in params:
            self.polled_for_long.set()
        self.updates = [update for update in self.updates if update["update_id"] >= params.get("offset", 0)]
        if self.refused_polls and ("limit" not in params or any("limit" in told for _, told in self.calls[:-1])):
            return self.refused_polls.pop(0)
        if not self.updates:
            await asyncio.sleep(0.01)
        return 200, {"ok": True, "result": self.updates}

    @staticmethod
    def default(method: str, params: Json) -> object:
        if method in ("sendMessage", "editMessageText", "editMessageReplyMarkup"):
            return {"message_id": 77, "date": 1, "chat": {"id": int(params["chat_id"]), "type": "supergroup"}}
        if method == "getWebhookInfo":
            return {"url": "", "has_custom_certificate": False, "pending_update_count": 0}
        return True


def readable(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def make_bot(url: str, token: str = TOKEN) -> Bot:
    """A bot that waits for as long as a busy machine takes to answer."""
    request, polls = (BotApiRequest(8, read_timeout=PATIENCE, connect_timeout=PATIENCE) for _ in range(2))
    return Bot(token, base_url=f"{url}/bot", request=request, get_updates_request=polls)
