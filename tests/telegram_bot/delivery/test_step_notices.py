"""A step's first notices are taken in its own transaction: sent in order, within the limits, and never lost."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import event

from telegram_bot.delivery import lanes, sent_marks
from telegram_bot.delivery.limits import Limits
from telegram_bot.storage.models import Lane, NoticeStatus, OutboxEntry
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import (
    ANA,
    BO,
    GROUP,
    DeliveryHarness,
    RecordingSender,
    named_notice,
    until,
)


@pytest.fixture
async def playing(harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender) -> DeliveryHarness:
    """A game of which everything is told; from now on delivery takes part in its steps."""
    await harness.game("22222", "33333")
    await delivery_harness.drain(GROUP, ANA, BO)
    sender.sent.clear()
    harness.service.delivery = delivery_harness.delivery
    return delivery_harness


async def rest(playing: DeliveryHarness) -> None:
    """Wait until no lane is busy."""
    await until(lambda: not playing.delivery._lanes)


async def test_a_bid_is_sent_although_nobody_wakes_its_lanes(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    result = await harness.call("2x2")
    assert result.lanes == frozenset(), "nobody needs to look for its notices"
    await rest(playing)
    assert (sender.texts(GROUP), sender.texts(BO)) == (["table"], ["hand"])
    assert {row.status for row in harness.rows(OutboxEntry)} <= {NoticeStatus.SENT, NoticeStatus.SUPERSEDED}
    assert {lane.holder for lane in harness.rows(Lane)} == {None}


async def test_what_waits_in_a_lane_is_sent_first(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    harness.enqueue(named_notice("earlier"))
    result = await harness.call("2x2")
    assert result.lanes == {f"telegram:{GROUP}"}
    await playing.drain(GROUP)
    assert sender.texts(GROUP) == ["earlier", "table"]


async def test_a_lane_that_another_worker_holds_is_left_to_it(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    with harness.database.transaction() as session:
        assert lanes.acquire(session, f"telegram:{GROUP}", "somebody else", harness.now)
    assert (await harness.call("2x2")).lanes == {f"telegram:{GROUP}"}
    await rest(playing)
    assert (sender.texts(GROUP), sender.texts(BO)) == ([], ["hand"])


async def test_a_pause_of_a_lane_holds_for_a_step_as_well(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    with harness.database.transaction() as session:
        lanes.pause(session, f"telegram:{BO}", harness.now + 5)
    assert (await harness.call("2x2")).lanes == {f"telegram:{BO}"}
    await rest(playing)
    assert sender.texts(BO) == []


async def test_the_limit_of_a_chat_holds_for_a_step_as_well(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    sender.limits = Limits(per_bot_per_second=0, per_chat_seconds=1, per_group_per_minute=0)
    assert (await harness.call("2x2")).lanes == frozenset()
    await rest(playing)
    assert (await harness.call("3x2")).lanes == {f"telegram:{chat}" for chat in (GROUP, ANA, BO)}, (
        "a second has not passed"
    )
    await rest(playing)
    assert sender.texts(GROUP) == ["table"]


async def test_where_the_bots_budget_is_used_up_no_lane_is_taken_and_no_send_counted(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender
) -> None:
    sender.limits = Limits(per_bot_per_second=1, per_chat_seconds=1, per_group_per_minute=20)
    await harness.call("2x2")
    await rest(playing)
    harness.now += 1.5
    assert (await harness.call("3x2")).lanes == {f"telegram:{chat}" for chat in (GROUP, ANA, BO)}, (
        "it allows one, not three"
    )
    assert sender.texts(ANA) == ["hand"], "what she bid before"
    for lane in harness.rows(Lane):
        assert lane.holder is None
        assert lane.chat_arrival <= harness.now


async def test_what_a_process_that_died_after_the_commit_did_not_send_is_sent_by_another(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing.delivery, "send_taken", lambda _taken: set())
    await harness.call("2x2")
    assert sorted(row.status for row in harness.rows(OutboxEntry))[:2] == [NoticeStatus.SENDING] * 2
    harness.now += lanes.LEASE_SECONDS + 1
    await DeliveryHarness(harness, sender).drain(GROUP, BO)
    assert (sender.texts(GROUP), sender.texts(BO)) == (["table"], ["hand"])


async def test_the_end_of_a_round_waits_in_the_outbox_unless_it_is_an_edit_and_the_hands_wait_for_it(
    harness: GroupHarness, playing: DeliveryHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a new message whose fate is unknown nobody would hear again."""
    await harness.call("6x2")
    await rest(playing)
    with harness.database.transaction() as session:
        session.connection().exec_driver_sql("DELETE FROM sent_message")
    monkeypatch.setattr(playing.delivery, "send_taken", lambda _taken: set())
    await harness.call("dudo")
    assert all(row.status != NoticeStatus.SENDING for row in harness.rows(OutboxEntry))
    (reveal,) = [row for row in harness.waiting() if row.notice and row.notice["notice"]["kind"] == "reveal"]
    hands = [row for row in harness.waiting() if row.notice and row.notice["notice"]["kind"] == "hand"]
    assert [row.waits_for for row in hands if row.notice and not row.notice["notice"]["called"]] == [reveal.id] * 2


async def test_a_transaction_that_is_rolled_back_sends_nothing(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_first = playing.delivery.take_first

    def fail(*arguments: object) -> None:
        take_first(*arguments)  # type: ignore[arg-type]
        raise ZeroDivisionError

    monkeypatch.setattr(playing.delivery, "take_first", fail)
    with pytest.raises(ZeroDivisionError):
        await harness.call("2x2")
    await rest(playing)
    assert sender.sent == []
    assert {lane.holder for lane in harness.rows(Lane)} == {None}


async def test_the_marks_of_a_table_and_of_a_hand_share_a_transaction_and_a_hand_waits_for_nothing(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_marks, "EDIT_SECONDS", 3600)
    closed: list[str] = []

    @event.listens_for(harness.database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE outbox") and "attempts) IN" in statement:
            closed.append(statement)

    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    sender.failures[BO] = [slow]
    await harness.call("2x2")
    await until(lambda: sender.texts(GROUP) == ["table"])
    assert closed == [], "an edit can wait"
    release.set()
    await rest(playing)
    assert len(closed) == 1


async def test_a_notice_that_arrives_meanwhile_ends_the_wait_of_a_mark(
    harness: GroupHarness, playing: DeliveryHarness, sender: RecordingSender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_marks, "EDIT_SECONDS", 3600)
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    sender.failures[BO] = [slow]
    await harness.call("2x2")
    await until(lambda: sender.texts(GROUP) == ["table"])
    harness.enqueue(named_notice("next"))
    playing.delivery.wake([f"telegram:{GROUP}"])
    await until(lambda: sender.texts(GROUP) == ["table", "next"])
    release.set()
    await rest(playing)


async def test_marks_that_fail_together_are_tried_again_one_by_one(
    harness: GroupHarness,
    playing: DeliveryHarness,
    sender: RecordingSender,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("telegram_bot.delivery.outbox.mark_all_sent", fail)
    await harness.call("2x2")
    await rest(playing)
    assert "marking messages as sent failed" in caplog.text
    assert (sender.texts(GROUP), sender.texts(BO)) == (["table"], ["hand"])
    assert {row.status for row in harness.rows(OutboxEntry)} <= {NoticeStatus.SENT, NoticeStatus.SUPERSEDED}
