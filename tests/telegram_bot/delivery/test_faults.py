"""Notices that never get through, workers that freeze, budgets that do not suffice."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

import pytest
from sqlalchemy import insert, text

from telegram_bot.delivery import lanes, outbox, worker
from telegram_bot.delivery.limits import Limits, Priority
from telegram_bot.delivery.sender import ChatLostError, NotSentError
from telegram_bot.operations.pruning import Pruning
from telegram_bot.service.notices import KeyboardNotice
from telegram_bot.storage.models import Lane, Outbox, Sending
from tests.telegram_bot.conftest import Room
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, Office, Wire, hello, until, views

# Notices that never get through


async def test_one_notice_that_never_gets_through_is_set_aside_while_others_do(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.trouble[GROUP] = [NotSentError("InternalServerError")] * 1000
    room.send(hello("poison"))
    room.send(hello("next"))
    for minute in range(40):
        room.send(hello(str(minute)), chat=ANA)
        await office.drain(ANA, GROUP)
        if len(wire.tried) > 50:
            break
        if office.statuses()[0] == Sending.FAILED:
            wire.trouble.clear()
        room.now += 31
    await office.drain(GROUP)
    assert office.statuses()[0] == Sending.FAILED
    assert wire.texts(GROUP) == ["next"]
    assert "set aside" in caplog.text
    tries = sum(envelope.chat == GROUP for envelope in wire.tried)
    assert 10 <= tries <= 25


async def test_a_group_that_is_lost_is_told_to_the_operator_without_its_id(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    wire.trouble[GROUP] = [ChatLostError("Forbidden: bot was kicked from the supergroup chat")]
    room.send(hello("anybody there?"))
    await office.drain(GROUP)
    assert "cannot be written to: Forbidden: bot was kicked" in caplog.text
    assert str(GROUP) not in caplog.text


async def test_during_an_outage_nothing_is_set_aside(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble = {chat: [NotSentError("InternalServerError")] * 1000 for chat in (GROUP, ANA, BO)}
    for chat in (GROUP, ANA, BO):
        room.send(hello("kept"), chat=chat)
    for _ in range(100):
        await office.drain(GROUP, ANA, BO)
        room.now += 31
    assert office.statuses() == [Sending.PENDING] * 3
    wire.trouble.clear()
    await office.drain(GROUP, ANA, BO)
    assert wire.texts() == ["kept"] * 3


async def test_after_an_outage_one_more_failure_sets_nothing_aside(room: Room, office: Office, wire: Wire) -> None:
    """The server comes back, and stumbles once more."""
    wire.trouble = {chat: [NotSentError("InternalServerError")] * 50 for chat in (GROUP, ANA)}
    for chat in (GROUP, ANA):
        room.send(hello("kept"), chat=chat)
    for _ in range(50):
        await office.drain(GROUP, ANA)
        room.now += 31
    await office.drain(ANA)
    wire.trouble[GROUP] = [NotSentError("BadGateway")]
    for _ in range(2):
        room.now += 31
        await office.drain(GROUP)
    assert sorted(wire.texts()) == ["kept", "kept"]


async def test_what_is_stale_by_the_end_of_an_outage_is_not_sent(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [NotSentError("InternalServerError")] * 3
    room.send(hello("an answer"), expires_at=room.now + 60)
    room.send(hello("a table"))
    for _ in range(10):
        await office.drain(GROUP)
        room.now += 31
    assert wire.texts() == ["a table"]


# Workers


async def test_a_send_that_takes_too_long_is_of_unknown_fate(
    room: Room, office: Office, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "SEND_SECONDS", 0.05)

    async def hang() -> None:
        await asyncio.sleep(3600)

    wire.trouble[GROUP] = [hang]
    room.send(hello("perhaps"))
    room.send(hello("next"))
    await office.drain()
    assert office.statuses() == [Sending.UNKNOWN, Sending.SENT]
    assert lanes.SEND_SECONDS < lanes.LEASE_SECONDS


async def test_a_worker_that_stood_still_before_a_send_does_not_send(
    room: Room, office: Office, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then the lane may be another's: two must never send for it at once."""
    room.send(hello("once"))
    frozen = [0.0, 3600.0]

    class Time:
        time = staticmethod(time.time)

        @staticmethod
        def monotonic() -> float:
            return frozen.pop(0) if frozen else 3600.0

    monkeypatch.setattr(worker, "time", Time)
    office.delivery.wake([f"telegram:{GROUP}"])
    await until(lambda: bool(wire.sent))
    await office.drain()
    assert wire.texts() == ["once"]
    assert room.all(Outbox)[0].attempts == 2, "put back, and taken again"


async def test_a_frozen_worker_that_wakes_up_does_not_undo_what_another_did(room: Room, wire: Wire) -> None:
    _, hand, _ = await views(room)
    first, second = Office(room, wire), Office(room, wire)
    wake = asyncio.Event()

    async def freeze() -> None:
        await wake.wait()

    wire.trouble[ANA] = [freeze]
    room.send(hand, chat=ANA)
    room.send(hello("after"), chat=ANA)
    first.delivery.wake([f"telegram:{ANA}"])
    await until(lambda: wire.under_way == 1)
    await second.drain(ANA)
    assert wire.texts(ANA) == [], "its lease runs yet"
    room.now += lanes.LEASE_SECONDS + 1
    await second.drain(ANA)
    assert wire.texts(ANA) == ["hand", "after"]
    wake.set()
    await until(lambda: not first.delivery._lanes)
    assert second.statuses() == [Sending.SENT] * 2
    assert [row.attempts for row in sorted(room.all(Outbox), key=lambda row: row.id or 0)] == [2, 1]


