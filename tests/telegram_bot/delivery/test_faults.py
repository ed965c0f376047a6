"""Notices that no try can send, sends that take too long, and budgets that are too small."""

import asyncio

import pytest
from sqlalchemy import text

from telegram_bot.delivery import outbox, worker
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import ChatLostError, NotSentError
from telegram_bot.storage.models import LaneName, NoticeStatus
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
    delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    sender.failures[GROUP] = [ChatLostError("Forbidden: bot was kicked from the supergroup chat")]
    await delivery.send(named_notice("anyone there?"))
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


async def test_a_send_that_takes_too_long_is_of_unknown_outcome(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SEND_SECONDS", 0.05)

    async def hang() -> None:
        await asyncio.sleep(3600)

    sender.failures[GROUP] = [hang]
    harness.enqueue(named_notice("perhaps"))
    await delivery.send(named_notice("next"))
    assert delivery.statuses() == [NoticeStatus.UNKNOWN, NoticeStatus.SENT]


async def test_a_turn_in_a_lane_that_queues_with_its_help_does_not_wait_behind_everybody_elses(
    harness: GroupHarness, sender: RecordingSender
) -> None:
    """A hundred chats ask for help, and then the last of them is on turn."""
    _, hand, _ = await example_notices(harness)
    chats = [*range(1000, 1099), ANA]
    for chat in chats:
        harness.enqueue(named_notice("help"), chat=chat)
    delivery = DeliveryHarness(
        harness, sender, Limits(per_bot_per_second=25, per_chat_seconds=0, per_group_per_minute=0)
    )
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
