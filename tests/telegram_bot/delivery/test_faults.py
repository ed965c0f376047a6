"""Notices that no try can send, sends that take too long, and budgets that are too small."""

import asyncio
import re

import pytest
from sqlalchemy import insert, text

from telegram_bot.delivery import outbox, worker
from telegram_bot.delivery.limits import Budget, Limits, Queue
from telegram_bot.delivery.sender import ChatLostError, NotSentError
from telegram_bot.storage.models import LaneName, NoticeStatus, OutboxEntry
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness
from tests.telegram_bot.delivery.conftest import (
    ANA,
    BO,
    GROUP,
    DeliveryHarness,
    RecordingSender,
    example_notices,
    named_notice,
)

# Notices that never get through


async def test_one_notice_that_never_gets_through_is_set_aside_while_others_do(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    sender.failures[GROUP] = [NotSentError("InternalServerError")] * 1000
    harness.enqueue(named_notice("poison"))
    harness.enqueue(named_notice("next"))
    for minute in range(40):
        harness.enqueue(named_notice(str(minute)), chat=ANA)
        await delivery.drain(ANA, GROUP)
        if len(sender.tried) > 50:
            break
        if delivery.statuses()[0] == NoticeStatus.FAILED:
            sender.failures.clear()
        harness.now += 31
    await delivery.drain(GROUP)
    assert delivery.statuses()[0] == NoticeStatus.FAILED
    assert sender.texts(GROUP) == ["next"]
    assert "set aside" in caplog.text
    tries = sum(envelope.chat == GROUP for envelope in sender.tried)
    assert 10 <= tries <= 25


async def test_a_group_that_is_lost_is_told_to_the_operator_without_its_id(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    sender.failures[GROUP] = [ChatLostError("Forbidden: bot was kicked from the supergroup chat")]
    harness.enqueue(named_notice("anyone there?"))
    await delivery.drain(GROUP)
    assert "cannot be written to: Forbidden: bot was kicked" in caplog.text
    assert str(GROUP) not in caplog.text


async def test_neither_an_outage_nor_one_more_failure_after_it_sets_anything_aside(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    chats = (GROUP, ANA, BO)
    sender.failures = {chat: [NotSentError("InternalServerError")] * 1000 for chat in chats}
    for chat in chats:
        harness.enqueue(named_notice("kept"), chat=chat)
    for _ in range(50):
        await delivery.drain(*chats)
        harness.now += 31
    assert delivery.statuses() == [NoticeStatus.PENDING] * 3
    sender.failures = {GROUP: [NotSentError("BadGateway")]}
    await delivery.drain(ANA, BO)
    for _ in range(2):
        harness.now += 31
        await delivery.drain(GROUP)
    assert sender.texts() == ["kept"] * 3


async def test_what_is_stale_by_the_end_of_an_outage_is_not_sent(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    sender.failures[GROUP] = [NotSentError("InternalServerError")] * 3
    harness.enqueue(named_notice("an answer"), expires_at=harness.now + 60)
    harness.enqueue(named_notice("a table"))
    for _ in range(10):
        await delivery.drain(GROUP)
        harness.now += 31
    assert sender.texts() == ["a table"]


# Slow sends


async def test_a_send_that_takes_too_long_is_of_unknown_outcome(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SEND_SECONDS", 0.05)

    async def hang() -> None:
        await asyncio.sleep(3600)

    sender.failures[GROUP] = [hang]
    harness.enqueue(named_notice("perhaps"))
    harness.enqueue(named_notice("next"))
    await delivery.drain()
    assert delivery.statuses() == [NoticeStatus.UNKNOWN, NoticeStatus.SENT]


# Budgets


def limited(harness: GroupHarness, sender: RecordingSender, per_second: int) -> DeliveryHarness:
    """A worker whose bot may send so many messages a second."""
    limits = Limits(per_bot_per_second=per_second, per_chat_seconds=0, per_group_per_minute=0)
    return DeliveryHarness(harness, sender, limits)


async def test_a_turn_in_a_lane_that_queues_with_its_help_does_not_wait_behind_everybody_elses(
    harness: GroupHarness, sender: RecordingSender
) -> None:
    """A hundred chats ask for help, and then the last of them is on turn."""
    _, hand, _ = await example_notices(harness)
    chats = [*range(1000, 1099), ANA]
    for chat in chats:
        harness.enqueue(named_notice("help"), chat=chat)
    delivery = limited(harness, sender, per_second=25)
    arrived = 0.0

    async def on_turn() -> None:
        nonlocal arrived
        arrived = harness.now
        harness.enqueue(hand, chat=ANA)
        delivery.delivery.wake([LaneName("telegram", ANA)])

    sender.failures[1010] = [on_turn]
    await delivery.drain(*chats, end=lambda: "hand" in sender.texts())
    assert harness.now - arrived < 0.2
    assert sender.texts(ANA) == ["help", "hand"], "the order within a chat stays"


async def test_lanes_that_line_up_do_not_keep_asking(
    harness: GroupHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = range(1000, 1060)
    for chat in chats:
        harness.enqueue(named_notice("help"), chat=chat)
    delivery = limited(harness, sender, per_second=50)
    asked = 0
    take = Budget.take

    def counted(self: Budget, limits: Limits, queue: Queue, now: float) -> float:
        nonlocal asked
        asked += 1
        return take(self, limits, queue, now)

    monkeypatch.setattr(Budget, "take", counted)

    await delivery.drain(*chats)
    assert len(sender.sent) == 60
    assert asked <= 60 * 2, "a refusal and a grant for each"


# Cost


async def test_looking_for_work_reads_nothing_of_the_past(harness: GroupHarness) -> None:
    """Ten thousand sent notices, ten waiting ones."""
    past = [
        {"lane": LaneName("telegram", number % 500),
         "status": "sent", "created_at": 1.0, "done_at": 2.0, "supersedable": False,
         "not_before": 0.0}
        for number in range(10_000)
    ]  # fmt: skip
    with harness.database.transaction() as session:
        session.execute(insert(OutboxEntry), past)
    for chat in range(10):
        harness.enqueue(named_notice("x"), chat=chat + 1)
    with harness.database.transaction() as session:
        session.execute(text("ANALYZE"))
    with harness.database.transaction() as session:
        assert len(outbox.lanes_with_notices(session, harness.now)) == 10
        asked = outbox.WAITING.params(now=harness.now)
        question = str(asked.compile(session.get_bind(), compile_kwargs={"literal_binds": True}))
        explain = "EXPLAIN QUERY PLAN" if harness.database.is_sqlite else "EXPLAIN"
        plan = "\n".join(str(row) for row in session.execute(text(f"{explain} {question}")))
    assert "ix_outbox_open" in plan
    assert "Seq Scan on outbox" not in plan
    assert re.search(r"SCAN outbox USING \w*\s?INDEX ix_outbox_open", plan) or not harness.database.is_sqlite
    assert plan.count("SCAN outbox") <= 1


@BOTH_DATABASES
async def test_a_lane_that_cannot_be_read_is_set_aside_and_all_others_are_served(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    for name, stored in (("lost", "telegram:True"), ("lost too", "telegram:1:2"), ("lost as well", "telegram")):
        harness.enqueue(named_notice(name))
        with harness.database.transaction() as session:
            last = "UPDATE outbox SET lane = :lane WHERE id = (SELECT max(id) FROM outbox)"
            session.execute(text(last), {"lane": stored})
    harness.enqueue(named_notice("hello"), chat=ANA)
    with harness.database.transaction() as session:
        assert outbox.lanes_with_notices(session, harness.now) == [LaneName("telegram", ANA)]
    await delivery.drain(ANA)
    assert sender.texts(ANA) == ["hello"]
    assert delivery.statuses() == [NoticeStatus.FAILED] * 3 + [NoticeStatus.SENT]
    assert "lanes cannot be read" in caplog.text
    with harness.database.transaction() as session:
        assert outbox.lanes_with_notices(session, harness.now) == []
