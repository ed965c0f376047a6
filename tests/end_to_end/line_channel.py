"""Players write and read lines on a socket: a complete channel, and the model of the recipe.

Each connection is one player, whose first line is their name. Further lines are commands or calls. The port is
PERUDO_LINE_PORT on this machine. Names are not checked, so this channel is for trials only.
"""

import asyncio
import os
import re
import zlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, Final
from uuid import uuid4

from starlette.routing import BaseRoute

from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import NotSentError, SendResult
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelTraits
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.request import Scope
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.commands import find_command
from telegram_bot.service.handlers.lobby_requests import Join, Start
from telegram_bot.service.handlers.phone_requests import OpenPrivateLobby
from telegram_bot.service.service import Service
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName
from telegram_bot.words.catalogue import catalogue

NAME = "line"
TRAITS = ChannelTraits(NAME, shared_chats=False, buttons=False)
"""Every player reads only their own lines, and no line has buttons."""


OWN_WORDS: Final[dict[str, i.AnyRequest]] = {"new": OpenPrivateLobby(), "go": Start()}
"""Words instead of buttons."""


def parse_line(line: str) -> i.AnyRequest:
    """The request in a line: `join CODE`, `new`, `go`, a command, with or without its slash, or a call."""
    word, _, rest = line.partition(" ")
    if word.casefold() == "join":
        return Join(rest.strip().upper())
    if word.casefold() in OWN_WORDS:
        return OWN_WORDS[word.casefold()]
    command = find_command(word.removeprefix("/").casefold(), Scope.PRIVATE)
    if command is not None and command.request is not None:
        return command.request
    return i.TypedText(line)


class LineSender:
    """Writes notices to the players' connections."""

    name = NAME
    limits = Limits(0, 0, 0)

    def __init__(self) -> None:
        self.connections: dict[int, asyncio.StreamWriter] = {}

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        del target
        html = message_html(envelope.notice, catalogue(envelope.language))
        connection = self.connections.get(envelope.chat)
        if html is not None:
            if connection is None:
                raise NotSentError("the player is not connected")
            connection.write(unescape(re.sub(r"<[^>]+>", "", html)).encode() + b"\n\n")
            await connection.drain()
        return SendResult(None)

    def is_group(self, address: int) -> bool:
        del address
        return False


@dataclass(frozen=True, slots=True)
class LineJob:
    """One line to act on."""

    service: Service
    received: StoredUpdate

    @property
    def order_key(self) -> Hashable:
        return str(self.received.payload["player"])

    async def act(self) -> Iterable[LaneName]:
        said = self.received.payload
        who = i.Person(NAME, said["player"], said["name"], language="en")
        intent = i.Intent(NAME, self.received.cause, who, parse_line(said["line"]))
        return (await self.service.handle(intent)).lanes

    async def answer(self) -> None:
        """Do nothing: the answer is in the outbox."""


class LineSource:
    """Makes jobs of stored lines."""

    name = NAME

    def __init__(self, service: Service) -> None:
        self.service = service

    def admit(self, payload: dict[str, Any]) -> dict[str, Any]:
        return payload

    def job_for(self, received: StoredUpdate) -> LineJob:
        return LineJob(self.service, received)

    async def give_up(self, received: StoredUpdate) -> None:
        """Do nothing: no player waits for an answer."""


class LineChannel:
    """Players on a socket of this machine."""

    name = NAME
    traits = TRAITS

    def __init__(self, service: Service) -> None:
        self.source = LineSource(service)
        self.sender = LineSender()
        self.reachable = asyncio.Event()
        self.reachable.set()

    async def confirm_reachable(self) -> bool:
        return True

    def problem(self) -> str | None:
        """Return None, because there is never a problem."""
        return None

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return None, because this channel needs no web server."""
        del inbox
        return ()

    async def connect(self) -> None:
        """Do nothing: players connect to the bot."""

    async def listen(self, inbox: InboxWorker) -> None:

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            name = (await reader.readline()).decode().strip()
            player = zlib.crc32(name.encode())
            self.sender.connections[player] = writer
            while line := (await reader.readline()).decode().strip():
                await inbox.store(NAME, [(uuid4().hex, {"player": player, "name": name, "line": line})])

        server = await asyncio.start_server(serve, "127.0.0.1", int(os.environ["PERUDO_LINE_PORT"]))
        try:
            await asyncio.Event().wait()
        finally:
            server.close()  # `serve_forever` would wait for players, whom `close` disconnects

    async def close(self) -> None:
        for connection in self.sender.connections.values():
            connection.close()
