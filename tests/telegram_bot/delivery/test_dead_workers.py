"""Lanes of messages and those who drain them: limits, leases, workers that die or stop, a database that is away."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from sqlalchemy import event, null, update
from sqlmodel import select

from telegram_bot.delivery import lanes
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import Target
from telegram_bot.service import intents as i
from telegram_bot.service.notices import Mode, StripNotice
from telegram_bot.storage.models import Lane, Outbox, Sending, SentMessage
from tests.databases import PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL, ONLY_SQLITE, Room
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, Office, Wire, hello, later, running, until, views, word


async def test_a_lane_keeps_to_its_limits(room: Room, wire: Wire) -> None:
    office = Office(room, wire, Limits(per_bot_per_second=1000, per_chat_seconds=0.1, per_group_per_minute=0))
    for name in "abcde":
        room.send(hello(name))
    started = room.now
    office.delivery.wake(["telegram:-1001"])
    while office.delivery._lanes:
        await asyncio.sleep(0.005)
        room.now += 0.005
    assert wire.texts() == list("abcde")
    assert room.now - started >= 0.4


async def test_only_one_worker_drains_a_lane(room: Room, wire: Wire) -> None:
    first, second = Office(room, wire), Office(room, wire)
    for name in "abcdefgh":
        room.send(hello(name))
    await asyncio.gather(first.drain(), second.drain())
    assert wire.texts() == list("abcdefgh")
    assert wire.most_under_way == 1


async def test_a_leased_lane_is_taken_over_once_its_holder_is_silent_for_long(room: Room, office: Office) -> None:
    room.send(hello("a"))
    with room.database.transaction() as session:
        assert lanes.hold(session, "telegram:-1001", "somebody else", room.now)
    await office.drain()
    assert office.statuses() == [Sending.PENDING]
    with room.database.transaction() as session:
        assert lanes.with_work(session, ["telegram"], room.now) == []
    room.now += lanes.LEASE_SECONDS
    with room.database.transaction() as session:
        assert lanes.with_work(session, ["telegram"], room.now) == ["telegram:-1001"]
    await office.drain()
    assert office.statuses() == [Sending.SENT]


@ONLY_SQLITE
async def test_after_a_restart_the_leases_of_the_earlier_life_are_void(room: Room, office: Office) -> None:
    room.send(hello("a"))
    with room.database.transaction() as session:
        assert lanes.hold(session, "telegram:-1001", "my earlier life", room.now)
    await office.delivery.take_over()
    await office.drain()
    assert office.statuses() == [Sending.SENT]


async def left_in_sending(room: Room, *rows: dict[str, Any]) -> None:
    for row in rows:
        room.send(**row)
    with room.database.transaction() as session:
        for left in session.exec(select(Outbox).where(Outbox.status == Sending.PENDING)):
            left.status = Sending.SENDING
        assert lanes.hold(session, "telegram:-1001", "dead worker", room.now)
    room.now += lanes.LEASE_SECONDS + 1


async def test_what_a_dead_worker_was_sending_goes_again_only_where_nobody_can_play_on_without(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    wire.sent.clear()
    await left_in_sending(
        room,
        {"notice": hello("perhaps sent")},
        {"notice": later(table), "slot": "deal:1", "mode": Mode.EDIT},
        {"notice": table, "slot": "deal:2", "mode": Mode.EDIT},
        {"notice": StripNotice(message=5), "mode": Mode.TARGET},
    )
    room.send(hello("new"))
    with caplog.at_level("INFO"):
        await office.drain()
    told = [line.partition(" ")[0] for line in caplog.messages if "was under way when its worker died" in line]
    assert told == ["welcome", "table"], "what may have been lost, what may be seen twice; not the edits"
    assert [(word(envelope), target) for envelope, target in wire.sent] == [
        ("table", Target(1001)),
        ("table", None),
        ("strip", None),
        ("new", None),
    ]
    assert office.statuses()[1:] == [Sending.UNKNOWN, *[Sending.SENT] * 4]


@ONLY_POSTGRESQL
async def test_a_worker_that_was_thought_dead_and_marks_its_message_is_believed(
    room: Room, office: Office, wire: Wire
) -> None:
    """It does so just when another decides what becomes of what it left."""
    table, _, _ = await views(room)
    await left_in_sending(room, {"notice": table, "slot": "deal:1"}, {"notice": hello("perhaps sent")})
    marked = False

    @event.listens_for(room.database.engine, "before_cursor_execute")
    def mark(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal marked
        if statement.startswith("UPDATE outbox SET status") and not marked:
            marked = True
            with room.database.transaction() as session:
                session.execute(update(Outbox).values(status=Sending.SENT, notice=null(), done_at=1.0))

    await office.drain()
    assert wire.sent == []
    assert office.statuses() == [Sending.SENT] * 2


async def test_an_edit_under_way_at_the_end_of_a_lane_is_not_forgotten(room: Room, office: Office, wire: Wire) -> None:
    """Nothing else waits in the lane: the table would show an old bid until somebody acts."""
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    await left_in_sending(room, {"notice": later(table), "slot": "deal:1", "mode": Mode.EDIT})
    async with running(office.delivery):
        await until(lambda: [target for _, target in wire.sent] == [None, Target(1001)])


async def test_trouble_while_marking_a_message_as_sent_does_not_send_it_again(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    room.send(hello("once"), slot="lobby")
    room.send(hello("next"))

    async def hide() -> None:
        with room.database.transaction() as session:
            session.connection().exec_driver_sql("ALTER TABLE sent_message RENAME TO hidden")

    wire.trouble[GROUP] = [hide]
    draining = asyncio.create_task(office.drain())
    await until(lambda: "marking a message as sent failed" in caplog.text)
    with room.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO sent_message")
    await draining
    assert wire.texts() == ["once", "next"]
    assert room.all(SentMessage)[0].message == 1001
    assert office.statuses() == [Sending.SENT] * 2


@ONLY_POSTGRESQL
async def test_a_database_that_is_away_is_told_in_a_line_a_second_and_work_goes_on_afterwards(
    room: Room, office: Office, wire: Wire, postgresql: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.monotonic()
    async with running(office.delivery):
        postgresql.stop_hard()
        try:
            await asyncio.sleep(2.5)
        finally:
            postgresql.start()
        await until(lambda: "looking for lanes failed: OperationalError" in caplog.text)
        assert caplog.text.count("looking for lanes failed") <= time.monotonic() - began + 1
        assert "Traceback" not in caplog.text
        room.send(hello("once"))
        await until(lambda: wire.texts() == ["once"], 10)


async def test_stopping_finishes_the_send_under_way_and_leaves_the_rest(room: Room, office: Office, wire: Wire) -> None:
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    wire.trouble[GROUP] = [slow]
    room.send(hello("under way"))
    room.send(hello("later"))
    office.delivery.wake(["telegram:-1001"])
    await until(lambda: wire.under_way == 1)
    stopping = asyncio.create_task(office.delivery.stop())
    await asyncio.sleep(0)
    release.set()
    await stopping
    assert wire.texts() == ["under way"]
    assert office.statuses() == [Sending.SENT, Sending.PENDING]
    office.delivery.wake(["telegram:-1001"])
    assert office.delivery._lanes == {}, "nothing begins any more"
    reborn = Office(room, wire)
    await reborn.drain()
    assert wire.texts() == ["under way", "later"]


async def test_a_send_that_hangs_does_not_keep_the_process_from_ending(room: Room, office: Office, wire: Wire) -> None:
    async def hang() -> None:
        await asyncio.sleep(3600)

    wire.trouble[GROUP] = [hang]
    room.send(hello("perhaps"))
    office.delivery.wake(["telegram:-1001"])
    await until(lambda: wire.under_way == 1)
    await office.delivery.stop(grace=0.05)
    assert office.statuses() == [Sending.SENDING]
    assert [lane.holder for lane in room.all(Lane)] == [None], "another may settle it"


async def test_a_whole_game_is_told_in_order(room: Room, office: Office, wire: Wire) -> None:
    await room.game("2", "33")
    await room.call("2x2")
    await room.call("dudo")
    await room.tap("Ana", i.PlayAgain())
    await office.drain(GROUP, ANA, BO)
    assert [text for text in wire.texts(GROUP) if text != "strip"] == ["started", "reveal", "game_over", "lobby"]
    assert wire.texts(ANA)[0] == "hand"


async def test_a_message_is_not_edited_to_show_the_same(room: Room, office: Office, wire: Wire) -> None:
    table, _, _ = await views(room)
    for notice in (table, table, later(table)):
        room.send(notice, slot="deal:1", mode=Mode.EDIT)
        await office.drain()
    assert [target for _, target in wire.sent] == [None, Target(1001)]
    room.send(StripNotice(message=1001), mode=Mode.TARGET)
    room.send(later(table), slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    assert wire.sent[-1][1] == Target(1001), "its buttons had gone, so it is shown again"
