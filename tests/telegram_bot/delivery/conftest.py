import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlmodel import col, delete, select, update

from telegram_bot.delivery.limits import LaneUsage, Limits, Sends
from telegram_bot.delivery.sender import SendResult
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import HandNotice, Notice, OutdatedNotice, RevealNotice, TableNotice, WelcomeNotice
from telegram_bot.screens.posting import Urgency
from telegram_bot.storage.models import DirectMessages, LaneName, NoticeStatus, OutboxEntry, Player
from tests.telegram_bot.conftest import GROUP, GroupHarness

NO_LIMITS = Limits(0, 0, 0)
IS_OPEN = col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING))
Failure = Exception | Callable[[], Awaitable[object]]


class RecordingSender:
    name = "telegram"

    def __init__(self) -> None:
        self.limits = NO_LIMITS
        self.sent: list[tuple[Envelope, MessageRef | None]] = []
        self.tried: list[Envelope] = []
        self.failures: dict[int, list[Failure]] = {}
        self.last_message = 1000
        self.clock: Callable[[], float] = lambda: 0.0
        self.times: list[float] = []
        self.hands_have_keyboards = False
        self.pictures = False
        """Whether the sender turns notices into pictures now."""

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        self.tried.append(envelope)
        self.times.append(self.clock())
        if waiting := self.failures.get(envelope.chat):
            trouble = waiting.pop(0)
            if isinstance(trouble, Exception):
                raise trouble
            await trouble()
        self.sent.append((envelope, target))
        if envelope.target is not None:
            return SendResult(None)
        if target is not None:
            is_picture = self.pictures or target.picture
            return SendResult(target.message, keyboard=self._has_keyboard(envelope), picture=is_picture)
        self.last_message += 1
        return SendResult(self.last_message, keyboard=self._has_keyboard(envelope), picture=self.pictures)

    def _has_keyboard(self, envelope: Envelope) -> bool:
        return self.hands_have_keyboards or not isinstance(envelope.notice, HandNotice)

    def messages(self, chat: int) -> list[list[Notice]]:
        """The messages that a chat has now, in order, each with all that it has shown."""
        found: dict[int, list[Notice]] = {}
        chats: dict[int, int] = {}
        number = 1000
        for envelope, target in self.sent:
            if target is None and envelope.target is None:
                number += 1
            at = number if target is None else target.message
            chats.setdefault(at, envelope.chat)
            if envelope.notice.deletes:
                found.pop(at, None)
            elif not isinstance(envelope.notice, OutdatedNotice):
                found.setdefault(at, []).append(envelope.notice)
        return [notices for at, notices in found.items() if chats[at] == chat]

    def texts(self, chat: int | None = None) -> list[str]:
        return [text_of(envelope) for envelope, _ in self.sent if chat in (None, envelope.chat)]


async def arrives() -> None:
    """Let a send succeed."""


async def hangs() -> None:
    await asyncio.sleep(3600)


def text_of(envelope: Envelope) -> str:
    notice = envelope.notice
    return notice.name if isinstance(notice, WelcomeNotice) else notice.kind


def named_notice(name: str) -> WelcomeNotice:
    return WelcomeNotice(name=name)


class Timer:
    """A timer's function, which `DeliveryHarness` calls when it is due."""

    def __init__(self, timers: dict["Timer", tuple[float, Callable[[], None]]]) -> None:
        self.timers = timers

    def cancel(self) -> None:
        self.timers.pop(self, None)


class ChosenLanes(DeliveryWorker):
    """Sends to the lanes that a test has chosen alone."""

    chosen: Collection[LaneName] = ()

    def is_free(self, lane: LaneName) -> bool:
        return super().is_free(lane) and lane in self.chosen


