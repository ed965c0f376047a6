"""The end of a round as it is sent, by the real clock with a short beat: in which order, and when something fails."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from telegram_bot.delivery import lanes
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import InvalidError, SlowDownError, UnknownFateError
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.service.announcing import table_outbox as reveal_hold
from telegram_bot.service.notices import HandNotice, Notice, PausedNotice
from telegram_bot.storage.models import NoticeStatus, OutboxEntry, SentMessage
from telegram_bot.tables.model import Timings
from tests.telegram_bot.conftest import START, GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, NO_LIMITS, RecordingSender, running, until

if TYPE_CHECKING:
    from telegram_bot.storage.database import Database

BEAT = 0.6
PATIENCE = 1.2
PRIVATE = (ANA, BO)


class LivePlay:
    """A game of two by the real clock, and a worker that sends what happens."""

    def __init__(self, database: Database, sender: RecordingSender, limits: Limits = NO_LIMITS) -> None:
        self.harness = GroupHarness(database, timings=Timings(reveal_seconds=BEAT), celebrate=True)
        self.began = time.monotonic()
        self.harness.service.now = self.harness.service.inbox_store.now = self.now
        self.sender = sender
        sender.limits = limits
        sender.clock = self.now
        self.delivery = self.worker()

    def now(self) -> float:
        return START + time.monotonic() - self.began

    def worker(self) -> DeliveryWorker:
        worker = DeliveryWorker(self.harness.service, {self.sender.name: self.sender}, now=self.now)
        self.harness.service.delivery = worker
        return worker

    async def ready(self, *hands: str) -> None:
        """A round in which Ana has bid, and all is sent."""
        await self.harness.game(*hands)
        await self.harness.call("1x5")
        await self.all_sent()
        self.sender.sent.clear()
        self.sender.tried.clear()
        self.sender.times.clear()

    async def doubt(self) -> float:
        """Bo says dudo; return when."""
        at = self.now()
        self.delivery.wake((await self.harness.call("dudo")).lanes)
        return at

    async def all_sent(self) -> None:
        await until(lambda: not any(row.status in WAITING for row in self.harness.rows(OutboxEntry)), 40)

    def told(self) -> list[tuple[int, str]]:
        """What was sent, as (chat, kind), in order."""
        return [(envelope.chat, kind_of(envelope.notice)) for envelope, _ in self.sender.sent]

    def first(self, chat: int, kind: str) -> int:
        return self.told().index((chat, kind))

    def sent_at(self, chat: int, kind: str) -> float:
        """When it was tried for the last time."""
        return max(
            at
            for envelope, at in zip(self.sender.tried, self.sender.times, strict=True)
            if (envelope.chat, kind_of(envelope.notice)) == (chat, kind)
        )


def kind_of(notice: Notice) -> str:
    """The kind of a notice; what a player is told of their own call is no new hand."""
    return "own call" if isinstance(notice, HandNotice) and notice.called else notice.kind


WAITING = (NoticeStatus.PENDING, NoticeStatus.SENDING)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reveal_hold, "PATIENCE_SECONDS", PATIENCE)


@pytest.fixture
def play(database: Database, sender: RecordingSender) -> LivePlay:
    return LivePlay(database, sender)


async def test_the_call_then_the_dice_then_everything_else(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        called = await play.doubt()
        await play.all_sent()
    group = [kind for chat, kind in play.told() if chat == GROUP]
    assert group == ["call", "reveal", "table", "round_over"]
    assert play.sent_at(GROUP, "call") - called < BEAT / 2
    assert BEAT <= play.sent_at(GROUP, "reveal") - called < BEAT + 0.5
    for chat in PRIVATE:
        assert play.first(chat, "hand") > play.first(GROUP, "reveal")
        assert play.sent_at(chat, "hand") - called < BEAT + PATIENCE / 2, "not by the bound"


async def test_the_reveal_is_an_edit_of_the_call_and_the_old_message_keeps_the_bids(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        (old,) = [row.message for row in play.harness.rows(SentMessage) if row.slot.startswith("deal:")]
        await play.doubt()
        await play.all_sent()
    sent = {envelope.notice.kind: target for envelope, target in play.sender.sent if envelope.chat == GROUP}
    assert sent["call"] is None, "a new message: this bot does not know whether somebody wrote"
    assert sent["reveal"] is not None
    assert sent["reveal"].message != old
    assert sent["round_over"] is not None
    assert sent["round_over"].message == old


@pytest.mark.parametrize("talk", [False, True])
async def test_where_nobody_wrote_the_rounds_own_message_is_edited(play: LivePlay, *, talk: bool) -> None:
    play.harness.service.reads_all.add("telegram")
    async with running(play.delivery):
        await play.ready("22", "33")
        (old,) = [row.message for row in play.harness.rows(SentMessage) if row.slot.startswith("deal:")]
        if talk:
            received = await play.harness.service.inbox_store.store("telegram", "talk", {"update_id": 1})
            assert received is not None
            await play.harness.service.ignore(received, play.harness.group)
        await play.doubt()
        await play.all_sent()
    targets = [
        (envelope.notice.kind, target and target.message)
        for envelope, target in play.sender.sent
        if envelope.chat == GROUP
    ]
    if talk:
        assert [kind for kind, _ in targets] == ["call", "reveal", "table", "round_over"]
        assert dict(targets)["call"] is None
    else:
        assert targets == [("call", old), ("reveal", old), ("table", None)]


async def test_what_the_bot_itself_wrote_counts_as_well(play: LivePlay) -> None:
    play.harness.service.reads_all.add("telegram")
    async with running(play.delivery):
        await play.ready("22", "33")
        play.harness.now = play.now()
        play.harness.enqueue(PausedNotice(table=1))
        await play.all_sent()
        await play.doubt()
        await play.all_sent()
    assert next(target for envelope, target in play.sender.sent if envelope.notice.kind == "call") is None


async def test_a_group_that_is_slowed_down_during_the_beat_keeps_nobody_uninformed(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        play.sender.failures[GROUP] = [nothing, SlowDownError(0.5)]
        await play.doubt()
        await play.all_sent()
    for chat in PRIVATE:
        assert play.first(chat, "hand") > play.first(GROUP, "reveal")


async def nothing() -> None:
    """No failure."""


async def test_private_messages_wait_for_a_slow_group_only_so_long(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        play.sender.failures[GROUP] = [nothing, SlowDownError(BEAT + 2 * PATIENCE)]
        called = await play.doubt()
        await play.all_sent()
    for chat in PRIVATE:
        assert play.first(chat, "hand") < play.first(GROUP, "reveal")
        assert play.sent_at(chat, "hand") - called >= BEAT + PATIENCE


@pytest.mark.parametrize("error", [InvalidError("no"), ValueError("no")])
async def test_a_reveal_that_is_refused_keeps_nobody_waiting(play: LivePlay, error: Exception) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        play.sender.failures[GROUP] = [nothing, error]
        called = await play.doubt()
        await play.all_sent()
    assert (GROUP, "reveal") not in play.told()
    assert (GROUP, "table") in play.told()
    for chat in PRIVATE:
        assert play.sent_at(chat, "hand") - called < BEAT + PATIENCE / 2


async def test_if_the_calls_fate_is_unknown_the_dice_are_shown_in_a_message_of_their_own(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
        play.sender.failures[GROUP] = [UnknownFateError("no answer")]
        await play.doubt()
        await play.all_sent()
    targets = {envelope.notice.kind: target for envelope, target in play.sender.sent if envelope.chat == GROUP}
    assert targets["reveal"] is None, "the round's old message stands higher up"
    assert targets["round_over"] is not None


async def test_a_worker_that_is_killed_during_the_beat_is_replaced(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("22", "33")
    dead = play.delivery = play.worker()
    await play.doubt()
    await until(lambda: (GROUP, "call") in play.told())
    for task in dead._lanes.values():
        task.cancel()
    await asyncio.gather(*dead._lanes.values(), return_exceptions=True)
    await play.harness.database.run(lanes.release_all)
    async with running(play.worker()):
        await play.all_sent()
    assert [kind for chat, kind in play.told() if chat == GROUP][:3] == ["call", "reveal", "table"]
    for chat in PRIVATE:
        assert play.first(chat, "hand") > play.first(GROUP, "reveal")


async def test_a_reaction_is_left_out_where_the_group_has_few_places_left(
    database: Database, sender: RecordingSender
) -> None:
    play = LivePlay(database, sender)
    async with running(play.delivery):
        await play.ready("2", "33")
        sender.limits = Limits(0, 0, 20)
        await play.doubt()
        await until(lambda: (GROUP, "game_over") in play.told(), 15)
        await until(lambda: not play.harness.notices("reaction"), 15)
    group = [kind for chat, kind in play.told() if chat == GROUP]
    assert group[:3] == ["call", "reveal", "game_over"]


async def test_the_win_is_celebrated_after_everything_else(play: LivePlay) -> None:
    async with running(play.delivery):
        await play.ready("2", "33")
        await play.doubt()
        await play.all_sent()
    group = [kind for chat, kind in play.told() if chat == GROUP]
    assert group == ["call", "reveal", "game_over", "reaction", "round_over"]
    (reaction,) = [target for envelope, target in play.sender.sent if envelope.notice.kind == "reaction"]
    (reveal,) = [target for envelope, target in play.sender.sent if envelope.notice.kind == "reveal"]
    assert reaction == reveal
