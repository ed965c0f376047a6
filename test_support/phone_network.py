"""A gateway that speaks as Kannel does, in front of a telephone network in which everything goes wrong on request."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from test_support.kannel_gateway import PASSWORD, SECRET, USER


@dataclass(frozen=True, slots=True)
class Delivery:
    """A text as the gateway hands it over: the same at each delivery."""

    id: str
    sender: str
    at: int
    words: str


@dataclass(slots=True)
class PhoneNetwork:
    """The gateway and all phones."""

    hook: str
    """The address at which the bot takes texts."""
    url: str = ""
    delivered: list[Delivery] = field(default_factory=list)
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The texts to each phone, oldest first."""

    def write(self, sender: str, words: str, *, age: float = 0) -> Delivery:
        """A text that somebody sent, perhaps long ago; it is not delivered yet."""
        return Delivery(str(uuid.uuid4()), sender, int(time.time() - age), words)

    async def deliver(self, text: Delivery, *, times: int = 1) -> None:
        """Hand a text over, several times at once if asked."""
        query = {"secret": SECRET, "id": text.id, "time": str(text.at)}
        headers = {"X-Kannel-From": text.sender, "Content-Type": "text/plain; charset=UTF-8"}
        async with httpx.AsyncClient(timeout=20) as client:
            answers = await asyncio.gather(
                *(
                    client.post(self.hook, params=query, headers=headers, content=text.words.encode())
                    for _ in range(times)
                )
            )
        assert {answer.status_code for answer in answers} == {200}
        self.delivered.append(text)

    async def text(self, sender: str, words: str, *, times: int = 1) -> None:
        """Write and deliver."""
        await self.deliver(self.write(sender, words), times=times)


@contextmanager
def phone_network(hook: str) -> Iterator[PhoneNetwork]:
    """A running gateway."""
    network = PhoneNetwork(hook)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            known = (self.headers["X-Kannel-Username"], self.headers["X-Kannel-Password"]) == (USER, PASSWORD)
            if known:
                network.read[self.headers["X-Kannel-To"]].append(body)
            self.send_response(202 if known else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    network.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield network
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
