"""Rows of the outbox as earlier versions wrote them are sent as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from telegram_bot.service.notices import (
    Envelope,
    HandNotice,
    LobbyNotice,
    MessageRef,
    SendMode,
    StartedNotice,
    TableNotice,
)
from telegram_bot.service.outbox_dedupe import keep_reveals
from telegram_bot.storage.models import NoticeStatus, OutboxEntry
from telegram_bot.tables.views import lobby_view
from tests.telegram_bot.conftest import lobby_table
from tests.telegram_bot.delivery.conftest import example_notices

if TYPE_CHECKING:
    from tests.telegram_bot.conftest import GroupHarness
    from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender

GROUP, ANA = -1001, 101


def older(chat: int, notice: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An envelope as version 0.1 stored it."""
    return {
        "channel": "telegram", "chat": chat, "topic": 0, "receiver": None, "query": None, "language": None,
        "silent": False, "mode": "send", "expires": None, "round": None, "notice": notice,
    } | more  # fmt: skip


def put(harness: GroupHarness, stored: dict[str, Any]) -> None:
    with harness.database.transaction() as session:
        lane = f"{stored['channel']}:{stored['chat']}"
        session.add(OutboxEntry(lane=lane, table_id=1, notice=stored, created_at=harness.now))


@pytest.mark.parametrize("receiver", [None, ANA])
async def test_a_notice_that_named_its_message_edits_that_message(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender, receiver: int | None
) -> None:
    table, _, _ = await example_notices(harness)
    view = table.view.model_dump(mode="json")
    page = {"kind": "keyboard", "view": view, "seat": 0, "face": 4, "message": 6, "private": False}
    put(harness, older(GROUP, {"kind": "strip", "message": 5}, mode="target", receiver=receiver))
    put(harness, older(GROUP, page, mode="target", receiver=receiver))
    await delivery_harness.drain()
    assert [target for _, target in sender.sent] == [MessageRef(5, receiver), MessageRef(6, receiver)]
    assert sender.texts() == ["strip", "keyboard"]


async def test_an_answer_to_a_tap_still_answers_it(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    _, hand, _ = await example_notices(harness)
    put(harness, older(GROUP, hand.model_dump(mode="json") | {"face": None}, receiver=ANA, query="q1"))
    await delivery_harness.drain()
    ((envelope, target),) = sender.sent
    assert (envelope.reply_handle, envelope.receiver, target) == ("q1", ANA, None)
    assert isinstance(envelope.notice, HandNotice)


async def test_tables_and_hands_with_a_page_of_bids_are_read(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    table, hand, _ = await example_notices(harness)
    for chat, notice in ((GROUP, table), (ANA, hand)):
        put(harness, older(chat, notice.model_dump(mode="json") | {"face": None}))
    await delivery_harness.drain(GROUP, ANA)
    assert sorted((envelope.notice for envelope, _ in sender.sent), key=lambda told: told.kind) == [hand, table]
    assert delivery_harness.statuses() == [NoticeStatus.SENT] * 2


@pytest.mark.parametrize(("menu", "page"), [("main", None), ("options", "options")])
async def test_a_lobbys_page_is_shown(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender, menu: str, page: str | None
) -> None:
    view = lobby_view(lobby_table(2))
    stored = {"view": view.model_dump(mode="json") | {"menu": menu}}
    put(harness, older(GROUP, {"kind": "lobby", "numbers": []} | stored))
    put(harness, older(GROUP, {"kind": "started"} | stored))
    await delivery_harness.drain()
    assert [envelope.notice for envelope, _ in sender.sent] == [
        LobbyNotice(view=view, page=page),
        StartedNotice(view=view),
    ]


async def test_what_is_stored_today_is_read_back_as_it_was(harness: GroupHarness) -> None:
    table, _, _ = await example_notices(harness)
    envelope = Envelope(
        channel="telegram", chat=GROUP, mode=SendMode.TARGET, target=MessageRef(5, ANA), reply_handle="q", notice=table
    )
    assert Envelope.model_validate(envelope.model_dump(mode="json")) == envelope
    assert isinstance(envelope.notice, TableNotice)


async def test_a_table_that_repeated_the_last_reveal_is_read(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    table, _, reveal = await example_notices(harness)
    stored = table.model_dump(mode="json") | {"previous": reveal.view.model_dump(mode="json"), "face": None}
    put(harness, older(GROUP, stored))
    await delivery_harness.drain()
    ((envelope, _),) = sender.sent
    assert envelope.notice == table


async def test_what_a_waiting_hand_tells_of_the_last_round_goes_over_into_a_newer_one(harness: GroupHarness) -> None:
    _, hand, reveal = await example_notices(harness)
    told = hand.model_copy(update={"previous": reveal.view})
    with harness.database.transaction() as session:
        stored = older(ANA, told.model_dump(mode="json") | {"face": None}, channel="sms")
        session.add(
            OutboxEntry(lane="sms:101", table_id=1, slot="hand:1", supersedable=True, notice=stored, created_at=0)
        )
    with harness.database.transaction() as session:
        assert keep_reveals(session, "sms:101", hand, 1, "hand:1").previous == reveal.view
