"""A channel that notes what is sent and has trouble when told to, and a delivery that works with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from sqlmodel import select

from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import Sent, Target
from telegram_bot.delivery.worker import Delivery
from telegram_bot.service.notices import (
    Envelope,
    HandNotice,
    Mode,
    RevealNotice,
    TableNotice,
    WelcomeNotice,
)
from telegram_bot.storage.models import Outbox, Sending
from tests.telegram_bot.conftest import Room

GROUP = -1001
ANA, BO = 101, 102
NO_LIMITS = Limits(0, 0, 0)
Trouble = Exception | Callable[[], Awaitable[None]]


class Wire:
    """A channel that notes what is sent, and has trouble when told to."""

    name = "telegram"

    def __init__(self) -> None:
        self.limits = NO_LIMITS
        self.sent: list[tuple[Envelope, Target | None]] = []
        self.tried: list[Envelope] = []
        self.trouble: dict[int, list[Trouble]] = {}
        self.last_message = 1000
        self.under_way = 0
        self.most_under_way = 0
        self.clock: Callable[[], float] = time.monotonic
        self.times: list[float] = []

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: Target | None) -> Sent:
        self.tried.append(envelope)
        self.times.append(self.clock())
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            waiting = self.trouble.get(envelope.chat)
            if waiting:
                trouble = waiting.pop(0)
                if isinstance(trouble, Exception):
                    raise trouble
                await trouble()
        finally:
            self.under_way -= 1
        self.sent.append((envelope, target))
        if envelope.mode is Mode.TARGET:
            return Sent(None)
        if target is not None:
            return Sent(target.message, keyboard=True)
        self.last_message += 1
        return Sent(self.last_message, keyboard=True)

    def texts(self, chat: int | None = None) -> list[str]:
        return [word(envelope) for envelope, _ in self.sent if chat in (None, envelope.chat)]


def word(envelope: Envelope) -> str:
    notice = envelope.notice
    return notice.name if isinstance(notice, WelcomeNotice) else notice.kind


def hello(name: str) -> WelcomeNotice:
    return WelcomeNotice(name=name)


class Office:
    """A delivery over the room's database and a wire."""

    def __init__(self, room: Room, wire: Wire, limits: Limits = NO_LIMITS) -> None:
        self.room = room
        self.wire = wire
        wire.limits = limits
        self.delivery = Delivery(room.service, {wire.name: wire}, now=lambda: room.now)

    async def drain(self, *lanes: int) -> None:
        """Let the lanes run until each stops by itself."""
        self.delivery.wake(f"telegram:{lane}" for lane in lanes or (GROUP,))
        end = time.monotonic() + 10
        while self.delivery._lanes:
            assert time.monotonic() < end, "the lanes never come to rest"
            await asyncio.wait(self.delivery._lanes.values(), timeout=1)

    async def drain_with_time(self, lane: int = GROUP) -> None:
        """The same while time passes, so that pauses end, until nothing waits there any more."""
        end = time.monotonic() + 20

        def waits(row: Outbox) -> bool:
            return row.lane == f"telegram:{lane}" and row.status in (Sending.PENDING, Sending.SENDING)

        while any(map(waits, self.room.all(Outbox))):
            assert time.monotonic() < end, "something waits for ever"
            self.delivery.wake([f"telegram:{lane}"])
            while self.delivery._lanes:
                await asyncio.wait(self.delivery._lanes.values(), timeout=0.02)
                self.room.now += 0.25
            self.room.now += 0.25

    def statuses(self) -> list[str]:
        return [row.status for row in sorted(self.room.all(Outbox), key=lambda row: row.id or 0)]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def office(room: Room, wire: Wire) -> Office:
    return Office(room, wire)


@asynccontextmanager
async def running(delivery: Delivery) -> AsyncIterator[None]:
    task = asyncio.create_task(delivery.run())
    try:
        yield
    finally:
        await delivery.stop()
        await task


async def until(condition: Callable[[], bool], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.01)


async def views(room: Room) -> tuple[TableNotice, HandNotice, RevealNotice]:
    """A table's, a hand's and a reveal's notice, as a game makes them."""
    await room.game("22222", "33333")
    table, hand = room.notices("table")[-1], room.notices("hand")[-1]
    await room.call("6x2")
    await room.call("dudo")
    reveal = room.notices("reveal")[-1]
    with room.database.transaction() as session:
        for row in session.exec(select(Outbox)):
            session.delete(row)
    assert isinstance(table, TableNotice)
    assert isinstance(hand, HandNotice)
    assert isinstance(reveal, RevealNotice)
    return table, hand, reveal


def later(table: TableNotice) -> TableNotice:
    """The same table, a little later: something in its message has changed."""
    return table.model_copy(update={"unreachable": not table.unreachable})
