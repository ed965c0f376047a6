"""A minimal Bot API server, which hands out updates, accepts every call, and records the time of each."""

import asyncio
import contextlib
import json
import re
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any, Final
from urllib.parse import parse_qsl

import httpx
import uvicorn
from starlette.types import Receive, Scope, Send

BOT: Final = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
TOKEN: Final = "424242:a-token-for-the-benchmark-only"  # noqa: S105 - opens nothing
MAX_POLL_SECONDS: Final = 25.0
MAX_UPDATES: Final = 100
WEBHOOKS_AT_ONCE: Final = 40

_FIELD: Final = re.compile(rb'name="(\w+)"(?:\r\n[\w-]+: [^\r]*)*\r\n\r\n(.*?)\r\n--', re.DOTALL)
"""A field of a form with files. A file has a name of its own; this pattern does not read past it."""

Call = Callable[[str, dict[str, Any], float], None]


class BotApiServer:
    """One bot's Telegram. `on_call` gets every call with its time."""

    def __init__(self, on_call: Call, webhooks: list[str] | None = None) -> None:
        self.calls: Counter[str] = Counter()
        self.url = ""
        self.files: dict[str, bytes] = {}
        """People's uploads by their file_id."""
        self.file_seconds = 0.0
        """How long a download takes."""
        self._on_call = on_call
        self._webhooks = webhooks or []
        self._updates: list[dict[str, Any]] = []
        self._ids = count(1)
        self._messages = count(1)
        self._more = asyncio.Event()
        self._queues: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self._at_once = asyncio.Semaphore(WEBHOOKS_AT_ONCE)
        self._client = httpx.AsyncClient(
            timeout=60, trust_env=False, limits=httpx.Limits(max_connections=2 * WEBHOOKS_AT_ONCE)
        )
        self._carriers: set[asyncio.Task[None]] = set()
        self._secret = ""

    def push(self, kind: str, body: dict[str, Any], *, chat: int) -> None:
        """Queue an update for the bot; with webhooks, one at a time for each chat, to the next worker in turn."""
        update = {"update_id": next(self._ids), kind: body}
        if not self._webhooks:
            self._updates.append(update)
            self._more.set()
            return
        if chat not in self._queues:
            self._queues[chat] = asyncio.Queue()
            task = asyncio.create_task(self._carry(self._queues[chat]))
            self._carriers.add(task)
        self._queues[chat].put_nowait(update)

    async def _carry(self, queue: asyncio.Queue[dict[str, Any]]) -> None:
        while True:
            update = await queue.get()
            async with self._at_once:
                while True:
                    url = self._webhooks[update["update_id"] % len(self._webhooks)]
                    headers = {"X-Telegram-Bot-Api-Secret-Token": self._secret}
                    with contextlib.suppress(httpx.HTTPError):
                        if (await self._client.post(url, json=update, headers=headers)).is_success:
                            break
                    await asyncio.sleep(0.2)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one call."""
        now = time.perf_counter()
        method = scope["path"].rpartition("/")[2]
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        if scope["path"].startswith("/file/"):
            await asyncio.sleep(self.file_seconds)
            await _send(send, self.files.get(method, b""), b"application/octet-stream")
            return
        params = dict(parse_qsl((scope["query_string"] or b"").decode())) | _fields(body)
        self.calls[method] += 1
        self._on_call(method, params, now)
        answer = json.dumps({"ok": True, "result": await self._result(method, params)}).encode()
        await _send(send, answer, b"application/json")

    async def _result(self, method: str, params: dict[str, Any]) -> Any:
        match method:
            case "getMe":
                return BOT
            case "getUpdates":
                return await self._poll(int(params.get("offset", 0)), float(params.get("timeout", 0)))
            case "setWebhook":
                self._secret = params.get("secret_token", "")
                return True
            case "getWebhookInfo":
                return {"url": "", "has_custom_certificate": False, "pending_update_count": 0}
            case "sendMessage" | "sendPhoto" | "editMessageText" | "editMessageReplyMarkup":
                number = int(params.get("message_id") or next(self._messages))
                chat = int(params["chat_id"])
                kind = "private" if chat > 0 else "supergroup"
                return {
                    "message_id": number,
                    "date": int(time.time()),
                    "chat": {"id": chat, "type": kind, "title": "Friends", "first_name": "Ana"},
                    "from": BOT,
                    "text": "…",
                }
            case "getFile":
                name = params["file_id"]
                return {"file_id": name, "file_unique_id": name, "file_path": name}
            case "getChatMember":
                return {"status": "member", "user": BOT}
            case _:
                return True

    async def _poll(self, offset: int, timeout_seconds: float) -> list[dict[str, Any]]:
        self._updates = [update for update in self._updates if update["update_id"] >= offset]
        if not self._updates:
            self._more.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), min(timeout_seconds, MAX_POLL_SECONDS))
        return self._updates[:MAX_UPDATES]

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator["BotApiServer"]:
        """Serve on a free port of this machine."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what is accepted inherits it
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            self, log_level="error", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield self
        finally:
            for carrier in self._carriers:
                carrier.cancel()
            self._more.set()
            server.should_exit = True
            await task
            await self._client.aclose()
            listener.close()


async def _send(send: Send, body: bytes, kind: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Server(uvicorn.Server):
    """uvicorn that leaves signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


def _fields(body: bytes) -> dict[str, str]:
    """Return the fields of a call, without its files, as a form would have them."""
    if body.startswith(b"{"):
        fields = json.loads(body).items()
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields}
    if body.startswith(b"--"):
        return {name.decode(): value.decode() for name, value in _FIELD.findall(body)}
    return dict(parse_qsl(body.decode()))
