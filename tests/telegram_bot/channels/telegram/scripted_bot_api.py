"""A Bot API server with scripted answers, over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from telegram import Bot

from telegram_bot.channels.telegram.http_client import AiohttpRequest

Json = dict[str, Any]
TOKEN = "424242:a-token"
ME = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
SILENCE, HANG_UP = object(), object()


@dataclass
class ScriptedBotApi:
    """A server with scripted answers, which may also not answer."""

    port: int = 0
    answers: list[object] = field(default_factory=list)
    calls: list[tuple[str, Json]] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def refuse(self, code: int, description: str, **parameters: Any) -> None:
        body: Json = {"ok": False, "error_code": code, "description": description}
        self.answers.append((code, body | ({"parameters": parameters} if parameters else {})))

    def grant(self, result: object) -> None:
        self.answers.append((200, {"ok": True, "result": result}))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                path = head.split(" ", 2)[1]
                length = next(
                    (
                        int(line.split(":")[1])
                        for line in head.splitlines()
                        if line.lower().startswith("content-length")
                    ),
                    0,
                )
                body = (await reader.readexactly(length)).decode()
                method = path.rpartition("/")[2]
                if not await self.answer(method, dict(parse_qsl(body)), writer):
                    break
        writer.close()

    async def answer(self, method: str, params: Json, writer: asyncio.StreamWriter) -> bool:
        if method == "getMe":
            reply: object = (200, {"ok": True, "result": ME})
        else:
            self.calls.append((method, {name: readable(value) for name, value in params.items()}))
            reply = self.answers.pop(0) if self.answers else (200, {"ok": True, "result": self.default(method, params)})
        if reply is SILENCE:
            await self.closing.wait()
            return False
        if reply is HANG_UP:
            writer.transport.abort()
            return False
        assert isinstance(reply, tuple)
        code, content = reply
        text = content if isinstance(content, str) else json.dumps(content)
        writer.write(f"HTTP/1.1 {code} X\r\ncontent-length: {len(text.encode())}\r\n\r\n{text}".encode())
        await writer.drain()
        return True

    @staticmethod
    def default(method: str, params: Json) -> object:
        if method in ("sendMessage", "editMessageText", "editMessageReplyMarkup"):
            return {"message_id": 77, "date": 1, "chat": {"id": int(params["chat_id"]), "type": "supergroup"}}
        return True


def readable(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


def make_bot(url: str, token: str = TOKEN) -> Bot:
    request, polls = (AiohttpRequest(8, read_timeout=0.2, connect_timeout=2) for _ in range(2))
    return Bot(token, base_url=f"{url}/bot", request=request, get_updates_request=polls)
