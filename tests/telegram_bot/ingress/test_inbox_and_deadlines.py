"""Stored updates are handled once and in order; an error with one update or table does not affect others."""

import asyncio
from typing import Any

import pytest

from telegram_bot.app import service_config
from telegram_bot.ingress.deadlines import DeadlineWorker
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.notices import Toast
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.quotas import QuotaGate
from telegram_bot.settings import Settings
from telegram_bot.storage import computing_limit, inbox_store
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.storage.models import InboxEntry as Arrivals
from telegram_bot.tables.events import RejectionReason
from telegram_sandbox import SandboxSettings, running_sandbox
from tests.telegram_bot.conftest import AUTO_CLOCK, BOTH_DATABASES, GroupHarness
from tests.telegram_bot.ingress.conftest import an_inbox, arrive, names, until, written


@BOTH_DATABASES
async def test_updates_of_a_chat_are_acted_on_in_order_and_once(harness: GroupHarness, inbox: InboxWorker) -> None:
    batch = [written(1, "Ana", "/perudo"), written(2, "Bo", "/join"), written(3, "Cy", "/join")]
    await arrive(inbox, *batch)
    await inbox.idle()
    assert names(harness) == ["Ana", "Bo", "Cy"]
    await arrive(inbox, *batch, written(4, "Bo", "/leave"))
    await inbox.idle()
    assert names(harness) == ["Ana", "Cy"]
    assert [(row.cause, row.payload, row.done_at is not None) for row in harness.rows(Arrivals)] == [
        (str(number), None, True) for number in (1, 2, 3, 4)
    ]


async def test_an_update_that_asks_for_nothing_or_cannot_be_read_is_done_with_at_once(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture
) -> None:
    unreadable: list[dict[str, Any]] = [
        {"message": {"message_id": "x"}},
        {"message": {"message_id": 1, "date": 1, "chat": "group"}},
        {"message": "hello"},
        {"callback_query": {"id": "1", "from": {"id": "Ana", "first_name": "Ana"}, "data": "x"}},
    ]
    numbered = [each | {"update_id": number} for number, each in enumerate(unreadable, 8)]
    await arrive(inbox, written(5, "Ana", "hello"), {"update_id": 7, "something_new": {}}, *numbered)
    await inbox.idle()
    assert [record.exc_info for record in caplog.records if "is set aside" in record.message] == [None] * 4
    assert "failed" not in caplog.text
    assert len([row for row in harness.rows(Arrivals) if row.error and row.payload]) == 4, "the operator may look"
    assert harness.unfinished() == []
    assert harness.rows(GameTable) == []


@BOTH_DATABASES
@pytest.mark.parametrize("in_threads", [True])
async def test_an_update_that_computes_for_ever_is_set_aside_and_the_next_ones_go_on(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def join(join: Join, context: TableContext) -> Toast | None:
        while context.player.name == "Bo":
            pass
        return handle(join, context)

    handle = Join.handle
    monkeypatch.setattr(Join, "handle", join)
    monkeypatch.setattr(inbox_store, "FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(computing_limit, "LOOK_SECONDS", 0.01)
    harness.database.computing_seconds = 0.2
    await arrive(inbox, written(1, "Ana", "/perudo"), written(2, "Bo", "/join"), written(3, "Cy", "/join"))
    async with asyncio.timeout(30):
        await inbox.idle()
    assert names(harness) == ["Ana", "Cy"]
    assert "update 2 is set aside: ComputesTooLongError" in caplog.text


@BOTH_DATABASES
async def test_a_spoilt_table_keeps_no_other_from_its_end(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333")
    other = i.Place("telegram", -2002, 0, "Family")
    for name in ("Ana", "Bo"):
        await harness.say(name, OpenLobby() if name == "Ana" else Join(), where=other)
    await harness.tap("Ana", Start(), table=2, where=other)
    harness.mark_all_sent()  # a clock waits until its player has been told
    harness.update_row(GameTable, 1, state={"spoilt": True}, due_at=1.0)
    harness.pass_time(60)
    worker = DeadlineWorker(harness.service, lambda _lanes: None, (), lambda _thought: None, lambda _review: None)
    sweep = asyncio.create_task(worker.run())
    try:
        await until(lambda: harness.table(2).step == 1)
        assert "a deadline of table 1 failed" in caplog.text
    finally:
        sweep.cancel()
        await asyncio.gather(sweep, return_exceptions=True)


async def test_a_flood_costs_no_more_rows_and_no_more_questions_once_it_was_answered(harness: GroupHarness) -> None:
    harness.service.quota_gate = QuotaGate(service_config(Settings()).quotas, lambda: harness.now)
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(harness, sandbox) as inbox:
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(1, 50)))
        await inbox.idle()
        asked = len(sandbox.world.calls.named("getChatMember"))
        assert asked < 12, "who is not heard is not looked up"
        rows = len(harness.rows(Arrivals))
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(50, 100)))
        assert await inbox.take("telegram", "100", written(100, "Ana", "/perudo")) is None
        await inbox.idle()
        assert len(harness.rows(Arrivals)) == rows, "not even written down"
        assert len(sandbox.world.calls.named("getChatMember")) == asked
        await arrive(inbox, written(101, "Bo", "/join"))
        await inbox.idle()
        assert names(harness) == ["Ana", "Bo"]
        assert harness.unfinished() == []
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.TOO_FAST]
