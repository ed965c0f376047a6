"""Lanes of messages and those who drain them: workers that die or stop, a database that is away."""

import asyncio
from typing import Any

import pytest
from sqlmodel import select

from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import OutdatedNotice
from telegram_bot.storage.models import DiceStyle, LaneName, NoticeStatus, OutboxEntry, SentMessage
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import BOTH_DATABASES, ONLY_POSTGRESQL, GroupHarness
from tests.telegram_bot.delivery.conftest import (
    GROUP,
    DeliveryHarness,
    RecordingSender,
    changed,
    example_notices,
    named_notice,
    running,
    text_of,
    until,
)


async def left_in_sending(harness: GroupHarness, *rows: dict[str, Any]) -> None:
    for row in rows:
        harness.enqueue(**row)
    with harness.database.transaction() as session:
        for left in session.exec(select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)):
            left.status = NoticeStatus.SENDING


@BOTH_DATABASES
async def test_what_a_dead_worker_was_sending_goes_again(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    await delivery.send(table, slot="deal:1", key=())
    sender.sent.clear()
    await left_in_sending(
        harness,
        {"notice": named_notice("perhaps sent")},
        {"notice": changed(table), "slot": "deal:1", "key": ()},
        {"notice": table, "slot": "deal:2", "key": ()},
        {"notice": OutdatedNotice(), "target": MessageRef(5)},
    )
    await delivery.send(named_notice("new"))
    assert sender.texts() == ["new"], "this process may be sending it"
    await delivery.begin()
    harness.all_compared()
    await delivery.drain()
    assert [(text_of(envelope), target) for envelope, target in sender.sent[1:]] == [
        ("perhaps sent", None),
        ("table", MessageRef(1001)),
        ("table", None),
        ("outdated", MessageRef(5)),
    ]
    assert set(delivery.statuses()) == {NoticeStatus.SENT}


async def test_a_text_that_a_dead_worker_was_sending_is_not_paid_for_twice_and_its_turn_is_told_once_more(
    harness: GroupHarness, delivery: DeliveryHarness, caplog: pytest.LogCaptureFixture
) -> None:
    await harness.game("22", "33", sent=True)
    harness.enqueue(named_notice("your turn"), turn=harness.table().step)
    (text,) = [row.id for row in harness.rows(OutboxEntry) if row.status == NoticeStatus.PENDING]
    harness.update_row(OutboxEntry, text, status=NoticeStatus.SENDING, lane=LaneName("sms", 4912345))
    with caplog.at_level("INFO"):
        await delivery.begin()
    assert "welcome" in caplog.text
    assert [row.status for row in harness.rows(OutboxEntry) if row.id == text] == [NoticeStatus.UNKNOWN]
    assert harness.table().running.retell_at is not None


@BOTH_DATABASES
async def test_trouble_while_marking_a_message_as_sent_does_not_send_it_again(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    harness.enqueue(named_notice("once"), slot="lobby")
    harness.enqueue(named_notice("next"))

    async def hide() -> None:
        with harness.database.transaction() as session:
            session.connection().exec_driver_sql("ALTER TABLE sent_message RENAME TO hidden")

    sender.failures[GROUP] = [hide]
    draining = asyncio.create_task(delivery.drain())
    await until(lambda: "marking messages as sent failed" in caplog.text)
    with harness.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO sent_message")
    await draining
    assert sender.texts() == ["once", "next"]
    assert harness.rows(SentMessage)[0].message == 1001
    assert delivery.statuses() == [NoticeStatus.SENT] * 2


@ONLY_POSTGRESQL
async def test_a_database_that_is_away_is_told_in_a_line_a_minute_and_work_goes_on_afterwards(
    delivery: DeliveryHarness, postgresql: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    harness, sender = delivery.harness, delivery.sender
    async with running(delivery.delivery):
        with postgresql.unreachable(harness.database.engine.url.render_as_string(hide_password=False)):
            await until(lambda: delivery.delivery._troubles._unlogged.total() > 0)
            assert caplog.text.count("looking for lanes failed: connection failed") == 1
        assert "Traceback" not in caplog.text
        harness.enqueue(named_notice("once"))
        await until(lambda: sender.texts() == ["once"])


async def test_stopping_finishes_the_send_under_way_and_leaves_the_rest(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    sender.failures[GROUP] = [slow]
    harness.enqueue(named_notice("under way"))
    harness.enqueue(named_notice("later"))
    delivery.delivery.wake([LaneName("telegram", -1001)])
    await until(lambda: sender.under_way == 1)
    stopping = asyncio.create_task(delivery.delivery.stop())
    await asyncio.sleep(0)
    release.set()
    await stopping
    assert sender.texts() == ["under way"]
    assert delivery.statuses() == [NoticeStatus.SENT, NoticeStatus.PENDING]
    delivery.delivery.wake([LaneName("telegram", -1001)])
    await delivery.delivery.idle()
    assert sender.texts() == ["under way"], "nothing begins any more"
    reborn = DeliveryHarness(harness, sender)
    await reborn.drain()
    assert sender.texts() == ["under way", "later"]


async def test_a_send_that_hangs_does_not_keep_the_process_from_ending(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender

    async def hang() -> None:
        await asyncio.sleep(3600)

    sender.failures[GROUP] = [hang]
    harness.enqueue(named_notice("perhaps"))
    delivery.delivery.wake([LaneName("telegram", -1001)])
    await until(lambda: sender.under_way == 1)
    await delivery.delivery.stop(grace=0.05)
    assert delivery.statuses() == [NoticeStatus.SENDING]


async def test_a_message_is_not_edited_to_show_the_same(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    for notice in (table, table, changed(table)):
        await delivery.send(notice, slot="deal:1", key=())
    assert [target for _, target in sender.sent] == [None, MessageRef(1001)]
    harness.enqueue(OutdatedNotice(), target=MessageRef(1001))
    await delivery.send(changed(table), slot="deal:1", key=())
    assert sender.sent[-1][1] == MessageRef(1001), "its buttons had gone, so it is shown again"
    for _ in range(2):
        await delivery.send(changed(table), slot="deal:1", key=(), dice_style=DiceStyle.WORDS)
    assert [envelope.dice_style for envelope, _ in sender.sent[-2:]] == [DiceStyle.KEYCAPS, DiceStyle.WORDS]