class DeliveryHarness:
    """A delivery worker over the harness's database and a recording sender. Its waits are on the harness's time."""

    def __init__(self, harness: GroupHarness, sender: RecordingSender, limits: Limits = NO_LIMITS) -> None:
        self.harness = harness
        self.sender = sender
        sender.limits = limits
        sender.clock = lambda: harness.now
        self.timers: dict[Timer, tuple[float, Callable[[], None]]] = {}
        self.delivery = ChosenLanes(
            harness.service, {sender.name: sender}, now=lambda: harness.now, later=self._later, elapsed=self._elapsed
        )
        self._read_at = harness.now

    def _elapsed(self) -> float:
        """The time of the harness, which does not go back with it."""
        self._read_at = max(self._read_at, self.harness.now)
        return self._read_at

    def _later(self, seconds: float, call: Callable[[], None]) -> Timer:
        timer = Timer(self.timers)
        self.timers[timer] = self.harness.now + seconds, call
        return timer

    async def begin(self) -> None:
        self.delivery.wake(await self.harness.database.run(self.delivery._recover))

    async def drain(self, *lanes: int, end: Callable[[], bool] = lambda: False) -> None:
        """Let lanes run until each stops, or `end`; when all of them wait, time passes until the next timer is due."""
        self.delivery.chosen = [LaneName("telegram", lane) for lane in lanes or (GROUP,)]
        self.delivery.wake(self.delivery.chosen)
        for _ in range(10_000):
            await self.delivery.idle()
            if not self.timers or end():
                return
            timer = min(self.timers, key=lambda timer: self.timers[timer][0])
            due, call = self.timers.pop(timer)
            self.harness.now = max(self.harness.now, due + 1e-6)
            call()
        raise AssertionError("the lanes never come to rest")

    async def send(self, notice: Notice, *, chat: int = GROUP, **more: Any) -> None:
        self.harness.enqueue(notice, chat=chat, **more)
        await self.drain(chat)

    async def drain_with_time(self, *lanes: int) -> None:
        """Drain while time passes, so that pauses end, until nothing waits any more."""
        names = [LaneName("telegram", lane) for lane in lanes or (GROUP,)]
        waits = select(OutboxEntry.id).where(col(OutboxEntry.lane).in_(names), IS_OPEN).limit(1)
        for _ in range(1000):
            tables = self.harness.service.tables
            outdated = tables.since or any(name in names for name in tables.missing)
            with self.harness.database.transaction() as session:
                if not outdated and session.exec(waits).first() is None:
                    return
            await self.drain(*(lanes or (GROUP,)))
            self.harness.now += 0.1
        raise AssertionError("something waits for ever")

    def use_up(self, *sends: Urgency) -> None:
        """Let the group have received messages just now."""
        recent: Sends = [(self._elapsed(), each) for each in sends]
        self.delivery.usage[LaneName("telegram", GROUP)] = LaneUsage(recent_sends=recent)

    def statuses(self) -> list[str]:
        return [row.status for row in sorted(self.harness.rows(OutboxEntry), key=lambda row: row.id)]


@pytest.fixture
def sender() -> RecordingSender:
    return RecordingSender()


@pytest.fixture
def delivery(harness: GroupHarness, sender: RecordingSender) -> DeliveryHarness:
    return DeliveryHarness(harness, sender)


@asynccontextmanager
async def running(delivery: DeliveryWorker) -> AsyncIterator[None]:
    task = asyncio.create_task(delivery.run())
    try:
        yield
    finally:
        await delivery.stop()
        await task


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.01)


async def example_notices(harness: GroupHarness) -> tuple[TableNotice, HandNotice, RevealNotice]:
    await harness.game("22222", "33333")
    table, hand = harness.notices("table")[-1], harness.notices("hand")[0]
    await harness.call("6x2")
    await harness.call("dudo")
    reveal = harness.notices("reveal")[-1]
    with harness.database.transaction() as session:
        session.exec(delete(OutboxEntry))
        harness.all_compared()
        session.execute(update(Player).values(direct=DirectMessages.OPEN))  # else the first message marks the readers
    assert isinstance(table, TableNotice)
    assert isinstance(hand, HandNotice)
    assert isinstance(reveal, RevealNotice)
    return table, hand, reveal


def changed(table: TableNotice) -> TableNotice:
    return table.model_copy(update={"unreachable": not table.unreachable})