async def test_a_frozen_worker_takes_nothing_more_of_a_lane_that_it_lost(room: Room, wire: Wire) -> None:
    first, second = Office(room, wire), Office(room, wire)
    wake, slow = asyncio.Event(), asyncio.Event()

    async def freeze() -> None:
        await wake.wait()

    async def slowly() -> None:
        await slow.wait()

    wire.trouble[ANA] = [freeze, slowly]
    for name in "abc":
        room.send(hello(name), chat=ANA)
    first.delivery.wake([f"telegram:{ANA}"])
    await until(lambda: wire.under_way == 1)
    room.now += lanes.LEASE_SECONDS + 1
    second.delivery.wake([f"telegram:{ANA}"])
    await until(lambda: wire.under_way == 2)
    wake.set()
    await until(lambda: not first.delivery._lanes)
    assert wire.under_way == 1, "the second alone goes on"
    slow.set()
    await until(lambda: not second.delivery._lanes)
    assert wire.texts(ANA) == ["a", "b", "c"]


# Budgets


async def test_a_turn_does_not_wait_behind_everybody_elses_help(room: Room, wire: Wire) -> None:
    _, hand, _ = await views(room)
    office = Office(room, wire, Limits(per_bot_per_second=20, per_chat_seconds=0, per_group_per_minute=0))
    wire.clock = time.monotonic
    office.delivery.now = time.time
    for judge in office.delivery._judges.values():
        judge.now = time.time
    chats = range(1000, 1040)
    for chat in chats:
        room.send(hello("help"), chat=chat)
    draining = asyncio.create_task(office.drain(*chats))
    await until(lambda: len(wire.sent) >= 10)
    room.send(hand, chat=ANA)
    asked = len(wire.sent)
    office.delivery.wake([f"telegram:{ANA}"])
    await until(lambda: "hand" in wire.texts())
    assert wire.texts().index("hand") <= asked + 3
    await draining
    assert len(wire.sent) == 41
    pace = (wire.times[-1] - wire.times[5]) / (len(wire.times) - 6)
    assert pace >= 0.9 / 20, "never faster than allowed"


async def test_lanes_that_line_up_do_not_keep_asking(room: Room, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    office = Office(room, wire, Limits(per_bot_per_second=50, per_chat_seconds=0, per_group_per_minute=0))
    office.delivery.now = time.time
    for judge in office.delivery._judges.values():
        judge.now = time.time
    asked = 0
    step = office.delivery._step

    def counted(*args: Any, **more: Any) -> Any:
        nonlocal asked
        asked += 1
        return step(*args, **more)

    monkeypatch.setattr(office.delivery, "_step", counted)
    chats = range(1000, 1060)
    for chat in chats:
        room.send(hello("help"), chat=chat)
    await office.drain(*chats)
    assert len(wire.sent) == 60
    assert asked <= 60 * 5, "a look, a refusal, a grant and the end, for each"


async def test_an_answer_to_a_tap_counts_as_a_turn(room: Room) -> None:
    table, _, _ = await views(room)
    page = KeyboardNotice(view=table.view, seat=0, face=4, message=1, private=False)
    room.send(page)
    room.send(hello("x"))
    found = [outbox.priority_of(envelope) for envelope in room.envelopes()]
    assert found == [Priority.TURN, Priority.REST]


# Cost


async def test_looking_for_work_reads_nothing_of_the_past(room: Room) -> None:
    """A hundred thousand notices that were sent, ten that wait."""
    past = [
        {"lane": f"telegram:{number % 500}", "status": "sent", "created_at": 1.0, "done_at": 2.0, "supersedable": False,
         "attempts": 1, "not_before": 0.0}
        for number in range(100_000)
    ]  # fmt: skip
    with room.database.transaction() as session:
        for start in range(0, len(past), 10_000):
            session.execute(insert(Outbox), past[start : start + 10_000])
    for chat in range(10):
        room.send(hello("x"), chat=chat + 1)
    with room.database.transaction() as session:
        session.execute(text("ANALYZE"))
    with room.database.transaction() as session:
        assert len(lanes.with_work(session, ["telegram"], room.now)) == 10
        asked = lanes.WAITING.params(now=room.now)
        question = str(asked.compile(session.get_bind(), compile_kwargs={"literal_binds": True}))
        explain = "EXPLAIN QUERY PLAN" if room.database.is_sqlite else "EXPLAIN"
        plan = "\n".join(str(row) for row in session.execute(text(f"{explain} {question}")))
    assert "ix_outbox_open" in plan
    assert "Seq Scan on outbox" not in plan
    assert re.search(r"SCAN outbox USING \w*\s?INDEX ix_outbox_open", plan) or not room.database.is_sqlite
    assert plan.count("SCAN outbox") <= 1


async def test_lanes_that_are_quiet_for_long_are_forgotten(room: Room, wire: Wire) -> None:
    office = Office(room, wire, Limits())
    room.send(hello("old"), chat=ANA)
    await office.drain(ANA)
    room.now += 10 * 86400
    room.send(hello("now"), chat=GROUP)
    await office.drain(GROUP)
    await Pruning(room.database, lambda: room.now).run()
    assert {lane.name for lane in room.all(Lane)} == {f"telegram:{GROUP}"}
